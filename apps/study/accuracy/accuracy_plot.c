/* The figures of the study of accuracy. */
#include "apps/study/accuracy/accuracy.h"

/* Times ------------------------------------------------------------------------ */

static void draw_bars(study *s, const char *name, const char *unit, const char *title, int forward, int back)
{
	study_plot p = study_plot_new(s, 720, 500, "%s", name);
	study_put(&p,
	          "set label '%s' at graph 0,1.06\nset tmargin 3\nset style data histogram\nset style histogram clustered gap 1\n"
	          "set style fill solid 0.85 noborder\n" STUDY_LOGARITHMIC "set ylabel '%s'\nset grid noxtics ytics\n"
	          "set xtics rotate by -45 scale 0\nset key at graph 1,1.09 right horizontal\nset rmargin 8\n"
	          "plot '%s.csv' using %d:xtic(1) title 'forward' lc 2, '' using %d title 'back' lc 3\n",
	          title, unit, name, forward, back);
	study_plot_draw(&p);
}

/* Plots the times of all variants of the sweeps; the copies, if measured, are the last column. */
static void plot_times(study_plot *p, const char *csv, unsigned with, int key)
{
	int column = 2;
	study_put(p, key ? "set key at screen 0.995,0.95 right top Left reverse spacing 1.3\n" : "unset key\n");
	for (const study_variant *v = NULL; (v = study_next(p->s, v, with)); column++)
		study_series(p, "'%s.csv' using 1:%d with linespoints lt %d title %s", csv, column, column - 1, QUOTE("%s", v->label));
	if (p->s->gpu[0])
		study_series(p, "'%s.csv' using 1:%d with lines lc rgb '#888888' dt 2 title 'copies to the GPU'", csv, column);
	study_series_end(p);
}

/* Plots speed-ups over the first variant, which is the reference on the CPU. */
static void plot_speedups(study_plot *p, const char *csv)
{
	int column = 2;
	study_put(p, "unset key\n");
	for (const study_variant *v = NULL; (v = study_next(p->s, v, IN_SWEEPS)); column++)
		study_series(p, "'%s.csv' using 1:(column(2)/column(%d)) with linespoints lt %d", csv, column, column - 1);
	study_series_end(p);
}

/* Writes an axis with the sizes as tics, without those too close to the one before or to the last. */
static void size_axis(study_plot *p, const study_table *t, int logarithmic)
{
	const size_t rows = study_rows(t);
	const double first = rows ? study_at(t, 0, 0) : 1, last = rows ? study_at(t, rows - 1, 0) : 1;
	const double margin = 0.03 * (logarithmic ? log(last / first) : last - first);
	double before = -INFINITY;
	study_put(p, "%sset xrange [%g:%g]\nset xtics (", logarithmic ? "set logscale x\n" : "",
	          logarithmic ? first * exp(-margin) : first - margin, logarithmic ? last * exp(margin) : last + margin);
	for (size_t i = 0; i < rows; i++) {
		const double x = study_at(t, i, 0), along = logarithmic ? log(x / first) / log(last / first) : (x - first) / (last - first);
		if (i + 1 < rows && (along - before < 0.08 || along > 0.92))
			continue;
		study_put(p, "%s%g", isinf(before) ? "" : ", ", x);
		before = along;
	}
	study_put(p, ")\n");
}

static void draw_sweep(study *s, const char *name, const char *xlabel, int forward, int speedups)
{
	const char *csv[2] = { study_table_name(s, (size_t)forward), study_table_name(s, (size_t)forward + 1) };
	const study_variant *first = study_next(s, NULL, IN_SWEEPS);
	if (!study_rows(&s->table[forward])) /* left out */
		return;
	study_plot p = study_plot_new(s, 1280, speedups ? 860 : 470, "%s", name);
	study_multiplot(&p, speedups ? "layout 2,2 margins 0.07,0.80,0.08,0.95 spacing 0.08,0.13"
	                             : "layout 1,2 margins 0.07,0.80,0.14,0.92 spacing 0.08,0.13");
	study_put(&p, "set xlabel '%s'\n" STUDY_LOGARITHMIC "set ylabel 'time [s]'\n", xlabel);
	size_axis(&p, &s->table[forward], forward != STUDY_FEW_FORWARD);
	for (int d = 0; d < 2; d++) {
		study_put(&p, "set title '%s: time of the kernels'\n", d ? "back" : "forward");
		plot_times(&p, csv[d], forward == STUDY_FEW_FORWARD ? IN_FEW : IN_SWEEPS, d);
	}
	study_put(&p, "set ylabel %s\n", QUOTE("times as fast as %s", first ? first->label : ""));
	for (int d = 0; d < 2 && speedups; d++) {
		study_put(&p, "set title '%s: speed-up'\n", d ? "back" : "forward");
		plot_speedups(&p, csv[d]);
	}
	study_plot_draw(&p);
}

/* Ones forward: fig. 12 ------------------------------------------------------------ */

/* Panels from top to bottom, in pixels. */
enum { PROFILE = 330, STRIP = 122, STRIPS_WIDTH = 1200 };

static void profiles(study_plot *p, size_t view)
{
	const gt_scan *scan = p->s->scan;
	const double angle = scan->view[view].angle * 57.29577951308232;
	int column = 3;
	study_panel(p, 80, 880, 40, PROFILE - 70);
	study_put(p,
	          "set key at screen 0.995,%.4f right top Left reverse samplen 2\nset title 'view %zu%s: central row'\n"
	          "set xlabel 'column'\nset ylabel 'line integral [mm]'\nset xrange [-0.5:%g]\n",
	          1 - 30 / p->height, view, isnan(angle) ? "" : FORMAT(" at %.4g degrees", angle), (double)scan->columns - 0.5);
	study_series(p, "'%s.csv' using 1:2 with lines lc rgb '#bbbbbb' lw 7 title %s", p->name,
	             QUOTE("%s in double", accuracy_of(p->s)->reference->name));
	for (const study_variant *v = NULL; (v = study_next(p->s, v, IN_ACCURACY)); column++)
		study_series(p, "'' using 1:%d with lines lt %d lw 1 title %s", column, column - 2, QUOTE("%s", v->label));
	study_series_end(p);
	study_put(p,
	          "unset xlabel\nset ylabel 'row'\nunset grid\nset border 15\nset datafile nocolumnheaders\nset xtics format ''\n"
	          "set ytics (0, %zu)\nset yrange [-0.5:%g]\nunset key\n",
	          scan->rows - 1, (double)scan->rows - 0.5);
}

static const char *difference(const study_variant *v, int picture)
{
	return v->window[picture] > 0 ? "difference from" : "no difference from";
}

/* Draws the reference (v NULL), or the difference of a variant. */
static void strip(study_plot *p, const study_variant *v, const char *at, int picture)
{
	const gt_scan *scan = p->s->scan;
	if (v)
		study_colours(p, v->window[picture]);
	else
		study_put(p, "set palette gray maxcolors 0\nset cbtics font ',8'\n");
	study_put(p, "set title %s\nplot '" STUDY_ARRAYS "forward-%s-%s.f32' binary ",
	          v ? QUOTE("%s: %s %s in double%s", v->label, difference(v, picture), study_model(v),
	                    v->window[picture] > 0 ? ", over the largest value" : "")
	            : QUOTE("%s in double [mm]", accuracy_of(p->s)->reference->name),
	          at, v ? v->key : "reference");
	if (scan->rows > 1)
		study_put(p, "array=(%zu,%zu) format='%%float' with image notitle\n", scan->columns, scan->rows);
	else /* gnuplot draws no image of one row; boxes overlap a little, or seams would show */
		study_put(p,
		          "record=(%zu) format='%%float' using 0:(0):(0.55):(0.5):1 with boxxyerror fc palette fs solid noborder notitle\n",
		          scan->columns);
}

static void draw_view(study *s, const char *at, int picture, size_t view)
{
	const size_t strips = study_count(s, IN_ACCURACY) + 1;
	const study_variant *v = NULL; /* the reference comes first */
	study_plot p = study_plot_new(s, STRIPS_WIDTH, (double)(PROFILE + strips * STRIP + 50), "forward-%s", at);
	study_multiplot(&p, "");
	profiles(&p, view);
	for (size_t i = 0; i < strips; i++, v = study_next(s, v, IN_ACCURACY)) {
		const double top = (double)(PROFILE + i * STRIP);
		study_panel(&p, 80, 1040, top + 26, top + STRIP - 14);
		if (i + 1 == strips)
			study_put(&p, "set xtics format '%%g'\nset xlabel 'column'\n");
		strip(&p, v, at, picture);
	}
	study_plot_draw(&p);
}

/* Ones back: figs. 13, 14 -------------------------------------------------------------- */

enum { PANEL = 340, PAIRS_WIDTH = 4 * PANEL + 40 };
enum { CONTOUR_POINTS = 192 }; /* along an axis: rough contours of more points take gnuplot minutes */

/* Draws contours next to a picture: values of the reference (v NULL), differences of a variant. */
static void pair(study_plot *p, const study_variant *v, const char *from, int picture, size_t at)
{
	const size_t *n = p->s->grid.n, max = n[0] > n[1] ? n[0] : n[1], every = (max + CONTOUR_POINTS - 1) / CONTOUR_POINTS;
	const double left = (double)(at % 2 * 2 * PANEL) + 20, top = (double)(at / 2 * PANEL) + 40, size = PANEL - 60;
	const char *key = v ? v->key : "reference";
	study_panel(p, left, left + size, top, top + size);
	study_put(p,
	          "set title %s\nset view map\nunset surface\n"
	          "splot '" STUDY_ARRAYS
	          "back-%s-%s.f32' binary array=(%zu,%zu) format='%%float' every %zu:%zu with lines lc rgb '#0060ad' lw 1 notitle\n",
	          v ? QUOTE("%s", v->label) : QUOTE("%s in double", accuracy_of(p->s)->reference->name), from, key, n[0], n[1], every,
	          every);
	study_panel(p, left + PANEL - 40, left + PANEL - 40 + size, top, top + size);
	if (v)
		study_colours(p, v->window[picture]);
	else
		study_put(p, "set palette gray maxcolors 0\nset cbrange [*:*]\nset cbtics auto format '%%g'\n");
	study_image(p, n, FORMAT("back-%s-%s%s", from, v ? "difference-" : "", key),
	            v ? QUOTE("%s %s", difference(v, picture), study_model(v)) : "'value [mm]'");
}

static void draw_slice(study *s, const char *from, int picture)
{
	const gt_grid *g = &s->grid;
	size_t done = 0;
	study_plot p = study_plot_new(s, PAIRS_WIDTH, (double)((study_count(s, IN_ACCURACY) + 2) / 2 * PANEL + 10), "back-%s", from);
	study_multiplot(&p, "");
	study_put(&p,
	          "set datafile nocolumnheaders\nset size ratio %g\nset xrange [-0.5:%g]\nset yrange [-0.5:%g]\nunset grid\n"
	          "set border 15\nset contour base\nset cntrparam levels auto 24\nset cntrlabel onecolor\nunset key\nset tics format ''\n"
	          "unset xtics\nunset ytics\nset cbtics\n",
	          (double)g->n[1] * g->pitch[1] / ((double)g->n[0] * g->pitch[0]), (double)g->n[0] - 0.5, (double)g->n[1] - 0.5);
	pair(&p, NULL, from, picture, done++);
	for (const study_variant *v = NULL; (v = study_next(s, v, IN_ACCURACY));)
		pair(&p, v, from, picture, done++);
	study_plot_draw(&p);
}

/* The bar: fig. 15 ----------------------------------------------------------------------- */

static void draw_bar(study *s)
{
	study_plot p = study_plot_new(s, 1360, 820, "bar");
	study_multiplot(&p, "layout 2,3 margins 0.085,0.80,0.08,0.95 spacing 0.07,0.13");
	study_put(&p, "set xlabel 'position on the detector [mm]'\n"
	              "set xrange [-22:22]\nset offsets 0, 0, graph 0.04, graph 0.04\n");
	for (int i = 0; i < 6; i++) {
		const int k = i / 3, a = i % 3, table = (k ? STUDY_BAR_DIFFERENCES : STUDY_BAR) + a;
		const char *ylabel = a   ? ""
		                     : k ? "difference [% of the largest]"
		                         : "line integral [mm]",
			   *csv = study_table_name(s, (size_t)table);
		const study_table *t = &s->table[table];
		study_put(&p, "set title '%g degrees'\nset ylabel '%s'\nset yrange [%s]\n%s", study_bar_angle[a], ylabel, k ? "*:*" : "0:*",
		          i == 2 ? "set key at screen 0.995,0.95 right top Left reverse spacing 1.3\n" : "unset key\n");
		if (!k)
			study_series(&p, "'%s.csv' using 1:2 with histeps lc rgb '#bbbbbb' lw 5 title 'exact mean of the pixel'", csv);
		for (size_t first = k ? 2 : 3, c = first; c <= t->columns; c++)
			study_series(&p, "'%s.csv' using 1:%zu with linespoints lt %zu lw 1.2 title %s", csv, c, c - first + 1,
			             QUOTE("%.*s", (int)(strcspn(t->head[c - 1], "[") - 1), t->head[c - 1]));
		study_series_end(&p);
	}
	study_plot_draw(&p);
}

/* Interpolation: fig. 11 ------------------------------------------------------------------ */

static void draw_interpolation(study *s)
{
	const study_table *t = &s->table[STUDY_INTERPOLATION];
	study_plot p = study_plot_new(s, 1200, 420, "interpolation");
	study_multiplot(&p, "layout 1,2 margins 0.085,0.76,0.14,0.96 spacing 0.10,0.13");
	study_put(&p, "set xlabel 'position between two texels'\nset xrange [0:*] noextend\n");
	for (int error = 0; error < 2; error++) {
		study_put(&p, "set ylabel '%s'\n%s", error ? "difference from exact" : "interpolated value",
		          error ? "set key at screen 0.995,0.95 right top Left reverse spacing 1.3\n" : "unset key\n");
		for (size_t c = 2; c <= t->columns; c++)
			study_series(&p, "'interpolation.csv' using 1:(column(%zu)%s) with lines lt %zu title %s", c,
			             error ? "-column(2)" : "", c - 1, QUOTE("%s", t->head[c - 1]));
		study_series_end(&p);
	}
	study_plot_draw(&p);
}

void study_accuracy_figures(study *s)
{
	const int speedups = s->gpu[0] != 0;
	const size_t *shown = accuracy_of(s)->shown;
	if (study_rows(&s->table[STUDY_TIMES]))
		draw_bars(s, "times", "time [s]", "whole scan: time of the kernels", 4, 9);
	if (study_rows(&s->table[STUDY_GUPS]))
		draw_bars(s, "gups", "GUPS [2^30/s]", "cube: updates of voxels", 2, 3);
	draw_sweep(s, "views", "views", STUDY_VIEWS_FORWARD, speedups);
	draw_sweep(s, "size", "voxels along x and along y", STUDY_SIZE_FORWARD, speedups);
	draw_sweep(s, "slices", "rows and slices", STUDY_SLICES_FORWARD, speedups);
	draw_sweep(s, "few-slices", "rows and slices", STUDY_FEW_FORWARD, 0);
	if (study_rows(&s->table[STUDY_FORWARD_0]))
		draw_view(s, "0", STUDY_AT_0, shown[0]);
	if (study_rows(&s->table[STUDY_FORWARD_45]))
		draw_view(s, "45", STUDY_AT_45, shown[1]);
	if (study_rows(&s->table[STUDY_BACK_ERRORS])) {
		draw_slice(s, "one", STUDY_FROM_ONE);
		draw_slice(s, "all", STUDY_FROM_ALL);
	}
	if (study_rows(&s->table[STUDY_BAR_ERRORS]))
		draw_bar(s);
	if (study_rows(&s->table[STUDY_INTERPOLATION]))
		draw_interpolation(s);
}
