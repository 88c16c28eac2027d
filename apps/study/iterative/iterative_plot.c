/* The figures of `gantry study iterative`. */
#include <math.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/cli/gnuplot.h"
#include "apps/study/iterative/iterative.h"
#include "apps/study/iterative/methods/methods.h"

/* Columns of pictures, each with three planes and its scale below, in pixels. */
enum { COLUMN = 350, PICTURE = 310, LEFT = 20, TOP = 36, GAP = 26, SCALE = 58, PROFILES = 335 };

typedef struct {
	char name[64]; /* of the files */
	const char *title;
	double low, high;
	int difference;
} picture;

static double strip(const gt_grid *g, int axis) { return PICTURE * (double)g->n[2] * g->pitch[2] / ((double)g->n[axis] * g->pitch[axis]); }

static double transverse(const gt_grid *g) { return PICTURE * (double)g->n[1] * g->pitch[1] / ((double)g->n[0] * g->pitch[0]); }

static double pictures_height(const gt_grid *g) { return TOP + transverse(g) + strip(g, 0) + strip(g, 1) + 2 * GAP + SCALE; }

static void scale(const picture *p, double left, double bottom, double width, double height, FILE *out)
{
	if (p->difference)
		study_plot_colours(out, p->high);
	else
		fprintf(out, "set palette gray maxcolors 0\nset cbrange [%g:%g]\n", p->low, p->high);
	fprintf(out,
	        "set colorbox horizontal user origin screen %.4f,%.4f size screen %.4f,%.4f\n"
	        "set cbtics font ',11' ('%.3g' %g, '%s' %g, '%.3g' %g)\n",
	        (left + 40) / width, 1 - (bottom + 22) / height, (PICTURE - 80) / width, 10 / height, p->difference ? -p->high : p->low,
	        p->difference ? -p->high : p->low, p->difference ? "HU" : "water = 1", p->difference ? 0 : (p->low + p->high) / 2, p->high,
	        p->high);
}

static void column(const picture *p, size_t at, const gt_grid *g, double width, double height, FILE *out)
{
	static const char *const planes[] = { "transverse", "coronal", "sagittal" };
	const double left = LEFT + (double)at * COLUMN, heights[] = { transverse(g), strip(g, 0), strip(g, 1) };
	const size_t n[3][2] = { { g->n[0], g->n[1] }, { g->n[0], g->n[2] }, { g->n[1], g->n[2] } };
	double top = TOP;
	for (int k = 0; k < 3; k++) {
		study_plot_panel(out, left, left + PICTURE, top, top + heights[k], width, height);
		if (k)
			fputs("unset colorbox\n", out);
		else
			scale(p, left, pictures_height(g) - SCALE, width, height, out);
		fputs("set title ", out);
		app_gnuplot_quote(out, "%s", k ? planes[k] : p->title);
		fprintf(out, " offset 0,-0.6\nset xrange [-0.5:%g]\nset yrange [-0.5:%g]\n", (double)n[k][0] - 0.5, (double)n[k][1] - 0.5);
		fprintf(out, "plot '" STUDY_ARRAYS "%s-%s.f32' binary array=(%zu,%zu) format='%%float' with image notitle\n", p->name,
		        planes[k], n[k][0], n[k][1]);
		top += heights[k] + GAP;
	}
}

static void pictures(const picture *p, size_t n, const gt_grid *g, double width, double height, FILE *out)
{
	fputs("set datafile nocolumnheaders\nset multiplot\nunset grid\nset border 15\nunset key\nset format x ''\nset format y ''\nunset xtics\n"
	      "unset ytics\n",
	      out);
	for (size_t i = 0; i < n; i++)
		column(&p[i], i, g, width, height, out);
}

/* Profiles along x and along y, below the pictures: the columns of both in one table. */
static void profiles(const study_table *t, const char *csv, const study_case *c, double top, double width, double height, FILE *out)
{
	const size_t half = t->columns / 2;
	const double middle = width / 2;
	fprintf(out,
	        "unset colorbox\nset datafile columnheaders\nset xtics nomirror\nset ytics nomirror\nset format x '%%g'\nset format y '%%g'\nset border 3\nset grid\n"
	        "set autoscale\nset yrange [%g:%g]\nset key top center horizontal\n",
	        c->low - 0.3 * (c->high - c->low), c->high + 0.35 * (c->high - c->low));
	for (size_t axis = 0; axis < 2; axis++) {
		const size_t first = axis * half + 1;
		study_plot_panel(out, axis ? middle + 60 : 70, axis ? width - 20 : middle - 10, top + 40, top + PROFILES - 60, width,
		                 height);
		fprintf(out,
		        "set title 'along %s, through the middle'\nset xlabel '%s [mm]'\nset ylabel '%s'\nset xrange [*:*] noextend\nplot ",
		        axis ? "y" : "x", axis ? "y" : "x", axis ? "" : "water = 1");
		for (size_t k = half - 1; k >= 1; k--) {
			static const char *const look[] = { "lc rgb '#000000' lw 1.2", "lc rgb '#0060ad' lw 1.5", "lc rgb '#e0a000' lw 1" };
			static const char *const names[] = { "truth", "iterative", "fdk" };
			fprintf(out, "%s'%s.csv' using %zu:%zu with lines %s title '%s'", k < half - 1 ? ", \\\n     " : "", csv, first,
			        first + k, look[k - 1], names[k - 1]);
		}
		fputc('\n', out);
	}
}

/* The paper's figures 16 and 17, and 19 with fdk. */
static gt_status draw_case(study *s, int number)
{
	const study_case *c = &study_cases[number];
	const gt_grid *g = &s->grid;
	picture p[4];
	size_t n = 0;
	FILE *out = NULL;
	p[n++] = (picture){ .title = "truth", .low = c->low, .high = c->high };
	if (c->show_fdk)
		p[n++] = (picture){ .title = "fdk", .low = c->low, .high = c->high };
	p[n++] = (picture){ .title = "iterative", .low = c->low, .high = c->high };
	p[n++] = (picture){ .title = "error", .high = c->error, .difference = 1 };
	for (size_t i = 0; i < n; i++)
		snprintf(p[i].name, sizeof p[i].name, "%s-%s", c->key, p[i].title);
	p[n - 1].title = "iterative - truth";
	const double width = (double)(n * COLUMN + 2 * LEFT), top = pictures_height(g), height = top + PROFILES;
	const gt_status st = study_plot_begin(s, c->key, (int)width, (int)height, &out);
	if (st != GT_OK)
		return st;
	pictures(p, n, g, width, height, out);
	profiles(&s->table[STUDY_PROFILES + number], study_table_name(s, STUDY_PROFILES + number), c, top, width, height, out);
	fputs("unset multiplot\n", out);
	return study_plot_end(s, c->key, out);
}

static gt_status draw_reference(study *s, int number)
{
	const study_case *c = &study_cases[number];
	const double rms = found_of(s)->narrow[number], window = rms > 0 ? 4 * rms : 1e-6;
	picture p[3] = { { .title = "reference: CPU double", .low = c->low, .high = c->high },
		         { .title = study_device_main(s).name, .low = c->low, .high = c->high },
		         { .title = "difference", .high = window, .difference = 1 } };
	static const char *const kinds[] = { "reference", "again", "difference" };
	gt_grid g = s->grid;
	char name[64];
	FILE *out = NULL;
	for (int a = 0; a < 3; a++) {
		g.n[a] = s->grid.n[a] / (size_t)found_of(s)->cpu_reduce > 1 ? s->grid.n[a] / (size_t)found_of(s)->cpu_reduce : 1;
		g.pitch[a] *= (double)s->grid.n[a] / (double)g.n[a];
	}
	for (int i = 0; i < 3; i++)
		snprintf(p[i].name, sizeof p[i].name, "%s-%s", c->key, kinds[i]);
	snprintf(name, sizeof name, "%s-reference", c->key);
	const double width = 3 * COLUMN + 2 * LEFT, height = pictures_height(&g);
	const gt_status st = study_plot_begin(s, name, (int)width, (int)height, &out);
	if (st != GT_OK)
		return st;
	pictures(p, 3, &g, width, height, out);
	fputs("unset multiplot\n", out);
	return study_plot_end(s, name, out);
}

static gt_status draw_convergence(study *s)
{
	FILE *out = NULL;
	const gt_status st = study_plot_begin(s, "convergence", 760, 460, &out);
	if (st != GT_OK)
		return st;
	fputs(STUDY_LOGARITHMIC
	      "set logscale x\nset xtics (1, 2, 5, 10, 20, 50, 100, 200, 500)\nset xlabel 'iteration'\nset ylabel 'RMSE from the truth [HU]'\nset key top right\nplot ",
	      out);
	for (int i = 0; i < STUDY_CASES; i++) {
		fprintf(out, "%s'convergence.csv' using 1:%d with lines lt %d title ", i ? ", \\\n     " : "", i + 2, i + 2);
		app_gnuplot_quote(out, "%s: %s", study_cases[i].key, study_cases[i].solver);
	}
	fputc('\n', out);
	return study_plot_end(s, "convergence", out);
}

/* Rows of the first one's device and size: projection, backprojection, the rest. */
static void iteration_rows(const study_table *t, FILE *out)
{
	const size_t device = 2, size = 3, parts = 5;
	fputs("$rows << END\n", out);
	for (size_t i = 0; i < study_rows(t); i++) {
		const study_cell *row = &t->cell[i * t->columns];
		if (strcmp(row[device].text, t->cell[device].text) || strcmp(row[size].text, t->cell[size].text))
			continue;
		app_gnuplot_datum(out, "%s, %s", row[0].text, row[1].text);
		for (size_t k = 0; k < 3; k++)
			fprintf(out, ",%.9g", 1000 * row[parts + k].number);
		fputc('\n', out);
	}
	fputs("END\n", out);
}

/* Table V as bars: what an iteration spends where. */
static gt_status draw_iteration(study *s)
{
	const study_table *t = &s->table[STUDY_ITERATION];
	FILE *out = NULL;
	const gt_status st = study_plot_begin(s, "iteration", 760, 460, &out);
	if (st != GT_OK)
		return st;
	iteration_rows(t, out);
	fputs("set title ", out);
	app_gnuplot_quote(out, "%s, %s", t->cell[2].text, t->cell[3].text);
	fputs("\nset datafile nocolumnheaders\nset style data histogram\nset style histogram rowstacked\nset style fill solid 0.85 noborder\n"
	      "set boxwidth 0.6\nset ylabel 'ms per iteration'\nset yrange [0:*]\nset grid noxtics ytics\nset xtics rotate by -25 scale 0\n"
	      "set rmargin 14\nset key outside top center horizontal\n"
	      "plot $rows using 2:xtic(1) title 'projection' lc 2, '' using 3 title 'backprojection' lc 3, '' using 4 title 'the rest' lc 11\n",
	      out);
	return study_plot_end(s, "iteration", out);
}

static gt_status draw_noise(study *s)
{
	const study_table *t = &s->table[STUDY_NOISE];
	FILE *out = NULL;
	const gt_status st = study_plot_begin(s, "noise", 1240, 480, &out);
	if (st != GT_OK)
		return st;
	fputs("set multiplot layout 1,2 margins 0.07,0.985,0.13,0.90 spacing 0.08\nset logscale x\n" STUDY_LOGARITHMIC
	      "set autoscale xfix\nset offsets graph 0.03, graph 0.03, 0, 0\nset ylabel 'noise [HU]'\nset key top right\n",
	      out);
	for (size_t p = 0; p < 2; p++) {
		const size_t width = 3 + 4 * p; /* see add_table() of study_noise.c */
		fputs("set title ", out);
		app_gnuplot_quote(out, "%.*s", (int)strcspn(t->head[width - 1], ","), t->head[width - 1]);
		fputs("\nset xlabel '10-90 % width [mm]'\nset xtics (0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 15)\nplot ", out);
		for (int m = 0; m < 2; m++)
			for (size_t e = 0; e < 2; e++)
				fprintf(out,
				        "%s'noise.csv' using (strstrt(strcol(1), '%s') == 1 ? column(%zu) : NaN):2 with linespoints lt %d dt %zu "
				        "title '%s, %s'",
				        m || e ? ", \\\n     " : "", m ? "pcg" : "fdk", width + e, m ? 2 : 3, e + 1, m ? "pcg" : "fdk",
				        e ? "in the plane" : "all of the surface");
		fputc('\n', out);
	}
	fputs("unset multiplot\n", out);
	return study_plot_end(s, "noise", out);
}

static gt_status draw_noise_pictures(study *s)
{
	const study_findings *f = found_of(s);
	picture p[2] = { { "noise-fdk", f->fdk, 0.6, 1.6, 0 }, { "noise-pcg", f->pcg, 0.6, 1.6, 0 } };
	const double width = 2 * COLUMN + 2 * LEFT, height = pictures_height(&f->grid);
	FILE *out = NULL;
	const gt_status st = study_plot_begin(s, "noise-pictures", (int)width, (int)height, &out);
	if (st != GT_OK)
		return st;
	pictures(p, 2, &f->grid, width, height, out);
	fputs("unset multiplot\n", out);
	return study_plot_end(s, "noise-pictures", out);
}

gt_status study_iterative_figures(study *s)
{
	gt_status st = methods_figures(s);
	if (st != GT_OK || found_of(s)->methods_alone)
		return st;
	for (int i = 0; i < STUDY_CASES; i++) {
		GT_TRY(draw_case(s, i));
		GT_TRY(draw_reference(s, i));
	}
	GT_TRY(draw_convergence(s));
	GT_TRY(draw_iteration(s));
	GT_TRY(draw_noise(s));
	if (found_of(s)->pcg[0])
		GT_TRY(draw_noise_pictures(s));
done:
	return st;
}
