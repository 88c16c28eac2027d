#ifndef GT_IO_DICOM_DICOM_SERIES_READ_H
#define GT_IO_DICOM_DICOM_SERIES_READ_H
/* Headers of a folder of CT images; private to io/dicom/. */
#include "io/dicom/dicom_series.h"
#include "io/write_kit/voxel_order.h"

typedef struct {
	char *file;
	double place[3], along; /* place: left, back, head in mm; along: the same point along the slice normal, mm */
	double slope, intercept;
} gt_series_slice;

typedef struct {
	const char *path;
	char **file;
	size_t files, others; /* DICOM files, and other files */
	size_t unscaled;      /* files without slope or intercept */
	gt_series_slice *slice;
	/* values of the first file; all files must agree */
	char series[GT_DICOM_UID], lies[32], *comment;
	double axes[6], pixel[2], thickness;
	size_t rows, columns;
	int is_signed, stored;
} gt_series;

/* Lists the DICOM files of the folder s->path. Always clear it. */
gt_status gt_series_list(gt_series *s);
void      gt_series_clear(gt_series *s);
/* Reads all headers and sorts the slices of one series by position. GT_ERR_FORMAT names the file that differs. */
gt_status gt_series_read_heads(gt_series *s);
/* Maps file samples to voxels; GT_ERR_FORMAT unless the slice spacing is uniform. */
gt_status gt_series_place(const gt_series *s, gt_position position, gt_place *p);
#endif
