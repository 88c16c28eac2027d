/* The figures of `gantry study iterative`. */
#include "apps/study/iterative/methods/methods.h"

/* Columns of pictures, each with three planes and its scale below, in pixels. */
enum { COLUMN = 350, PICTURE = 310, LEFT = 20, TOP = 36, GAP = 26, SCALE = 58, PROFILES = 335 };

typedef struct {
	const char *title, *file; /* file: without the plane */
	double low, high;
	int difference;
} picture;

static double strip(const gt_grid *g, int axis) { return PICTURE * (double)g->n[2] * g->pitch[2] / ((double)g->n[axis] * g->pitch[axis]); }

static double transverse(const gt_grid *g) { return PICTURE * (double)g->n[1] * g->pitch[1] / ((double)g->n[0] * g->pitch[0]); }

static double pictures_height(const gt_grid *g) { return TOP + transverse(g) + strip(g, 0) + strip(g, 1) + 2 * GAP + SCALE; }

static void scale(study_plot *p, const picture *c, double left, double bottom)
{
	const double low = c->difference ? -c->high : c->low;
	if (c->difference)
		study_colours(p, c->high);
	else
		study_greys(p, c->low, c->high);
	study_put(p,
	          "set colorbox horizontal user origin screen %.4f,%.4f size screen %.4f,%.4f\n"
	          "set cbtics font ',11' ('%.3g' %g, '%s' %g, '%.3g' %g)\n",
	          (left + 40) / p->width, 1 - (bottom + 22) / p->height, (PICTURE - 80) / p->width, 10 / p->height, low, low,
	          c->difference ? "HU" : "water = 1", (low + c->high) / 2, c->high, c->high);
}

static void column(study_plot *p, const char *key, const picture *c, size_t at, const gt_grid *g)
{
	static const char *const planes[] = { "transverse", "coronal", "sagittal" };
	const double left = LEFT + (double)at * COLUMN, heights[] = { transverse(g), strip(g, 0), strip(g, 1) };
	const size_t n[3][2] = { { g->n[0], g->n[1] }, { g->n[0], g->n[2] }, { g->n[1], g->n[2] } };
	double top = TOP;
	for (int k = 0; k < 3; k++) {
		study_panel(p, left, left + PICTURE, top, top + heights[k]);
		if (k)
			study_put(p, "unset colorbox\n");
		else
			scale(p, c, left, pictures_height(g) - SCALE);
		study_image(p, n[k], FORMAT("%s-%s-%s", key, c->file, planes[k]),
		            FORMAT("%s offset 0,-0.6", QUOTE("%s", k ? planes[k] : c->title)));
		top += heights[k] + GAP;
	}
}

static void pictures(study_plot *p, const char *key, const picture *c, size_t n, const gt_grid *g)
{
	study_multiplot(p, "");
	study_put(p, "set datafile nocolumnheaders\nunset grid\nset border 15\nunset key\nset format x ''\nset format y ''\n"
	             "unset xtics\nunset ytics\n");
	for (size_t i = 0; i < n; i++)
		column(p, key, &c[i], i, g);
}

static void draw_pictures(study *s, const char *name, const char *key, const picture *c, size_t n, const gt_grid *g)
{
	study_plot p = study_plot_new(s, (double)(n * COLUMN + 2 * LEFT), pictures_height(g), "%s", name);
	pictures(&p, key, c, n, g);
	study_plot_draw(&p);
}

/* Draws profiles along x and y below the pictures; the table has the columns of both. */
static void profiles(study_plot *p, const study_table *t, const char *csv, const study_case *c, double top)
{
	static const char *const look[] = { "lc rgb '#000000' lw 1.2", "lc rgb '#0060ad' lw 1.5", "lc rgb '#e0a000' lw 1" };
	static const char *const names[] = { "truth", "iterative", "fdk" };
	const size_t half = t->columns / 2;
	const double centre = p->width / 2;
	study_put(
		p,
		"unset colorbox\nset datafile columnheaders\nset xtics nomirror\nset ytics nomirror\nset format x '%%g'\nset format y '%%g'\n"
		"set border 3\nset grid\nset autoscale\nset yrange [%g:%g]\nset key at screen 0.5,%.4f center top horizontal\n",
		c->low - 0.3 * (c->high - c->low), c->high + 0.35 * (c->high - c->low), 1 - (top + 12) / p->height);
	for (size_t axis = 0; axis < 2; axis++) {
		const size_t first = axis * half + 1;
		const char *name = axis ? "y" : "x";
		study_panel(p, axis ? centre + 60 : 70, axis ? p->width - 20 : centre - 10, top + 40, top + PROFILES - 60);
		study_put(p, "set title 'along %s, through the centre'\nset xlabel '%s [mm]'\nset ylabel '%s'\nset xrange [*:*] noextend\n",
		          name, name, axis ? "" : "attenuation [water = 1]");
		for (size_t k = half - 1; k >= 1; k--)
			study_series(p, "'%s.csv' using %zu:%zu with lines %s title '%s'", csv, first, first + k, look[k - 1],
			             names[k - 1]);
		study_series_end(p);
		study_put(p, "unset key\n");
	}
}

/* The paper's figures 16 and 17, and 19 with fdk. */
static void draw_case(study *s, int number)
{
	const study_case *c = &study_cases[number];
	const gt_grid *g = &s->grid;
	picture list[4] = { { "truth", "truth", c->low, c->high, 0 } };
	size_t n = 1;
	if (c->show_fdk)
		list[n++] = (picture){ "fdk", "fdk", c->low, c->high, 0 };
	list[n++] = (picture){ "iterative", "iterative", c->low, c->high, 0 };
	list[n++] = (picture){ "iterative - truth", "error", 0, c->error, 1 };
	study_plot p = study_plot_new(s, (double)(n * COLUMN + 2 * LEFT), pictures_height(g) + PROFILES, "%s", c->key);
	pictures(&p, c->key, list, n, g);
	profiles(&p, &s->table[STUDY_PROFILES + number], study_table_name(s, STUDY_PROFILES + (size_t)number), c, pictures_height(g));
	study_plot_draw(&p);
}

static void draw_reference(study *s, int number)
{
	const study_case *c = &study_cases[number];
	const double rms = found_of(s)->narrow[number], window = rms > 0 ? 4 * rms : 1e-6;
	const picture list[3] = { { "reference: CPU double", "reference", c->low, c->high, 0 },
		                  { study_device_main(s).name, "again", c->low, c->high, 0 },
		                  { "difference", "difference", 0, window, 1 } };
	gt_grid g = s->grid;
	for (int a = 0; a < 3; a++) {
		const size_t n = s->grid.n[a] / (size_t)found_of(s)->cpu_reduce;
		g.n[a] = n > 1 ? n : 1;
		g.pitch[a] *= (double)s->grid.n[a] / (double)g.n[a];
	}
	draw_pictures(s, FORMAT("%s-reference", c->key), c->key, list, 3, &g);
}

static void draw_convergence(study *s)
{
	study_plot p = study_plot_new(s, 760, 460, "convergence");
	study_put(&p, STUDY_LOGARITHMIC "set logscale x\nset xtics (1, 2, 5, 10, 20, 50, 100, 200, 500)\nset xlabel 'iteration'\n"
	                                "set ylabel 'RMSE from the truth [HU]'\nset key top right\n");
	for (int i = 0; i < STUDY_CASES; i++)
		study_series(&p, "'convergence.csv' using 1:%d with lines lt %d title %s", i + 2, i + 2,
		             QUOTE("%s: %s", study_cases[i].key, study_cases[i].solver));
	study_series_end(&p);
	study_plot_draw(&p);
}

/* Table V as bars: projection, backprojection and the rest of an iteration, for the device and size of the first
 * row. */
static void draw_iteration(study *s)
{
	const study_table *t = &s->table[STUDY_ITERATION];
	const size_t device = 2, size = 3, parts = 5;
	study_plot p = study_plot_new(s, 760, 460, "iteration");
	study_put(&p, "$rows << END\n");
	for (size_t i = 0; i < study_rows(t); i++) {
		if (!study_same(t, i, 0, device) || !study_same(t, i, 0, size))
			continue;
		study_put(&p, "%s", DATUM("%s, %s", study_text_at(t, i, 0), study_text_at(t, i, 1)));
		for (size_t k = 0; k < 3; k++)
			study_put(&p, ",%.9g", 1000 * study_at(t, i, parts + k));
		study_put(&p, "\n");
	}
	study_put(
		&p,
		"END\nset title %s\nset datafile nocolumnheaders\nset style data histogram\nset style histogram rowstacked\n"
		"set style fill solid 0.85 noborder\nset boxwidth 0.6\nset ylabel 'ms per iteration'\nset yrange [0:*]\n"
		"set grid noxtics ytics\nset xtics rotate by -25 scale 0\nset rmargin 14\nset key outside top center horizontal\n"
		"plot $rows using 2:xtic(1) title 'projection' lc 2, '' using 3 title 'backprojection' lc 3, '' using 4 title 'other' lc 11\n",
		QUOTE("%s, %s", study_text_at(t, 0, device), study_text_at(t, 0, size)));
	study_plot_draw(&p);
}

static void draw_noise(study *s)
{
	const study_table *t = &s->table[STUDY_NOISE];
	study_plot p = study_plot_new(s, 1240, 480, "noise");
	study_multiplot(&p, "layout 1,2 margins 0.07,0.985,0.13,0.90 spacing 0.08");
	study_put(&p, "set logscale x\n" STUDY_LOGARITHMIC
	              "set autoscale xfix\nset offsets graph 0.03, graph 0.03, 0, 0\nset ylabel 'noise [HU]'\nset key top right\n");
	for (size_t k = 0; k < 2; k++) {
		const size_t width = 3 + 4 * k; /* column of the first width of this sphere */
		study_put(&p, "set title %s\nset xlabel '10-90 %% width [mm]'\nset xtics (0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10, 15)\n",
		          QUOTE("%.*s", (int)strcspn(t->head[width - 1], ","), t->head[width - 1]));
		for (int i = 0; i < 4; i++) {
			const char *name = i / 2 ? "pcg" : "fdk";
			const size_t e = (size_t)i % 2;
			study_series(&p,
			             "'noise.csv' using (strstrt(strcol(1), '%s') == 1 ? column(%zu) : NaN):2 with linespoints lt %d dt "
			             "%zu title '%s, %s'",
			             name, width + e, i / 2 ? 2 : 3, e + 1, name, e ? "in the plane" : "all of the surface");
		}
		study_series_end(&p);
	}
	study_plot_draw(&p);
}

void study_iterative_figures(study *s)
{
	const study_findings *f = found_of(s);
	const picture noise[2] = { { f->fdk, "fdk", 0.6, 1.6, 0 }, { f->pcg, "pcg", 0.6, 1.6, 0 } };
	methods_figures(s);
	if (f->methods_alone)
		return;
	for (int i = 0; i < STUDY_CASES; i++) {
		draw_case(s, i);
		draw_reference(s, i);
	}
	draw_convergence(s);
	draw_iteration(s);
	draw_noise(s);
	if (f->pcg[0])
		draw_pictures(s, "noise-pictures", "noise", noise, 2, &f->grid);
}
