#ifndef GT_IO_METAIMAGE_METAIMAGE_H
#define GT_IO_METAIMAGE_METAIMAGE_H
/* Text header of MetaImage files; private to io/. */
#include <stdio.h>
#include "io/write_kit/number_types.h"
#include "io/write_kit/volume_units.h"

typedef struct {
	gt_grid grid;
	int flip[3];                    /* axes that are reversed in the file */
	const gt_number_type *type;
	int swap;
	char *data_file;                /* with folder; NULL: same file as the header */
	long long data_at;              /* offset in bytes; -1: the data are the last bytes of the file */
	gt_stated said;
	gt_provenance from;
} gt_metaimage_head;

int       gt_metaimage_is(const char *path);
/* Reads and checks the header. Errors name a missing, malformed or unsupported key. Always clear h. For projections the
 * position in space is ignored. */
gt_status gt_metaimage_read_head(const char *path, int projections, gt_metaimage_head *h);
void      gt_metaimage_clear(gt_metaimage_head *h);
/* +1 or -1: the format's x axis points to the patient's left, its y axis to the back. */
int       gt_metaimage_sign(const gt_volume *v, int axis);

extern const gt_slice_source gt_metaimage_slices;
gt_status gt_metaimage_open_views (const char *path, const gt_read_options *o, const size_t size[3], gt_view_reader **v);

/* Commits tmp as the data of the header path.mhd: stem.raw, or stem-1.raw, stem-2.raw ... if that name exists or a
 * header in the folder names it. Frees tmp; *name: the chosen name. */
gt_status gt_metaimage_commit_data(char *tmp, const char *path, char **name);
/* Removes the data file of a replaced header (NULL: none), if Gantry wrote it and no header in the folder names it
 * now. */
void      gt_metaimage_drop_data  (const char *path, const char *old);
char     *gt_metaimage_data_name  (const char *path, int number);
/* 1: a header in its folder names the data file, which need not exist. -1: the folder is writable but not readable. */
int       gt_metaimage_is_named   (const char *data);
#endif
