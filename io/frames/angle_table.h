#ifndef GT_IO_FRAMES_ANGLE_TABLE_H
#define GT_IO_FRAMES_ANGLE_TABLE_H
/* Text files of angles; private to io/. */
#include <gantry/io.h>

/* Numbers of text between decimal digits that have a point or a comma; *commas counts commas. 0: no finite number. */
int gt_angle_number(const char *word, size_t n, double *value, size_t *commas);

/* Reads one angle per line, or an index and an angle. Blanks, semicolons and commas separate; '#' begins a comment.
 * Skips a byte-order mark of UTF-8. *value: [*n], in the unit of the file, to be freed by the caller. Notes report
 * decimal commas and indices. GT_ERR_FORMAT names the line, and also refuses lines such as "1,10" that allow two
 * readings: a decimal number, or index and angle. */
gt_status gt_angle_table(const char *path, const gt_read_options *o, double **value, size_t *n);

#endif
