#ifndef GT_IO_DICOM_DICOM_SERIES_READ_H
#define GT_IO_DICOM_DICOM_SERIES_READ_H
/* The heads of a folder of CT images; private to io/dicom/. */
#include "io/dicom/dicom_series.h"
#include "io/write_kit/voxel_order.h"

typedef struct {
	char *file;
	double place[3], along; /* left, back, head; along the normal of the slices */
	double slope, intercept;
} gt_series_slice;

typedef struct {
	const char *path;
	char **file;
	size_t files, others; /* DICOM files; files that are none */
	gt_series_slice *slice;
	/* Of the first file, and so of all. */
	char series[GT_DICOM_UID], lies[32], *comment;
	double axes[6], pixel[2], thickness;
	size_t rows, columns;
	int is_signed, stored;
} gt_series;

/* The DICOM files of the folder s->path. Clear it in any case. */
gt_status gt_series_list(gt_series *s);
void      gt_series_clear(gt_series *s);
/* All heads: slices in the order of their places, of one series. GT_ERR_FORMAT names the file that differs. */
gt_status gt_series_read_heads(gt_series *s);
/* Where the voxels go; the steps between slices must be even. */
gt_status gt_series_place(const gt_series *s, gt_position position, gt_place *p);
#endif
