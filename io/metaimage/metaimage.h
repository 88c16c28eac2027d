#ifndef GT_IO_METAIMAGE_METAIMAGE_H
#define GT_IO_METAIMAGE_METAIMAGE_H
/* The text head of MetaImage files; private to io/. */
#include <stdio.h>
#include "io/write_kit/number_types.h"
#include "io/write_kit/volume_units.h"

typedef struct {
	gt_grid grid;
	int flip[3];                    /* axes along which the file runs downwards */
	const gt_number_type *type;
	int swap;
	char *data_file;                /* with folder; NULL: in the same file */
	long long data_at;              /* offset; -1: the last bytes of the file */
	gt_said said;
	gt_provenance from;
} gt_metaimage_head;

int       gt_metaimage_is(const char *path);
/* Refuses, naming the key: what is missing, malformed or cannot be read here. Clear it in any case. Of projections the place in space
 * is not looked at. */
gt_status gt_metaimage_read_head(const char *path, int projections, gt_metaimage_head *h);
void      gt_metaimage_clear(gt_metaimage_head *h);
/* +1 or -1: the frame of the format has x to the patient's left and y to his back. */
int       gt_metaimage_sign(const gt_volume *v, int axis);

extern const gt_slice_source gt_metaimage_slices;
gt_status gt_metaimage_open_views (const char *path, const gt_read_options *o, const size_t size[3], gt_view_reader **v);

/* The data of a head path.mhd. Commits tmp as stem.raw, or as stem-1.raw, stem-2.raw ... where that name is a file's or is named by a head of the
 * folder. Frees tmp in any case; *name: which it was. */
gt_status gt_metaimage_commit_data(char *tmp, const char *path, char **name);
/* Removes what an old head of that name named (NULL: nothing), if we wrote it and no head of the folder names it now. */
void      gt_metaimage_drop_data  (const char *path, const char *old);
char     *gt_metaimage_data_name  (const char *path, int number);
/* Does a head in its folder name that file, whether it is there or not? -1: the folder may be written but not read. */
int       gt_metaimage_is_named   (const char *data);
#endif
