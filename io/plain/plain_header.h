#ifndef GT_IO_PLAIN_PLAIN_HEADER_H
#define GT_IO_PLAIN_PLAIN_HEADER_H
/* Volumes as raw data or as a NumPy array, with a JSON that gives grid, sample type and unit; private to io/. */
#include "io/write_kit/volume_units.h"

/* Keys of the JSON, docs/files.md. Lists are z, y, x. */
#define GT_PLAIN_MARK "spacing_mm"

typedef struct {
	char *head, *data;              /* paths of header and data */
	gt_grid grid;
	char raw[96];                   /* sample layout for gt_raw_source(); empty: not stated (NumPy states it) */
	char type[16];                  /* "f32le"; empty: not stated */
	gt_stated said;
	double slope, offset;           /* NAN: not stated */
	gt_provenance from;
} gt_plain_head;

/* Finds header and data if path is either of them; returns 0 if it is neither. The caller frees both. */
int       gt_plain_find (const char *path, char **head, char **data);
/* The other file of the pair; NULL: path is neither. The caller frees it. */
char     *gt_plain_other(const char *path);
/* Errors name a key that is missing, malformed or contradictory. Always clear h. */
gt_status gt_plain_read_head(const char *path, gt_plain_head *h);
void      gt_plain_clear(gt_plain_head *h);
/* GT_ERR_IO if another file has the header's name. head: path of the header. */
gt_status gt_plain_may_write(const char *path, char **head);
/* Text of a JSON for samples of `type` after `header` bytes, shape z, y, x. The caller frees it. NULL: out of
 * memory. */
typedef struct { const char *type; size_t header; double slope, offset; int hu; } gt_plain_numbers;
char     *gt_plain_print(const char *path, const gt_write_options *o, const gt_volume *v, const gt_plain_numbers *n);
#endif
