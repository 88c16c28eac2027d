/* The format "dicom-series": volumes as folders of DICOM CT images. */
#include "io/dicom/dicom_series.h"
#include "io/table.h"

#define TAG(name, group, element, vr, text) { group, element, vr, text },
const gt_dicom_tag gt_series_tag[GT_SERIES_NTAGS] = { GT_SERIES_TAGS(TAG) };

const gt_format gt_format_dicom_series = {
	.name = "dicom-series",
	.about = "DICOM CT images",
	.extensions = "",
	.folders = 1,
	.probe = gt_series_is,
	.ready = gt_dicom_ready,
	.write_volume = gt_series_write,
	.create_slices = gt_series_create,
	.slices = &gt_series_slices,
	.surveyed = 1,
};
