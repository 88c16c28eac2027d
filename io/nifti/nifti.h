#ifndef GT_IO_NIFTI_NIFTI_H
#define GT_IO_NIFTI_NIFTI_H
/* Headers and bytes of NIfTI files (.nii, .nii.gz; one file) through the NIfTI reference library; private to io/. In
 * builds without the library, opening and creating files is GT_ERR_UNSUPPORTED. */
#include <gantry/io.h>
#include "io/write_kit/number_types.h"

#define GT_NIFTI1_MOST 32767            /* largest number of voxels along an axis in NIfTI-1; larger files are
                                         * NIfTI-2 */
typedef struct gt_nifti gt_nifti;
typedef struct {
	int version;                    /* 1 or 2 */
	size_t n[3];
	const gt_number_type *type;
	int swap;                       /* byte order differs from this machine's */
	double slope, offset;           /* NAN: none */
	int compressed;
	double to_patient[12];        /* 3 rows of 4: voxel -> mm to the patient's right, front and head */
	const char *remark;             /* note on the orientation; NULL: none */
	int oriented;                   /* 1: the file states an orientation */
	char *comment;                  /* text of the comment extension; owned, may be NULL */
	char about[80];
} gt_nifti_head;

int       gt_nifti_is(const char *path);
/* Opens the file at its first voxel. Always clear the header. GT_ERR_FORMAT: damaged (names the field).
 * GT_ERR_UNSUPPORTED: several volumes, complex numbers, colours, or separate header and data files. */
gt_status gt_nifti_open(const char *path, gt_nifti_head *h, gt_nifti **f);
gt_status gt_nifti_get(gt_nifti *f, void *bytes, size_t n);
/* Seeks to offset `at` after the first voxel; in a compressed file this decompresses everything before it, if necessary
 * again. */
gt_status gt_nifti_seek(gt_nifti *f, size_t at);
/* After the last voxel: checks that a compressed file is complete. */
gt_status gt_nifti_end(gt_nifti *f);
void      gt_nifti_clear(gt_nifti_head *h);
/* Creates the file tmp (path in messages) and writes the header. level of compression: 1 to 9; 0: none. */
gt_status gt_nifti_new(const char *path, const char *tmp, int level, const gt_nifti_head *h, gt_nifti **f);
gt_status gt_nifti_put(gt_nifti *f, const void *bytes, size_t n);
/* NULL is allowed. After writing: GT_ERR_IO if a write failed. After reading: GT_ERR_FORMAT if a compressed file is
 * truncated. */
gt_status gt_nifti_close(gt_nifti *f);
/* Unpacked bytes of a gzip file of one member and `size` bytes, modulo 2^32, of which zeros may pad the end; INFINITY:
 * unknown. */
#define GT_NIFTI_MAX_STATED 4294967295.0
double    gt_nifti_stated_length(const char *path, size_t size);
void      gt_nifti_drop(gt_nifti *f);           /* closes after a failure; the error message stays */
#endif
