/* The figures of `gantry study fdk`, from its tables alone: they may come from another folder. */
#include "apps/study/fdk/fdk.h"

enum { WIDTH = 1080, HEIGHT = 520 };

static int is_first(const study_table *t, size_t row, size_t column)
{
	for (size_t i = 0; i < row; i++)
		if (study_same(t, i, row, column))
			return 0;
	return 1;
}

static void number(study_plot *p, const char *before, double x) { study_put(p, isnan(x) ? "%sNaN" : "%s%.9g", before, x); }

/* Writes a data block: a row for each different key, with its value in each of the series. */
static void pivot(study_plot *p, const study_table *t, const char *name, size_t key, size_t series, size_t value)
{
	const size_t rows = study_rows(t);
	study_put(p, "%s << END\n", name);
	for (size_t i = 0; i < rows; i++) {
		if (!is_first(t, i, key))
			continue;
		if (*study_text_at(t, i, key))
			study_put(p, "%s", DATUM("%s", study_text_at(t, i, key)));
		else
			number(p, "", study_at(t, i, key));
		for (size_t k = 0; k < rows; k++) {
			double found = NAN;
			if (!is_first(t, k, series))
				continue;
			for (size_t j = 0; j < rows; j++)
				if (study_same(t, i, j, key) && study_same(t, k, j, series))
					found = study_at(t, j, value);
			number(p, ",", found);
		}
		study_put(p, "\n");
	}
	study_put(p, "END\nset datafile nocolumnheaders\n");
}

/* Writes $rows: measured and published values by the text of the first column; a star marks what needs CUDA. */
static void with_paper(study_plot *p, const study_table *t, size_t here, size_t paper, double updates)
{
	study_put(p, "$rows << END\n");
	for (size_t i = 0; i < study_rows(t); i++) {
		const double published = study_at(t, i, paper);
		study_put(p, "%s", DATUM("%s%s", study_text_at(t, i, 0), strcmp(study_text_at(t, i, 2), "needs CUDA") ? "" : " *"));
		number(p, ",", study_at(t, i, here));
		number(p, ",", updates > 0 ? updates / published : published);
		study_put(p, "\n");
	}
	study_put(p, "END\nset datafile nocolumnheaders\n");
}

static void plot_pivot(study_plot *p, const study_table *t, size_t series, int xtic)
{
	size_t column = 2;
	for (size_t k = 0; k < study_rows(t); k++)
		if (is_first(t, k, series)) {
			const char *title = QUOTE("%s", study_text_at(t, k, series));
			if (xtic)
				study_series(p, "$rows using %zu:xtic(1) lt %zu title %s", column, column, title);
			else
				study_series(p, "$rows using 1:%zu with linespoints lt %zu title %s", column, column, title);
			column++;
		}
}

/* Draws horizontal lines at the limits of the GPU, or of the CPU without one. */
static void limits(study_plot *p)
{
	const study_table *t = &p->s->table[STUDY_LIMITS];
	int gpu = 0;
	for (size_t i = 0; i < study_rows(t); i++)
		gpu |= !strcmp(study_text_at(t, i, 0), "GPU");
	for (size_t i = 0; i < study_rows(t); i++) {
		const double at = study_at(t, i, 2);
		if (gpu && strcmp(study_text_at(t, i, 0), "GPU") != 0)
			continue;
		study_put(p,
		          "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead lc rgb '#777777' dt 2 front\n"
		          "set label %s at graph 0.01, first %.6g offset 0,0.5 font ',9' tc rgb '#555555' front\n",
		          at, at, QUOTE("%s", study_text_at(t, i, 1)), at);
	}
}

#define BARS                                                                                                  \
	"set style data histogram\nset style histogram clustered gap 1\nset style fill solid 0.85 noborder\n" \
	"set xtics rotate by 30 right scale 0\nset rmargin 3\nset key outside top center horizontal\n"

static double max_of(const study_table *t, size_t column)
{
	double max = 0;
	for (size_t i = 0; i < study_rows(t); i++)
		max = fmax(max, study_at(t, i, column));
	return max;
}

/* Leaves space above the largest number of a column and above the limits. */
static void set_top(study_plot *p, const study_table *t, size_t column)
{
	study_put(p, "set yrange [*:%.6g]\n", 2 * fmax(max_of(t, column), max_of(&p->s->table[STUDY_LIMITS], 2)));
}

static void draw_ladder(study_plot *p, const study_table *t)
{
	limits(p);
	with_paper(p, t, 7, 9, 45); /* 512^3 from 360 views are 45 2^30 updates */
	set_top(p, t, 7);
	study_put(p, "plot $rows using 2:xtic(1) title 'here' lc 2, '' using 3 title 'Okitsu et al. 2008, GeForce 8800 GTX' lc 11\n");
}

static void draw_quality(study_plot *p, const study_table *t)
{
	pivot(p, t, "$rows", 1, 0, 3);
	plot_pivot(p, t, 0, 1);
	study_series_end(p);
}

/* Plots all columns against the first; a name that begins with "limit" is a dashed line. */
static void draw_curves(study_plot *p, const study_table *t)
{
	study_put(p, "set key outside right top Left reverse\n");
	for (size_t c = 1; c < t->columns; c++) {
		const char *title = QUOTE("%.*s", (int)strcspn(t->head[c], "["), t->head[c]);
		const char *look = strncmp(t->head[c], "limit", 5) ? FORMAT("linespoints lt %zu", c + 1) : "lines lc rgb '#777777' dt 2";
		study_series(p, "'%s.csv' using 1:%zu with %s title %s", study_table_name(p->s, (size_t)(t - p->s->table)), c + 1, look,
		             title);
	}
	study_series_end(p);
}

static void draw_sizes(study_plot *p, const study_table *t)
{
	limits(p);
	pivot(p, t, "$rows", 11, 1, 6);
	set_top(p, t, 6);
	study_put(p, "set xrange [%.6g:%.6g]\nset xtics (", 0.8 * study_at(t, 0, 11), 1.25 * study_at(t, study_rows(t) - 1, 11));
	for (size_t i = 0, n = 0; i < study_rows(t); i++)
		if (is_first(t, i, 11))
			study_put(p, "%s%g", n++ ? ", " : "", study_at(t, i, 11));
	study_put(p, ")\nset key outside right top Left reverse\n");
	plot_pivot(p, t, 1, 0);
	study_series_end(p);
}

/* Plots the speed of each structure over the first one, and the published speed of the second. */
static void draw_textures(study_plot *p, const study_table *t)
{
	pivot(p, t, "$rows", 0, 1, 7);
	pivot(p, t, "$paper", 0, 1, 9);
	plot_pivot(p, t, 1, 1);
	if (max_of(t, 9) > 0)
		study_series(p, "$paper using 3 lc 11 title 'Lu et al. 2016, GTX 980: layered, slices outside'");
	study_series_end(p);
}

/* Plots the stages in sequence as fractions of the whole, because machines and sizes differ, and the whole if they
 * overlap. */
static void draw_stages(study_plot *p, const study_table *t)
{
	static const struct {
		const char *name;
		size_t alone, piped;
	} bar[] = { { "here", 1, 3 }, { "Lu et al. 2016", 4, 5 } };
	const size_t stages = study_rows(t) - 1;
	study_put(p, "$rows << END\n");
	for (int k = 0; k < 2; k++) {
		const double whole = study_at(t, stages, bar[k].alone);
		study_put(p, "%s", DATUM("%s: in sequence", bar[k].name));
		for (size_t i = 0; i < stages; i++)
			number(p, ",", isnan(study_at(t, i, bar[k].alone)) ? 0 : 100 * study_at(t, i, bar[k].alone) / whole);
		study_put(p, ",NaN\n%s", DATUM("%s: overlapping", bar[k].name));
		for (size_t i = 0; i < stages; i++)
			number(p, ",", NAN);
		number(p, ",", 100 * study_at(t, stages, bar[k].piped) / whole);
		study_put(p, "\n");
	}
	study_put(p, "END\nset datafile nocolumnheaders\nset key outside right top Left reverse invert\n");
	for (size_t i = 0; i <= stages; i++)
		study_series(p, "$rows using %zu%s lt %zu title %s", i + 2, i ? "" : ":xtic(1)", i < stages ? i + 2 : 11,
		             QUOTE("%s", i < stages ? study_text_at(t, i, 0) : "whole, overlapping stages"));
	study_series_end(p);
}

static void draw_rabbitct(study_plot *p, const study_table *t)
{
	with_paper(p, t, 6, 11, 0);
	study_put(p, "plot $rows using 2:xtic(1) title 'here' lc 2, '' using 3 title 'Papenhausen, Mueller 2013, GeForce GTX 680' lc 11\n");
}

static const struct figure {
	int table;
	const char *ylabel, *settings;
	void (*plot)(study_plot *p, const study_table *t);
} figures[] = {
	{ STUDY_LADDER, "GUPS [2^30/s]", BARS STUDY_LOGARITHMIC, draw_ladder },
	{ STUDY_QUALITY, "PSNR against the CPU in double [dB]",
	  BARS "set yrange [0:*]\nset arrow from graph 0, first 40 to graph 1, first 40 nohead lc rgb '#777777' dt 2 front\n",
	  draw_quality },
	{ STUDY_ANGLES, "backprojection [ms per view]", "set xlabel 'angle of the views [degrees]'\nset xtics 45\n" STUDY_LOGARITHMIC,
	  draw_curves },
	{ STUDY_BLOCKS, "backprojection [ms per view]", "set xlabel 'angle of the views [degrees]'\nset xtics 45\nset yrange [0:*]\n",
	  draw_curves },
	{ STUDY_PASSES, "GUPS [2^30/s]",
	  "set xlabel 'views per pass over the volume'\nset logscale x\nset xtics (1, 2, 4, 8, 12, 16, 32, 64)\n" STUDY_LOGARITHMIC,
	  draw_curves },
	{ STUDY_LAUNCHES, "backprojection [ms per view]",
	  "set xlabel \"N', views per launch\"\nset logscale x\nset xrange [0.9:36]\nset xtics (1, 2, 4, 8, 12, 16, 20, 24, 32)\nset yrange [0:*]\n",
	  draw_curves },
	{ STUDY_FDK_SIZES, "GUPS [2^30/s]", "set xlabel 'voxels and pixels along an edge'\nset logscale x\n" STUDY_LOGARITHMIC,
	  draw_sizes },
	{ STUDY_STRUCTURES, "times as fast as a texture per view", BARS "set yrange [0:*]\nset xtics norotate center\n", draw_textures },
	{ STUDY_PATTERNS, "time [ns per texel]",
	  "set xlabel 'layers'\nset logscale x\nset xtics (1, 2, 4, 8, 16, 32, 64)\nset yrange [0:*]\n", draw_curves },
	{ STUDY_STAGES, "time over the whole in sequence [%]",
	  "set style data histogram\nset style histogram rowstacked\nset style fill solid 0.85 noborder\nset boxwidth 0.6\nset yrange [0:*]\n"
	  "set xtics rotate by 15 right\n",
	  draw_stages },
	{ STUDY_RABBITCT, "GUPS [10^9/s]", BARS "set lmargin 22\n" STUDY_LOGARITHMIC, draw_rabbitct },
};

void fdk_figures(study *s)
{
	for (const struct figure *f = figures; f < figures + sizeof figures / sizeof *figures; f++) {
		if (!study_rows(&s->table[f->table]))
			continue;
		study_plot p = study_plot_new(s, WIDTH, HEIGHT, "%s", study_table_name(s, (size_t)f->table));
		study_put(&p, "set ylabel '%s'\nset grid noxtics ytics\n%s", f->ylabel, f->settings);
		f->plot(&p, &s->table[f->table]);
		study_plot_draw(&p);
	}
}
