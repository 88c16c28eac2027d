#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "apps/cli/progress.h"

enum { BAR = 24 };
static const double redraw = 0.1, line_every = 5; /* s */

double app_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

app_progress app_progress_start(const char *what, int quiet)
{
	const double now = app_seconds();
	return (app_progress){ .what = what,
		               .quiet = quiet,
		               .terminal = isatty(STDERR_FILENO),
		               .started = now,
		               .shown = now,
		               .data_norm = NAN,
		               .water = NAN };
}

/* Extrapolates the rate since p started, from the fraction `before` to `done`. */
static double time_left(const app_progress *p, double before, double done)
{
	return done > before ? (app_seconds() - p->started) * (1 - done) / (done - before) : 0;
}

static void draw_bar(const app_progress *p, double done, double left, const char *text)
{
	char bar[BAR + 1];
	for (int i = 0; i < BAR; i++)
		bar[i] = i < done * BAR ? '#' : '.';
	bar[BAR] = 0;
	fprintf(stderr, "\r\033[K%s [%s] %s  left %.0f:%02.0f", p->what, bar, text, floor(left / 60), floor(fmod(left, 60)));
	fflush(stderr);
}

static int is_due(app_progress *p)
{
	const double now = app_seconds();
	if (p->quiet || now - p->shown < (p->terminal ? redraw : line_every))
		return 0;
	p->shown = now;
	return 1;
}

void app_progress_text(app_progress *p, double done, const char *more)
{
	if (!is_due(p))
		return;
	char text[160];
	snprintf(text, sizeof text, "%3.0f %%%s%s", 100 * done, *more ? "  " : "", more);
	if (p->terminal)
		draw_bar(p, done, time_left(p, 0, done), text);
	else {
		fprintf(stderr, "%s %s\n", p->what, text);
		p->lines = done < 1;
	}
}

int app_progress_fraction(void *self, double done)
{
	app_progress_text(self, done, "");
	return 0;
}

/* Formats "  0.78 s", followed by ", about 4 s left" if left > 0. */
static void print_time(double gone, double left, char *text, size_t size)
{
	const double unit = left < 100 ? 1 : left < 6000 ? 60 : 3600;
	const char *name = left < 100 ? "s" : left < 6000 ? "min" : "h";
	const int n = snprintf(text, size, "  %.2f s", gone);
	if (left > 0)
		snprintf(text + n, size - (size_t)n, ", about %.*f %s left", unit == 3600, fmax(1, left) / unit, name);
}

void app_progress_partial(app_progress *p, int iteration, int iterations, double fraction, double left)
{
	char text[256], part[32] = "preparing", time[64];
	if (!is_due(p))
		return;
	if (!*p->now)
		snprintf(p->now, sizeof p->now, "%d/%d", iteration, iterations);
	if (!isnan(fraction))
		snprintf(part, sizeof part, "iteration %d: %.0f %%", iteration + 1, floor(100 * fraction));
	print_time(app_seconds() - p->started, isnan(left) ? 0 : left, time, sizeof time);
	snprintf(text, sizeof text, "%s  %s", p->now, part);
	if (p->terminal)
		draw_bar(p, (iteration + (isnan(fraction) ? 0 : fraction)) / iterations, isnan(left) ? 0 : left, text);
	else
		fprintf(stderr, "%s %d/%d  %s%s\n", p->what, iteration, iterations, part, time);
}

void app_progress_iteration(app_progress *p, const gt_progress *g)
{
	char time[64], *const text = p->now;
	const size_t size = sizeof p->now;
	int n = snprintf(text, size, "%d/%d", g->iteration, g->iterations);
	const double all = fmax(1, g->iterations), left = time_left(p, p->resumed / all, g->iteration / all);
	if (p->quiet)
		return;
	if (!isnan(g->cost))
		n += snprintf(text + n, size - (size_t)n, "  cost %.6g", g->cost);
	if (!isnan(g->residual))
		n += snprintf(text + n, size - (size_t)n, "  residual %.4g", g->residual / p->data_norm);
	if (!isnan(g->change) && isnan(p->water))
		n += snprintf(text + n, size - (size_t)n, "  change %.3g mm-1", g->change);
	else if (!isnan(g->change))
		n += snprintf(text + n, size - (size_t)n, "  change %.3g HU", 1000 * g->change / p->water);
	print_time(app_seconds() - p->started, left, time, sizeof time);
	p->shown = app_seconds();
	if (p->terminal)
		draw_bar(p, g->iteration / all, left, text);
	else
		fprintf(stderr, "%s %s%s\n", p->what, text, time);
}

void app_progress_end(app_progress *p)
{
	if (!p->quiet && p->terminal)
		fputs("\r\033[K", stderr);
	if (p->lines)
		fprintf(stderr, "%s ended after %.0f s\n", p->what, app_seconds() - p->started);
	p->lines = 0;
}
