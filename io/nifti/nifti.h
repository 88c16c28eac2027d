#ifndef GT_IO_NIFTI_NIFTI_H
#define GT_IO_NIFTI_NIFTI_H
/* Heads and bytes of NIfTI files (.nii, .nii.gz; one file) by the NIfTI reference library; private to io/. Where that was not there
 * when this was built, opening and making files is GT_ERR_UNSUPPORTED and says so. */
#include <gantry/io.h>
#include "io/write_kit/number_types.h"

#define GT_NIFTI1_MOST 32767            /* voxels along an axis; more make the file NIfTI-2 */
typedef struct gt_nifti gt_nifti;
typedef struct {
	int version;                    /* 1 or 2 */
	size_t n[3];
	const gt_number_type *type;
	int swap;                       /* the bytes of an element are in the other order */
	double slope, offset;           /* NAN: none */
	int compressed;
	double to_patient[12];        /* rows of 4: voxel -> mm to the right, front and head */
	const char *remark;             /* on the orientation; NULL: none */
	int oriented;                   /* 1: the file names an orientation */
	char *comment;                  /* of the extension for comments; owned, may be NULL */
	char about[80];
} gt_nifti_head;

int       gt_nifti_is(const char *path);
/* The file stands at its first voxel then. Clear the head in any case. GT_ERR_FORMAT: damaged, names the field; GT_ERR_UNSUPPORTED:
 * several volumes, complex numbers, colours, head and data in two files. */
gt_status gt_nifti_open(const char *path, gt_nifti_head *h, gt_nifti **f);
gt_status gt_nifti_get(gt_nifti *f, void *bytes, size_t n);
/* So many bytes behind the first voxel's begin. Of what is compressed all before it is unpacked, again if need be. */
gt_status gt_nifti_seek(gt_nifti *f, size_t at);
/* Behind the last voxel: what is compressed must be whole. */
gt_status gt_nifti_end(gt_nifti *f);
void      gt_nifti_clear(gt_nifti_head *h);
/* Writes the head to the file tmp (messages name path) as it says; level of compression 1 to 9, 0: none. */
gt_status gt_nifti_new(const char *path, const char *tmp, int level, const gt_nifti_head *h, gt_nifti **f);
gt_status gt_nifti_put(gt_nifti *f, const void *bytes, size_t n);
/* NULL is fine. After writing GT_ERR_IO if not everything went out; after reading GT_ERR_FORMAT if a compressed file ended too early. */
gt_status gt_nifti_close(gt_nifti *f);
void      gt_nifti_drop(gt_nifti *f);           /* closes after a failure, whose message stays */
#endif
