/* Describes the verdict on a scan, and the command that corrects it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <gantry/consistency.h>
#include "analytic/consistency/conjugate.h"
#include "core/text.h"
#include "geometry/scan.h"

static const struct {
	const char *name, *fault;
} faults[] = {
	{ "columns", "columns are flipped" },
	{ "turn", "the rotation direction is reversed" },
	{ "rows", "rows are flipped" },
	{ "center", "the column of the central ray is wrong" },
};
enum { FAULTS = 4, CENTER = 3 };

/* A text that is truncated to its buffer. */
typedef struct {
	char *at;
	size_t size;
} room;

__attribute__((format(printf, 2, 3))) static void append(room *r, const char *format, ...)
{
	const size_t n = strlen(r->at);
	va_list list;
	va_start(list, format);
	vsnprintf(r->at + n, r->size - n, format, list);
	va_end(list);
}

static int has(unsigned what, int fault) { return (what >> fault & 1) != 0; }

/* Reversed columns are counted from the other end after the correction. */
double gt_conjugate_center(const gt_scan *s, unsigned what, double stored)
{
	return what & GT_CONJUGATE_COLUMNS ? (double)s->columns - 1 - stored : stored;
}

const char *gt_conjugate_fault_name(int fault) { return fault >= 0 && fault < FAULTS ? faults[fault].name : NULL; }

static void append_faults(room *r, unsigned what)
{
	const char *before = "";
	for (int i = 0; i < FAULTS; i++)
		if (has(what, i)) {
			append(r, "%s%s", before, faults[i].fault);
			before = ", and ";
		}
}

static void append_center(room *r, const gt_scan *s, const gt_conjugate_report *c)
{
	const double center = gt_conjugate_center(s, c->faults, c->center), other = (double)s->columns - 1 - s->column_center;
	const int sign = fabs(center - other) < fmax(0.1, 5 * c->error);
	append(r, ": %.2f +- %.2g, not %.6g%s", center, fmax(0.01, c->error), s->column_center,
	       sign ? " (its offset has the wrong sign)" : "");
}

void gt_conjugate_verdict(const gt_scan *s, const gt_conjugate_report *c, char *text, size_t size)
{
	const double ratio = c->item[c->best].rms / c->item[c->best].expected;
	room r = { text, size };
	text[0] = 0;
	append_faults(&r, c->faults);
	if (c->faults & GT_CONJUGATE_CENTER)
		append_center(&r, s, c);
	if (c->instead) {
		append(&r, "; or else ");
		append_faults(&r, c->instead & ~(unsigned)GT_CONJUGATE_CENTER);
		append(&r, ", which gives the mirror image");
	}
	if (!c->faults && c->explained)
		append(&r, "conjugate rays agree");
	if (c->explained)
		return;
	append(&r, "%sdifferences of %.1f times the expectation from noise and interpolation", c->faults ? "; after that remain " : "",
	       ratio);
	if (!c->faults)
		append(&r,
		       ", and neither columns, rows, rotation direction nor centre explains them: check distances, angles, the order of "
		       "images, heights, motion or the projections themselves");
}

void gt_conjugate_remedy(const char *file, const gt_scan *s, const gt_conjugate_report *c, unsigned what, char *text, size_t size)
{
	const char *before = " --flip ";
	char word[GT_CONJUGATE_TEXT / 2];
	room r = { text, size };
	text[0] = 0;
	append(&r, "gantry import %s -o fixed.nc", gt_shell_word(file, word, sizeof word));
	for (int i = 0; i < CENTER; i++)
		if (has(what, i)) {
			append(&r, "%s%s", before, faults[i].name);
			before = ",";
		}
	if (what & GT_CONJUGATE_CENTER) {
		gt_axis_seen axis;
		gt_scan_see_axis(s, &axis);
		const double beside = axis.column - s->column_center; /* NAN: a view does not see the axis */
		append(&r, " --axis %.2f",
		       gt_conjugate_center(s, what, c->center) + (isnan(beside)                 ? 0
		                                                  : what & GT_CONJUGATE_COLUMNS ? -beside
		                                                                                : beside));
	}
}
