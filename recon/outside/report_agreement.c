/* Warns of an iterative result whose soft parts disagree with the direct method, and names a remedy. */
#include <math.h>
#include "core/log.h"
#include "recon/job.h"

/* The likely cause and its remedy. Measured on wrong axes, metal and truncation: docs/measurements.md. */
static const char *remedy(const gt_recon_job *j)
{
	gt_object_box box;
	size_t below = 0, above = 0;
	const int is_bounded = gt_object_box_find(j->p, GT_ROUGH_AIR, &box);
	if (!gt_outside_is_active(&j->chosen.outside) && is_bounded && (box.is_truncated || gt_outside_ends_inside(&box, &j->chosen.grid)))
		return "the grid ends inside the object; use --outside auto, or a --grid that holds the object";
	if (is_bounded && box.is_truncated)
		return "the detector is narrower than the object; extend the data (gantry prepare --extend auto) or use --preset fast";
	if (j->chosen.margin == GT_Z_MARGIN_NO)
		gt_z_margin(j->p, &j->chosen.grid, &below, &above);
	if (below + above)
		return "the object extends beyond the first or last slice; use --padding auto";
	return "the data contradict the model; check the axis (gantry calibrate) and metal (gantry prepare --metal auto), or use "
	       "--preset fast";
}

void gt_recon_report_agreement(const gt_recon_job *j, const gt_recon_found *f)
{
	const gt_agreement *a = &f->agreement;
	if (j->on.log.say && gt_agreement_fails(a))
		gt_notify(&j->on.log, GT_WARNING, GT_ABOUT_DATA,
		          "soft parts: mean %.4g mm-1, %.4g mm-1 by %s, %+.3g %% of it, and noise explains %.2g %%: %s",
		          a->direct + a->difference, a->direct, f->start, 100 * a->difference / fabs(a->direct),
		          100 * a->noise / fabs(a->direct), remedy(j));
}
