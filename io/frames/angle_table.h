#ifndef GT_IO_FRAMES_ANGLE_TABLE_H
#define GT_IO_FRAMES_ANGLE_TABLE_H
/* Text files of angles; private to io/. */
#include <gantry/io.h>

/* Parses a number with a point or a comma between digits; *commas counts commas. 0: not a finite number. */
int gt_angle_number(const char *word, size_t n, double *value, size_t *commas);

/* Largest table for `expected` angles: a longer one is refused before it takes memory. */
#define GT_MAX_ANGLES(expected) (2 * (size_t)(expected) + (1 << 16))
/* Reads one angle per line, or an index and an angle. Blanks, semicolons and commas separate; '#' begins a comment.
 * Skips a byte-order mark of UTF-8. *value: [*n], in the unit of the file; the caller frees it. Notes report decimal
 * commas and indices. GT_ERR_FORMAT names the line, and also refuses lines such as "1,10" that allow two readings. */
gt_status gt_angle_table(const char *path, size_t expected, const gt_read_options *o, double **value, size_t *n);

#endif
