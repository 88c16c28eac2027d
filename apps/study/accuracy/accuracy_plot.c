/* The figures of the study of accuracy: scripts for gnuplot over its CSV files and arrays. */
#include <math.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/cli/gnuplot.h"
#include "apps/study/accuracy/accuracy.h"

/* Times ------------------------------------------------------------------------ */

static gt_status draw_bars(study *s, const char *name, const char *unit, const char *title, int forward, int back)
{
	FILE *out = NULL;
	const gt_status st = study_plot_begin(s, name, 720, 500, &out);
	if (st != GT_OK)
		return st;
	fprintf(out,
	        "set label '%s' at graph 0,1.06\nset tmargin 3\nset style data histogram\nset style histogram clustered gap 1\n"
	        "set style fill solid 0.85 noborder\n" STUDY_LOGARITHMIC "set ylabel '%s'\nset grid noxtics ytics\n"
	        "set xtics rotate by -45 scale 0\nset key at graph 1,1.09 right horizontal\nset rmargin 8\n"
	        "plot '%s.csv' using %d:xtic(1) title 'forward' lc 2, '' using %d title 'back' lc 3\n",
	        title, unit, name, forward, back);
	return study_plot_end(s, name, out);
}

/* Times of all that sweep; the line of the copies, where there is one, is the last column. */
static void plot_times(const study *s, const char *csv, int key, FILE *out)
{
	int column = 2;
	if (key)
		fputs("set key at screen 0.995,0.95 right top Left reverse spacing 1.3\n", out);
	else
		fputs("unset key\n", out);
	fputs("plot ", out);
	for (size_t i = 0; i < accuracy_of(s)->variants; i++)
		if (accuracy_of(s)->variant[i].sweeps) {
			fprintf(out, "%s'%s.csv' using 1:%d with linespoints lt %d title ", column > 2 ? ", \\\n     " : "", csv, column,
			        column - 1);
			app_gnuplot_quote(out, "%s", accuracy_of(s)->variant[i].label);
			column++;
		}
	if (s->gpu[0])
		fprintf(out, ", \\\n     '%s.csv' using 1:%d with lines lc rgb '#888888' dt 2 title 'copies to the GPU'", csv, column);
	fputc('\n', out);
}

/* How many times faster than the first, which is the reference on the CPU. */
static void plot_speedups(const study *s, const char *csv, FILE *out)
{
	int column = 2;
	fputs("unset key\nplot ", out);
	for (size_t i = 0; i < accuracy_of(s)->variants; i++)
		if (accuracy_of(s)->variant[i].sweeps) {
			fprintf(out, "%s'%s.csv' using 1:(column(2)/column(%d)) with linespoints lt %d", column > 2 ? ", \\\n     " : "",
			        csv, column, column - 1);
			column++;
		}
	fputc('\n', out);
}

/* An axis with the sizes as tics, but for those that stand too near to the one before or to the last. */
static void size_axis(const study_table *t, int logarithmic, FILE *out)
{
	const size_t rows = study_rows(t);
	const double first = rows ? t->cell[0].number : 1, last = rows ? t->cell[(rows - 1) * t->columns].number : 1;
	double before = -INFINITY;
	const double margin = 0.03 * (logarithmic ? log(last / first) : last - first);
	fprintf(out, "%sset xrange [%g:%g]\nset xtics (", logarithmic ? "set logscale x\n" : "",
	        logarithmic ? first * exp(-margin) : first - margin, logarithmic ? last * exp(margin) : last + margin);
	for (size_t i = 0; i < rows; i++) {
		const double x = t->cell[i * t->columns].number;
		const double along = logarithmic ? log(x / first) / log(last / first) : (x - first) / (last - first);
		if (i + 1 < rows && (along - before < 0.08 || along > 0.92))
			continue;
		fprintf(out, "%s%g", isinf(before) ? "" : ", ", x);
		before = along;
	}
	fputs(")\n", out);
}

/* The label of the first that sweeps: what the others are compared with. */
static const char *first_label(const study *s)
{
	for (size_t i = 0; i < accuracy_of(s)->variants; i++)
		if (accuracy_of(s)->variant[i].sweeps)
			return accuracy_of(s)->variant[i].label;
	return "";
}

static gt_status draw_sweep(study *s, const char *name, const char *xlabel, int forward, int speedups)
{
	const char *csv[2] = { study_table_name(s, forward), study_table_name(s, forward + 1) };
	FILE *out = NULL;
	const gt_status st = study_plot_begin(s, name, 1280, speedups ? 860 : 470, &out);
	if (st != GT_OK)
		return st;
	fprintf(out,
	        "set multiplot layout %d,2 margins 0.07,0.80,%g,%g spacing 0.08,0.13\nset xlabel '%s'\n" STUDY_LOGARITHMIC
	        "set ylabel 'time [s]'\n",
	        speedups ? 2 : 1, speedups ? 0.08 : 0.14, speedups ? 0.95 : 0.92, xlabel);
	size_axis(&s->table[forward], forward != STUDY_FEW_FORWARD, out);
	for (int d = 0; d < 2; d++) {
		fprintf(out, "set title '%s: time of the kernels'\n", d ? "back" : "forward");
		plot_times(s, csv[d], d, out);
	}
	fputs("set ylabel ", out);
	app_gnuplot_quote(out, "times as fast as %s", first_label(s));
	fputc('\n', out);
	for (int d = 0; d < 2 && speedups; d++) {
		fprintf(out, "set title '%s: speed-up'\n", d ? "back" : "forward");
		plot_speedups(s, csv[d], out);
	}
	fputs("unset multiplot\n", out);
	return study_plot_end(s, name, out);
}

static gt_status draw_times(study *s)
{
	const int speedups = s->gpu[0] != 0;
	gt_status st = GT_OK;
	GT_TRY(draw_bars(s, "times", "time [s]", "whole scan: time of the kernels", 4, 9));
	GT_TRY(draw_bars(s, "gups", "GUPS [2^30/s]", "cube: updates of voxels", 2, 3));
	GT_TRY(draw_sweep(s, "views", "views", STUDY_VIEWS_FORWARD, speedups));
	GT_TRY(draw_sweep(s, "size", "voxels along x and along y", STUDY_SIZE_FORWARD, speedups));
	GT_TRY(draw_sweep(s, "slices", "rows and slices", STUDY_SLICES_FORWARD, speedups));
	GT_TRY(draw_sweep(s, "few-slices", "rows and slices", STUDY_FEW_FORWARD, 0));
done:
	return st;
}

/* Ones forward: fig. 12 ------------------------------------------------------------ */

static size_t judged(const study *s)
{
	size_t n = 0;
	for (size_t i = 0; i < accuracy_of(s)->variants; i++)
		n += accuracy_of(s)->variant[i].accuracy != 0;
	return n;
}

/* Panels one below the other, in pixels from the top. */
enum { PROFILE = 330, STRIP = 122, STRIPS_WIDTH = 1200 };

static void profiles(const study *s, const char *name, size_t view, double height, FILE *out)
{
	const double angle = s->scan->view[view].angle * 57.29577951308232;
	char at[48] = "";
	int column = 3;
	if (!isnan(angle))
		snprintf(at, sizeof at, " at %.4g degrees", angle);
	study_plot_panel(out, 80, 880, 40, PROFILE - 70, STRIPS_WIDTH, height);
	fprintf(out,
	        "set key at screen 0.995,%.4f right top Left reverse samplen 2\nset title 'view %zu%s: row in the middle'\n"
	        "set xlabel 'column'\nset ylabel 'mm'\nset xrange [-0.5:%g]\n"
	        "plot '%s.csv' using 1:2 with lines lc rgb '#bbbbbb' lw 7 title ",
	        1 - 30 / height, view, at, (double)s->scan->columns - 0.5, name);
	app_gnuplot_quote(out, "%s in double", accuracy_of(s)->reference->name);
	for (size_t i = 0; i < accuracy_of(s)->variants; i++)
		if (accuracy_of(s)->variant[i].accuracy) {
			fprintf(out, ", \\\n     '' using 1:%d with lines lt %d lw 1 title ", column, column - 2);
			app_gnuplot_quote(out, "%s", accuracy_of(s)->variant[i].label);
			column++;
		}
	fprintf(out,
	        "\nunset xlabel\nset ylabel 'row'\nunset grid\nset border 15\nset datafile nocolumnheaders\nset xtics format ''\n"
	        "set ytics (0, %zu)\nset yrange [-0.5:%g]\nunset key\n",
	        s->scan->rows - 1, (double)s->scan->rows - 0.5);
}

static const char *difference(const study_variant *v, int picture)
{
	return v->window[picture] > 0 ? "difference from" : "no difference from";
}

/* The reference where v is NULL. */
static void strip(const study *s, const study_variant *v, const char *at, int picture, FILE *out)
{
	if (!v) {
		fputs("set palette gray maxcolors 0\nset cbtics font ',8'\nset title ", out);
		app_gnuplot_quote(out, "%s in double [mm]", accuracy_of(s)->reference->name);
	} else {
		study_plot_colours(out, v->window[picture]);
		fputs("set title ", out);
		app_gnuplot_quote(out, "%s: %s %s in double%s", v->label, difference(v, picture), study_model(v),
		                  v->window[picture] > 0 ? ", as a share of the largest" : "");
	}
	fprintf(out, "\nplot '" STUDY_ARRAYS "forward-%s-%s.f32' binary ", at, v ? v->key : "reference");
	if (s->scan->rows > 1)
		fprintf(out, "array=(%zu,%zu) format='%%float' with image notitle\n", s->scan->columns, s->scan->rows);
	else /* gnuplot draws no image of one row; neighbours overlap a little, or seams would show */
		fprintf(out,
		        "record=(%zu) format='%%float' using 0:(0):(0.55):(0.5):1 with boxxyerror fc palette fs solid noborder notitle\n",
		        s->scan->columns);
}

static gt_status draw_view(study *s, const char *name, const char *at, int picture, size_t view)
{
	const size_t strips = judged(s) + 1;
	const double height = (double)(PROFILE + strips * STRIP + 50);
	FILE *out = NULL;
	const gt_status st = study_plot_begin(s, name, STRIPS_WIDTH, (int)height, &out);
	if (st != GT_OK)
		return st;
	fputs("set multiplot\n", out);
	profiles(s, name, view, height, out);
	for (size_t i = 0, done = 0; i <= accuracy_of(s)->variants; i++) {
		if (i && !accuracy_of(s)->variant[i - 1].accuracy)
			continue;
		const double top = (double)(PROFILE + done * STRIP);
		study_plot_panel(out, 80, 1040, top + 26, top + STRIP - 14, STRIPS_WIDTH, height);
		if (++done == strips)
			fputs("set xtics format '%g'\nset xlabel 'column'\n", out);
		strip(s, i ? &accuracy_of(s)->variant[i - 1] : NULL, at, picture, out);
	}
	fputs("unset multiplot\n", out);
	return study_plot_end(s, name, out);
}

static gt_status draw_forward(study *s)
{
	gt_status st = GT_OK;
	GT_TRY(draw_view(s, "forward-0", "0", STUDY_AT_0, accuracy_of(s)->shown[0]));
	if (s->table[STUDY_FORWARD_45].columns)
		GT_TRY(draw_view(s, "forward-45", "45", STUDY_AT_45, accuracy_of(s)->shown[1]));
done:
	return st;
}

/* Ones back: figs. 13, 14 -------------------------------------------------------------- */

enum { PANEL = 340, PAIRS_WIDTH = 4 * PANEL + 40 };
enum { CONTOUR_POINTS = 192 }; /* along an axis: gnuplot takes minutes for many more where they are rough */

/* Contours and a picture, side by side: of the reference (v NULL) its values, of the others their differences. */
static void pair(const study *s, const study_variant *v, const char *from, int picture, size_t at, double height, FILE *out)
{
	const size_t *n = s->grid.n;
	const double left = (double)(at % 2 * 2 * PANEL) + 20, top = (double)(at / 2 * PANEL) + 40, size = PANEL - 60;
	const char *key = v ? v->key : "reference";
	const size_t max = n[0] > n[1] ? n[0] : n[1], every = (max + CONTOUR_POINTS - 1) / CONTOUR_POINTS;
	study_plot_panel(out, left, left + size, top, top + size, PAIRS_WIDTH, height);
	fputs("set title ", out);
	app_gnuplot_quote(out, "%s%s", v ? v->label : accuracy_of(s)->reference->name, v ? "" : " in double");
	fprintf(out,
	        "\nset view map\nunset surface\n"
	        "splot '" STUDY_ARRAYS
	        "back-%s-%s.f32' binary array=(%zu,%zu) format='%%float' every %zu:%zu with lines lc rgb '#0060ad' lw 1 notitle\n",
	        from, key, n[0], n[1], every, every);
	study_plot_panel(out, left + PANEL - 40, left + PANEL - 40 + size, top, top + size, PAIRS_WIDTH, height);
	if (v)
		study_plot_colours(out, v->window[picture]);
	else
		fputs("set palette gray maxcolors 0\nset cbrange [*:*]\nset cbtics auto format '%g'\n", out);
	fputs("set title ", out);
	app_gnuplot_quote(out, "%s%s%s", v ? difference(v, picture) : "mm", v ? " " : "", v ? study_model(v) : "");
	fprintf(out, "\nplot '" STUDY_ARRAYS "back-%s-%s%s.f32' binary array=(%zu,%zu) format='%%float' with image notitle\n", from,
	        v ? "difference-" : "", key, n[0], n[1]);
}

static gt_status draw_slice(study *s, const char *name, const char *from, int picture)
{
	const gt_grid *g = &s->grid;
	const double height = (double)((judged(s) + 2) / 2 * PANEL + 10);
	FILE *out = NULL;
	const gt_status st = study_plot_begin(s, name, PAIRS_WIDTH, (int)height, &out);
	if (st != GT_OK)
		return st;
	fprintf(out,
	        "set datafile nocolumnheaders\nset multiplot\nset size ratio %g\nset xrange [-0.5:%g]\nset yrange [-0.5:%g]\nunset grid\n"
	        "set border 15\nset contour base\nset cntrparam levels auto 24\nset cntrlabel onecolor\nunset key\nset tics format ''\n"
	        "unset xtics\nunset ytics\nset cbtics\n",
	        (double)g->n[1] * g->pitch[1] / ((double)g->n[0] * g->pitch[0]), (double)g->n[0] - 0.5, (double)g->n[1] - 0.5);
	for (size_t i = 0, done = 0; i <= accuracy_of(s)->variants; i++)
		if (!i || accuracy_of(s)->variant[i - 1].accuracy)
			pair(s, i ? &accuracy_of(s)->variant[i - 1] : NULL, from, picture, done++, height, out);
	fputs("unset multiplot\n", out);
	return study_plot_end(s, name, out);
}

static gt_status draw_back(study *s)
{
	gt_status st = GT_OK;
	GT_TRY(draw_slice(s, "back-one", "one", STUDY_FROM_ONE));
	GT_TRY(draw_slice(s, "back-all", "all", STUDY_FROM_ALL));
done:
	return st;
}

/* The bar: fig. 15 ----------------------------------------------------------------------- */

static void bar_panel(const study_table *t, const char *csv, int first, int key, FILE *out)
{
	fputs(key ? "set key at screen 0.995,0.95 right top Left reverse spacing 1.3\n" : "unset key\n", out);
	fputs("plot ", out);
	if (first == 3)
		fprintf(out, "'%s.csv' using 1:2 with histeps lc rgb '#bbbbbb' lw 5 title 'exact mean of the pixel', \\\n     ", csv);
	for (size_t c = (size_t)first; c <= t->columns; c++) {
		const char *head = t->head[c - 1];
		fprintf(out, "%s'%s.csv' using 1:%zu with linespoints lt %zu lw 1.2 title ", c > (size_t)first ? ", \\\n     " : "", csv, c,
		        c - (size_t)first + 1);
		app_gnuplot_quote(out, "%.*s", (int)(strcspn(head, "[") - 1), head);
	}
	fputc('\n', out);
}

static gt_status draw_bar(study *s)
{
	FILE *out = NULL;
	gt_status st = GT_OK;
	GT_TRY(study_plot_begin(s, "bar", 1360, 820, &out));
	fprintf(out, "set multiplot layout 2,3 margins 0.085,0.80,0.08,0.95 spacing 0.07,0.13\nset xlabel 'place on the detector [mm]'\n"
	             "set xrange [-22:22]\nset offsets 0, 0, graph 0.04, graph 0.04\n");
	for (int k = 0; k < 2; k++)
		for (int a = 0; a < 3; a++) {
			const int table = (k ? STUDY_BAR_DIFFERENCES : STUDY_BAR) + a;
			fprintf(out, "set title '%g degrees'\nset ylabel '%s'\n", study_bar_angle[a],
			        a   ? ""
			        : k ? "difference [% of the largest]"
			            : "mm");
			fprintf(out, "set yrange [%s]\n", k ? "*:*" : "0:*");
			bar_panel(&s->table[table], study_table_name(s, table), k ? 2 : 3, !k && a == 2, out);
		}
	fputs("unset multiplot\n", out);
	st = study_plot_end(s, "bar", out);
done:
	return st;
}

gt_status study_accuracy_figures(study *s)
{
	gt_status st = GT_OK;
	GT_TRY(draw_times(s));
	GT_TRY(draw_forward(s));
	GT_TRY(draw_back(s));
	GT_TRY(draw_bar(s));
done:
	return st;
}
