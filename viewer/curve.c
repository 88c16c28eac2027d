/* A curve as SVG: axes, round ticks, one line. */
#include <math.h>
#include <gantry/image.h>
#include "viewer/html.h"
#include "viewer/page.h"

/* Lengths in units of the drawing. */
enum { WIDTH = 720, HEIGHT = 300, LEFT = 86, RIGHT = 16, TOP = 14, BOTTOM = 46 };

struct axis {
	double low, high;
	int log;
};

static struct axis axis_of(const double *v, const double *with, size_t n, int log)
{
	struct axis a = { INFINITY, -INFINITY, log };
	for (size_t i = 0; i < n && a.log; i++)
		if (isfinite(v[i]) && !(v[i] > 0))
			a.log = 0;
	for (size_t i = 0; i < n; i++)
		if (isfinite(v[i]) && isfinite(with[i])) {
			a.low = fmin(a.low, v[i]);
			a.high = fmax(a.high, v[i]);
		}
	if (!(a.low <= a.high))
		a = (struct axis){ 0, 1, 0 };
	if (a.low == a.high) {
		const double around = fmax(fabs(a.low) * 0.1, 1e-12);
		a = (struct axis){ a.low - around, a.high + around, 0 };
	}
	return a;
}

/* 0 to 1 along the axis. */
static double along(const struct axis *a, double v)
{
	return a->log ? log(v / a->low) / log(a->high / a->low) : (v - a->low) / (a->high - a->low);
}

/* The next of 1, 2 and 5 times powers of ten that is not below x. */
static double nice_above(double x)
{
	const double power = pow(10, floor(log10(x))), m = x / power;
	return (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10) * power;
}

static void put_tick(FILE *f, const struct axis *a, int vertical, double v)
{
	const double at = along(a, v), x = LEFT + at * (WIDTH - LEFT - RIGHT), y = HEIGHT - BOTTOM - at * (HEIGHT - TOP - BOTTOM);
	if (at < -1e-9 || at > 1 + 1e-9)
		return;
	if (vertical)
		fprintf(f,
		        "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
		        "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n",
		        LEFT, WIDTH - RIGHT, y, y, LEFT - 8, y + 4, v);
	else
		fprintf(f,
		        "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
		        "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>\n",
		        x, x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 18, v);
}

static void put_ticks(FILE *f, const struct axis *a, int vertical)
{
	if (a->log && a->high / a->low > 20) {
		for (double v = pow(10, floor(log10(a->low))); v <= a->high * (1 + 1e-9); v *= 10)
			put_tick(f, a, vertical, v);
		return;
	}
	const double step = nice_above((a->high - a->low) / 6), first = ceil(a->low / step - 1e-9);
	for (int i = 0; i < 8; i++)
		put_tick(f, a, vertical, fabs(first + i) < 0.5 ? 0 : (first + i) * step);
}

void gt_page_put_curve(FILE *f, const gt_page_part *part)
{
	const struct axis x = axis_of(part->x, part->y, part->points, 0), y = axis_of(part->y, part->x, part->points, part->log_y);
	int drawn = 0;
	fprintf(f, "<svg class=\"curve\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
	gt_html_text(f, part->y_label);
	fputs(" over ", f);
	gt_html_text(f, part->x_label);
	fprintf(f, ", %zu points from %.4g to %.4g\">\n", part->points, y.low, y.high);
	put_ticks(f, &x, 0);
	put_ticks(f, &y, 1);
	fputs("<path class=\"line\" d=\"", f);
	for (size_t i = 0; i < part->points; i++)
		if (isfinite(part->x[i]) && isfinite(part->y[i]))
			fprintf(f, "%s%.2f %.2f", drawn++ ? "L" : "M", LEFT + along(&x, part->x[i]) * (WIDTH - LEFT - RIGHT),
			        HEIGHT - BOTTOM - along(&y, part->y[i]) * (HEIGHT - TOP - BOTTOM));
	fprintf(f, "\"/>\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8);
	gt_html_text(f, part->x_label);
	fprintf(f, "</text>\n<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">", (TOP + HEIGHT - BOTTOM) / 2);
	gt_html_text(f, part->y_label);
	fputs(y.log ? " (logarithmic)</text>\n</svg>\n" : "</text>\n</svg>\n", f);
}
