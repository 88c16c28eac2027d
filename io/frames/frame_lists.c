/* Completes the options for images, and lists their files. */
#include <math.h>
#include <string.h>
#include <strings.h>
#include "io/frames/frame_lists.h"
#include "io/frames/hnd_file.h"

const gt_frames_options gt_frames_defaults = { .size = sizeof(gt_frames_options) };

gt_status gt_frames_complete(const char *path, const gt_frames_options *given, gt_frames_options *full)
{
	*full = gt_frames_defaults;
	if (!given)
		return GT_OK;
	if (given->size < sizeof given->size || given->size > sizeof *full)
		return gt_fail(GT_ERR_ARG, "%s: options of size=%zu: expected sizeof(gt_frames_options), which is at most %zu", path,
		               given->size, sizeof *full);
	memcpy(full, given, given->size);
	full->size = sizeof *full;
	if ((full->source_to_axis != 0 || full->source_to_detector != 0) &&
	    !(full->source_to_axis > 0 && full->source_to_detector > full->source_to_axis && isfinite(full->source_to_detector)))
		return gt_fail(GT_ERR_ARG,
		               "%s: source to axis %g mm, source to detector %g mm: expected both, the second larger than the first", path,
		               full->source_to_axis, full->source_to_detector);
	if (!(full->white >= 0 && isfinite(full->white)))
		return gt_fail(GT_ERR_ARG, "%s: white=%g: expected blank-scan counts above 0", path, full->white);
	return GT_OK;
}

int gt_is_raw_name(const char *path)
{
	const size_t n = strlen(path);
	return n > 4 && !strcasecmp(path + n - 4, ".raw");
}

/* Opens files of one kind, which the first file determines. */
gt_status gt_image_list_source(const char *raw, gt_file_list *files, gt_frame_source **s)
{
	const char *first = files->n ? files->path[0] : "";
	if (gt_is_raw_name(first) && !raw)
		return gt_fail(
			GT_ERR_ARG,
			"%s: its data have no header: expected --raw TYPE:COLUMNSxROWS, as u16le:1024x768, or a JSON with type and shape",
			first);
	if (gt_is_raw_name(first))
		return gt_raw_source(files, raw, s);
	if (gt_is_hnd(first) || gt_is_his(first) || gt_is_xim(first))
		return gt_linac_source(files, s);
	return gt_is_edf(first) ? gt_edf_source(files, s) : gt_tiff_source(files, s);
}
