/* Sorts the views of a DICOM-CT-PD scan by their tags, not by file names, and reports missing, duplicate and displaced
 * views. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/order_statistics.h"
#include "core/try.h"
#include "io/dicom/dicom_ct_pd.h"
#include "io/write_kit/volume_units.h"

/* Largest deviation of a view's angle from the expected angle, as a fraction of the step. */
#define OUT_OF_STEP 0.5
/* A table that moves less than this fraction of a row is at rest. */
#define STANDS_STILL 0.01
/* Largest deviation of the table from the expected position, in rows for each step. */
#define OUT_OF_PLACE 1
/* Largest shift of a flying focal spot, as a fraction of the focal centre's radius: real shifts are about 0.01. */
#define FLIES 0.1

static double key(const gt_ctpd_view *v) { return !isnan(v->number) ? v->number : isnan(v->time) ? 0 : v->time; }

static int by_key(const void *a, const void *b)
{
	const gt_ctpd_view *v = a, *w = b;
	const double x = key(v), y = key(w);
	if (x != y)
		return x < y ? -1 : 1;
	if (v->file != w->file)
		return v->file < w->file ? -1 : 1;
	return v->frame < w->frame ? -1 : v->frame > w->frame;
}

static gt_status sort_views(gt_ctpd_set *s)
{
	size_t numbers = 0, times = 0, without = 0;
	for (size_t v = 0; v < s->views; v++) {
		numbers += !isnan(s->view[v].number);
		times += !isnan(s->view[v].time);
		without = isnan(s->view[v].number) ? v : without;
	}
	/* Frames of one file are sorted already. */
	if (numbers < s->views && times < s->views && s->view[0].file != s->view[s->views - 1].file)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: neither (0020,0013) Instance Number nor (7033,1067) time stamp: expected one of them to order the "
		               "views",
		               s->file[s->view[without].file].path);
	for (size_t v = 0; numbers < s->views && v < s->views; v++) {
		s->view[v].number = NAN;
		if (times < s->views)
			s->view[v].time = NAN;
	}
	qsort(s->view, s->views, sizeof *s->view, by_key);
	for (size_t v = 1; v < s->views; v++) {
		const gt_ctpd_view *a = &s->view[v - 1], *b = &s->view[v];
		if (a->file != b->file && key(a) == key(b))
			return gt_fail(GT_ERR_FORMAT, "%s and %s: both have %s %.9g: expected each view once", s->file[a->file].path,
			               s->file[b->file].path, isnan(a->number) ? "time stamp" : "Instance Number", key(a));
	}
	return GT_OK;
}

enum { STEP_ANGLE, STEP_NUMBER, STEP_Z };

/* Median of the differences of adjacent views. */
static double usual_step(const gt_ctpd_set *s, int which, double *scratch)
{
	for (size_t v = 1; v < s->views; v++) {
		const gt_ctpd_view *a = &s->view[v - 1], *b = &s->view[v];
		scratch[v - 1] = which == STEP_ANGLE    ? remainder(b->angle - a->angle, 2 * GT_PI)
		                 : which == STEP_NUMBER ? b->number - a->number
		                                        : b->z - a->z;
	}
	return gt_upper_median(scratch, s->views - 1);
}

/* Number of steps from view v - 1 to view v, from the view numbers if there are any. 0: no number fits the angle. */
static double steps_between(const gt_ctpd_set *s, size_t v, double step, double number_step)
{
	const gt_ctpd_view *a = &s->view[v - 1], *b = &s->view[v];
	const double turned = remainder(b->angle - a->angle, 2 * GT_PI);
	double n = round(turned / step);
	if (number_step > 0)
		n = fmax(1, round((b->number - a->number) / number_step));
	return n >= 1 && fabs(remainder(turned - n * step, 2 * GT_PI)) <= OUT_OF_STEP * fabs(step) ? n : 0;
}

/* The table may make n steps, or fewer at the start and the end of its motion. */
static gt_status check_table_step(const gt_ctpd_set *s, size_t v, double n, double z_step)
{
	const gt_ctpd_view *a = &s->view[v - 1], *b = &s->view[v];
	const double moved = b->z - a->z;
	if (fabs(moved - n * z_step) <= OUT_OF_PLACE * n * s->head.number[PD_AXIAL])
		return GT_OK;
	return gt_fail(GT_ERR_FORMAT,
	               "%s: (7031,1002) focal centre axial position jumps: %.6g mm from that of %s, the view before it; expected steps of "
	               "%.6g mm",
	               s->file[b->file].path, moved, s->file[a->file].path, z_step);
}

/* Unwraps the angles, and notes gaps. */
static gt_status follow_views(gt_ctpd_set *s, double step, double number_step, double z_step)
{
	size_t gaps = 0, missing = 0, first = 0;
	for (size_t v = 1; v < s->views; v++) {
		const gt_ctpd_view *before = &s->view[v - 1];
		gt_ctpd_view *w = &s->view[v];
		const double n = steps_between(s, v, step, number_step);
		if (n == 0)
			return gt_fail(
				GT_ERR_FORMAT,
				"%s: (7031,1001) focal centre angular position jumps: %.6g deg after that of %s, the view before it; "
				"expected steps of %.6g deg",
				s->file[w->file].path, remainder(w->angle - before->angle, 2 * GT_PI) * GT_DEGREES,
				s->file[before->file].path, step * GT_DEGREES);
		const gt_status st = check_table_step(s, v, n, z_step);
		if (st != GT_OK)
			return st;
		w->angle += 2 * GT_PI * round((before->angle + n * step - w->angle) / (2 * GT_PI));
		first = n > 1 && !gaps ? v : first;
		gaps += n > 1;
		missing += (size_t)n - 1;
	}
	if (gaps)
		gt_read_note(s->o, "missing views: %zu, in gaps: %zu, the first between view %zu (%s) and view %zu (%s)", missing, gaps,
		             first - 1, s->file[s->view[first - 1].file].path, first, s->file[s->view[first].file].path);
	return GT_OK;
}

static gt_status check_table(const gt_ctpd_set *s)
{
	const char *type = s->head.text[PD_TYPE];
	const double row = s->head.number[PD_AXIAL];
	double low = s->view[0].z, high = low;
	for (size_t v = 1; v < s->views; v++) {
		low = fmin(low, s->view[v].z);
		high = fmax(high, s->view[v].z);
	}
	if (!strcmp(type, "HELICAL") && s->views == 1)
		return gt_fail(
			GT_ERR_FORMAT,
			"%s: holds one view of a scan whose (7037,1009) projection data type is HELICAL: expected the folder of all views",
			s->path);
	if (!strcmp(type, "HELICAL") && high - low < STANDS_STILL * row)
		return gt_fail(
			GT_ERR_FORMAT,
			"%s: (7037,1009) projection data type is HELICAL, but the table does not move: (7031,1002) focal centre axial "
			"position is %.6g mm in all views",
			s->path, low);
	if (!strcmp(type, "AXIAL") && high - low > row)
		return gt_fail(
			GT_ERR_FORMAT,
			"%s: (7037,1009) projection data type is AXIAL, but the table moves: (7031,1002) focal centre axial position goes "
			"from %.6g to %.6g mm",
			s->path, low, high);
	return GT_OK;
}

static gt_status check_spots(const gt_ctpd_set *s)
{
	const double radius = s->head.number[PD_RADIUS], max = FLIES * radius;
	for (size_t v = 0; v < s->views; v++) {
		const double *shift = s->view[v].shift, mm[] = { shift[0] * radius, shift[1], shift[2] };
		for (int a = 0; a < 3; a++)
			if (fabs(mm[a]) > max)
				return gt_fail(
					GT_ERR_FORMAT,
					"%s: (7033,100B), (7033,100D), (7033,100C) source shifts are %.6g rad, %.6g mm, %.6g mm: expected "
					"at most a tenth of the radius, %.6g mm",
					s->file[s->view[v].file].path, shift[0], shift[1], shift[2], max);
	}
	return GT_OK;
}

gt_status gt_ctpd_order(gt_ctpd_set *s)
{
	gt_status st = GT_OK;
	double *scratch = malloc(s->views * sizeof *scratch);
	if (!scratch)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory for %zu views", s->path, s->views);
	GT_TRY(sort_views(s));
	GT_TRY(check_table(s));
	GT_TRY(check_spots(s));
	if (s->views > 1) {
		const double step = usual_step(s, STEP_ANGLE, scratch), steps = s->head.number[PD_STEPS];
		const double number_step = isnan(s->view[0].number) ? NAN : usual_step(s, STEP_NUMBER, scratch);
		if (fabs(step) < 1e-9)
			GT_TRY(gt_fail(GT_ERR_FORMAT,
			               "%s: (7031,1001) focal centre angular position is %.9g in all views: the gantry does not turn",
			               s->path, s->view[0].angle));
		GT_TRY(follow_views(s, step, number_step, usual_step(s, STEP_Z, scratch)));
		if (fabs(2 * GT_PI / fabs(step) - steps) > 0.01 * steps)
			gt_read_note(s->o, "(7033,1013) states %g views per rotation, the angles give %.6g", steps, 2 * GT_PI / fabs(step));
	}
done:
	free(scratch);
	return st;
}
