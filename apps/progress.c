#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "apps/progress.h"

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

static void draw_bar(const app_progress *p, double done, const char *text)
{
	char bar[BAR + 1];
	for (int i = 0; i < BAR; i++)
		bar[i] = i < done * BAR ? '#' : '.';
	bar[BAR] = 0;
	const double gone = app_seconds() - p->started, left = done > 0 ? gone * (1 - done) / done : 0;
	fprintf(stderr, "\r\033[K%s [%s] %s  left %.0f:%02.0f", p->what, bar, text, floor(left / 60), floor(fmod(left, 60)));
	fflush(stderr);
}

void app_progress_text(app_progress *p, double done, const char *more)
{
	const double now = app_seconds();
	if (p->quiet || now - p->shown < (p->terminal ? redraw : line_every))
		return;
	p->shown = now;
	char text[160];
	snprintf(text, sizeof text, "%3.0f %%%s%s", 100 * done, *more ? "  " : "", more);
	if (p->terminal)
		draw_bar(p, done, text);
	else
		fprintf(stderr, "%s %s\n", p->what, text);
}

int app_progress_fraction(void *self, double done)
{
	app_progress_text(self, done, "");
	return 0;
}

void app_progress_iteration(app_progress *p, const gt_progress *g)
{
	char text[160];
	int n = snprintf(text, sizeof text, "%d/%d", g->iteration, g->iterations);
	if (p->quiet)
		return;
	if (!isnan(g->cost))
		n += snprintf(text + n, sizeof text - (size_t)n, "  cost %.6g", g->cost);
	if (!isnan(g->residual))
		n += snprintf(text + n, sizeof text - (size_t)n, "  residual %.4g", g->residual / p->data_norm);
	if (!isnan(g->change))
		n += snprintf(text + n, sizeof text - (size_t)n, "  change %.3g HU", 1000 * g->change / p->water);
	if (p->terminal)
		draw_bar(p, g->iterations > 0 ? (double)g->iteration / g->iterations : 0, text);
	else
		fprintf(stderr, "%s %s  %.2f s\n", p->what, text, app_seconds() - p->started);
}

void app_progress_end(app_progress *p)
{
	if (!p->quiet && p->terminal)
		fputs("\r\033[K", stderr);
}
