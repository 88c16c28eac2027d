#ifndef GT_IO_PLAIN_PLAIN_HEAD_H
#define GT_IO_PLAIN_PLAIN_HEAD_H
/* Volumes as bare numbers or as an array of NumPy, and the JSON beside them that says where voxels are and what numbers
 * mean; private to io/. */
#include "io/write_kit/volume_units.h"

/* Keys of the JSON, docs/files.md. Lists are z, y, x. */
#define GT_PLAIN_MARK "spacing_mm"

typedef struct {
	char *head, *data;              /* names of the two files */
	gt_grid grid;
	char raw[96];                   /* the numbers, as gt_raw_source() takes it; empty: not said (NumPy says it) */
	char type[16];                  /* "f32le"; empty: not said */
	gt_said said;
	double slope, offset;           /* NAN: not said */
	gt_provenance from;
} gt_plain_head;

/* The names of head and data where path is either of them; 0: it is neither. Free both. */
int       gt_plain_find (const char *path, char **head, char **data);
/* The one of them that path is not, to be freed; NULL: it is neither. */
char     *gt_plain_other(const char *path);
/* Refuses, naming the key: what is missing, malformed or contradicts itself. Clear it in any case. */
gt_status gt_plain_read_head(const char *path, gt_plain_head *h);
void      gt_plain_clear(gt_plain_head *h);
/* GT_ERR_IO where something is there that is not the head of those data. head: where it is written. */
gt_status gt_plain_may_write(const char *path, char **head);
/* numbers: "f32le", shape z, y, x, header in bytes. The text of a JSON, to be freed; NULL: out of memory. */
typedef struct { const char *type; size_t header; double slope, offset; int hu; } gt_plain_numbers;
char     *gt_plain_print(const char *path, const gt_write_options *o, const gt_volume *v, const gt_plain_numbers *n);
#endif
