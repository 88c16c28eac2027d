/* Curves of sharpness and noise at equal noise, and maps of the local noise: rows and figures. */
#include "apps/study/quality/quality.h"

/* Figures and panels, in pixels; the range of maps. */
enum { WIDTH = 1200, HEIGHT = 470, PLOT = 450, KEY = 200, MAP = 420, GAP = 90, TOP = 40 };
#define MAX_OFF 0.3

/* Up to the frequency of half a voxel. */
static void add_curve(study *s, const quality_case *c, const quality_candidate *by, const char *what, const gt_curve *x)
{
	const double max = 0.5 / quality_pitch(s, c);
	for (size_t i = 0; i < x->n && x->frequency[i] <= max * 1.0001; i++)
		study_row(&s->table[QUALITY_CURVES], TXT(c->key), TXT(by->name), TXT(what), NUM(x->frequency[i]), NUM(x->value[i]));
}

void quality_add_curves(study *s, const quality_case *c, const quality_candidate *by, const quality_texture *t)
{
	add_curve(s, c, by, "MTF", &t->mtf);
	add_curve(s, c, by, "NPS", &t->nps);
}

/* Returns the next row of this scan from `row` on, with these texts in columns 1 and 2 (NULL: any); after the last:
 * the row count. */
static size_t next_row(const study_table *t, size_t row, const quality_case *c, const char *candidate, const char *what)
{
	while (row < study_rows(t) &&
	       (strcmp(study_text_at(t, row, 0), c->key) || (candidate && strcmp(study_text_at(t, row, 1), candidate)) ||
	        (what && strcmp(study_text_at(t, row, 2), what))))
		row++;
	return row;
}

static int has_rows(const study *s, int table, const quality_case *c, const char *candidate, const char *what)
{
	return next_row(&s->table[table], 0, c, candidate, what) < study_rows(&s->table[table]);
}

int quality_has_curves(const study *s, const quality_case *c)
{
	return has_rows(s, QUALITY_CURVES, c, NULL, "MTF") && has_rows(s, QUALITY_CURVES, c, NULL, "NPS");
}

int quality_has_maps(const study *s, const quality_case *c) { return has_rows(s, QUALITY_EVEN, c, NULL, NULL); }

/* Draws one panel with a line for each candidate; its points are blocks, because names with commas cannot be read
 * from a CSV file. */
static void plot(study_plot *p, const quality_case *c, const char *what)
{
	const study_table *t = &p->s->table[QUALITY_CURVES];
	for (int k = 0; k < QUALITY_CANDIDATES; k++) {
		const char *name = quality_candidates[k].name;
		size_t i = next_row(t, 0, c, name, what);
		if (i == study_rows(t))
			continue;
		study_put(p, "$%s%d << END\n", what, k);
		for (; i < study_rows(t); i = next_row(t, i + 1, c, name, what))
			study_put(p, "%.6g,%.6g\n", study_at(t, i, 3), study_at(t, i, 4));
		study_put(p, "END\n");
	}
	for (int k = 0; k < QUALITY_CANDIDATES; k++)
		if (has_rows(p->s, QUALITY_CURVES, c, quality_candidates[k].name, what))
			study_series(p, "$%s%d using 1:2 with lines lt %d title %s", what, k, k + 1,
			             QUOTE("%s", quality_candidates[k].name));
	study_series_end(p);
}

void quality_draw_curves(study *s, const quality_case *c)
{
	const double bottom = HEIGHT - GAP / 2 - 10, split = PLOT - KEY / 2;
	study_plot p = study_plot_new(s, WIDTH, HEIGHT, "curves-%s", c->key);
	study_multiplot(&p, "");
	study_put(&p,
	          "set datafile nocolumnheaders\nunset key\n"
	          "set xlabel 'frequency [1/mm]'\nset xrange [0:%.4g]\nset yrange [0:*]\n",
	          0.5 / quality_pitch(s, c));
	study_panel(&p, GAP, GAP + split, TOP, bottom);
	study_put(&p, "set title 'sharpness of a disc of ten times the noise'\nset ylabel 'MTF'\n");
	plot(&p, c, "MTF");
	study_panel(&p, 2 * GAP + split, WIDTH - KEY - 20, TOP, bottom);
	study_put(
		&p,
		"set title 'power of the noise'\nset ylabel 'NPS [HU^2 mm^2]'\nset key at screen 0.995, screen 0.9 right top samplen 2\n");
	plot(&p, c, "NPS");
	study_plot_draw(&p);
}

void quality_draw_maps(study *s, const quality_case *c)
{
	static const int which[] = { QUALITY_PRESET, QUALITY_UNIFORM_NOISE };
	const size_t n[2] = { quality_patches(s, c, 0), quality_patches(s, c, 1) };
	const double tall = MAP * (double)n[1] / (double)n[0];
	study_plot p = study_plot_new(s, 2 * (MAP + GAP) + GAP / 2, TOP + tall + 20, "noise-%s", c->key);
	study_images(&p);
	study_put(&p,
	          "set object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb '#c8c8c8' fillstyle solid noborder\n"
	          "set palette @differences maxcolors 12\nset cbrange [%g:%g]\nset cbtics 0.1\n",
	          1 - MAX_OFF, 1 + MAX_OFF);
	for (int k = 0; k < 2; k++) {
		const double left = GAP / 2 + k * (MAP + GAP);
		const char *name = quality_candidates[which[k]].name;
		if (!has_rows(s, QUALITY_EVEN, c, name, NULL))
			continue;
		study_panel(&p, left, left + MAP, TOP, TOP + tall);
		study_image(&p, n, FORMAT("%s-%d-noise", c->key, which[k]), QUOTE("%s", name));
	}
	study_plot_draw(&p);
}
