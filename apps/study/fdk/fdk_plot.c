/* The figures of `gantry study fdk`, from its tables alone: they may have been read from another folder. */
#include <math.h>
#include <string.h>
#include "apps/cli/gnuplot.h"
#include "apps/study/fdk/fdk.h"

enum { WIDTH = 1080, HEIGHT = 520 };

static const study_cell *cell(const study_table *t, size_t row, size_t column) { return &t->cell[row * t->columns + column]; }

static int same(const study_cell *a, const study_cell *b)
{
	return a->text && b->text ? !strcmp(a->text, b->text) : !a->text && !b->text && a->number == b->number;
}

/* Is the row the first with what it has in that column? */
static int is_first(const study_table *t, size_t row, size_t column)
{
	for (size_t i = 0; i < row; i++)
		if (same(cell(t, i, column), cell(t, row, column)))
			return 0;
	return 1;
}

static void number(double x, FILE *out)
{
	if (isnan(x))
		fputs("NaN", out);
	else
		fprintf(out, "%.9g", x);
}

/* A cell of a data block. */
static void datum(const study_cell *c, FILE *out)
{
	if (!c->text) {
		number(c->number, out);
		return;
	}
	app_gnuplot_datum(out, "%s", c->text);
}

/* A block of that name: a line for each different key, with its value in each of the series. */
static void pivot(const study_table *t, const char *name, size_t key, size_t series, size_t value, FILE *out)
{
	const size_t rows = study_rows(t);
	fprintf(out, "%s << END\n", name);
	for (size_t i = 0; i < rows; i++) {
		if (!is_first(t, i, key))
			continue;
		datum(cell(t, i, key), out);
		for (size_t k = 0; k < rows; k++) {
			const study_cell *found = &(study_cell){ NULL, NAN };
			if (!is_first(t, k, series))
				continue;
			for (size_t j = 0; j < rows; j++)
				if (same(cell(t, j, key), cell(t, i, key)) && same(cell(t, j, series), cell(t, k, series)))
					found = cell(t, j, value);
			fputc(',', out);
			datum(found, out);
		}
		fputc('\n', out);
	}
	fputs("END\nset datafile nocolumnheaders\n", out);
}

/* $rows: what was measured and what a paper has, by the text of the first column; with a star where nothing could be. */
static void beside(const study_table *t, size_t here, size_t paper, double updates, FILE *out)
{
	fputs("$rows << END\n", out);
	for (size_t i = 0; i < study_rows(t); i++) {
		char text[160];
		snprintf(text, sizeof text, "%s%s", cell(t, i, 0)->text, strcmp(cell(t, i, 2)->text, "needs CUDA") ? "" : " *");
		datum(&(study_cell){ text, NAN }, out);
		fputc(',', out);
		number(cell(t, i, here)->number, out);
		fputc(',', out);
		number(updates > 0 ? updates / cell(t, i, paper)->number : cell(t, i, paper)->number, out);
		fputc('\n', out);
	}
	fputs("END\nset datafile nocolumnheaders\n", out);
}

/* One plot of each of the series of $rows. */
static void plot_pivot(const study_table *t, size_t series, const char *how, FILE *out)
{
	size_t column = 2;
	fputs("plot ", out);
	for (size_t k = 0; k < study_rows(t); k++) {
		if (!is_first(t, k, series))
			continue;
		fprintf(out, how, column > 2 ? ", \\\n     " : "", column, column);
		fputs(" title ", out);
		app_gnuplot_quote(out, "%s", cell(t, k, series)->text);
		column++;
	}
}

/* Lines over the whole width at the limits of a device. */
static void limits(const study *s, FILE *out)
{
	const study_table *t = &s->table[STUDY_LIMITS];
	int gpu = 0;
	for (size_t i = 0; i < study_rows(t); i++)
		gpu |= !strcmp(cell(t, i, 0)->text, "GPU");
	for (size_t i = 0; i < study_rows(t); i++) {
		const double at = cell(t, i, 2)->number;
		if (gpu && strcmp(cell(t, i, 0)->text, "GPU") != 0)
			continue;
		fprintf(out, "set arrow from graph 0, first %.6g to graph 1, first %.6g nohead lc rgb '#777777' dt 2 front\nset label ", at,
		        at);
		app_gnuplot_quote(out, "%s", cell(t, i, 1)->text);
		fprintf(out, " at graph 0.01, first %.6g offset 0,0.5 font ',9' tc rgb '#555555' front\n", at);
	}
}

#define BARS                                                                                                  \
	"set style data histogram\nset style histogram clustered gap 1\nset style fill solid 0.85 noborder\n" \
	"set xtics rotate by 30 right scale 0\nset rmargin 3\nset key outside top center horizontal\n"

/* The largest number of a column, and a limit if it is higher: room above for its text. */
static double top_of(const study *s, const study_table *t, size_t column)
{
	const study_table *l = &s->table[STUDY_LIMITS];
	double max = 0;
	for (size_t i = 0; i < study_rows(t); i++)
		max = fmax(max, cell(t, i, column)->number);
	for (size_t i = 0; i < study_rows(l); i++)
		max = fmax(max, cell(l, i, 2)->number);
	return max;
}

/* 512^3 from 360 views are 45 2^30 updates. */
static void draw_ladder(const study *s, const study_table *t, FILE *out)
{
	limits(s, out);
	beside(t, 7, 9, 45, out);
	fprintf(out,
	        "set yrange [*:%.6g]\nplot $rows using 2:xtic(1) title 'here' lc 2, '' using 3 title 'Okitsu et al. 2008, GeForce 8800 GTX' lc 11\n",
	        2 * top_of(s, t, 7));
}

static void draw_quality(const study *s, const study_table *t, FILE *out)
{
	(void)s;
	pivot(t, "$rows", 1, 0, 3, out);
	plot_pivot(t, 0, "%s$rows using %zu:xtic(1) lt %zu", out);
	fputc('\n', out);
}

/* All columns but the first against it; what begins with "limit" is a dashed line. */
static void draw_curves(const study *s, const study_table *t, FILE *out)
{
	fputs("set key outside right top Left reverse\nplot ", out);
	for (size_t c = 1; c < t->columns; c++) {
		char title[96];
		snprintf(title, sizeof title, "%.*s", (int)strcspn(t->head[c], "["), t->head[c]);
		fprintf(out, "%s'%s.csv' using 1:%zu with ", c > 1 ? ", \\\n     " : "", study_table_name(s, t - s->table), c + 1);
		if (strncmp(title, "limit", 5))
			fprintf(out, "linespoints lt %zu title ", c + 1);
		else
			fputs("lines lc rgb '#777777' dt 2 title ", out);
		app_gnuplot_quote(out, "%s", title);
	}
	fputc('\n', out);
}

static void draw_sizes(const study *s, const study_table *t, FILE *out)
{
	limits(s, out);
	pivot(t, "$rows", 11, 1, 6, out);
	fprintf(out, "set yrange [*:%.6g]\nset xrange [%.6g:%.6g]\nset xtics (", 2 * top_of(s, t, 6), 0.8 * cell(t, 0, 11)->number,
	        1.25 * cell(t, study_rows(t) - 1, 11)->number);
	for (size_t i = 0, n = 0; i < study_rows(t); i++)
		if (is_first(t, i, 11))
			fprintf(out, "%s%g", n++ ? ", " : "", cell(t, i, 11)->number);
	fputs(")\nset key outside right top Left reverse\n", out);
	plot_pivot(t, 1, "%s$rows using 1:%zu with linespoints lt %zu", out);
	fputc('\n', out);
}

static int has_numbers(const study_table *t, size_t column)
{
	for (size_t i = 0; i < study_rows(t); i++)
		if (!isnan(cell(t, i, column)->number))
			return 1;
	return 0;
}

/* How many times as fast as the first of the structures; beside them what the paper has of the second, at the sizes that it has. */
static void draw_textures(const study *s, const study_table *t, FILE *out)
{
	(void)s;
	pivot(t, "$rows", 0, 1, 7, out);
	pivot(t, "$paper", 0, 1, 9, out);
	plot_pivot(t, 1, "%s$rows using %zu:xtic(1) lt %zu", out);
	if (has_numbers(t, 9))
		fputs(", \\\n     $paper using 3 lc 11 title 'Lu et al. 2016, GTX 980: the second of these'", out);
	fputc('\n', out);
}

/* The stages one after the other, as shares of their whole, as sizes and machines are others; beside it the whole at the same time. The last
 * row is the whole. */
static void stage_shares(const study_table *t, FILE *out)
{
	static const struct {
		const char *name;
		size_t alone, piped;
	} bar[] = { { "here", 1, 3 }, { "Lu et al. 2016, GTX 980, 2048^3", 4, 5 } };
	const size_t stages = study_rows(t) - 1;
	fputs("$rows << END\n", out);
	for (int k = 0; k < 2; k++) {
		const double whole = cell(t, stages, bar[k].alone)->number;
		app_gnuplot_datum(out, "%s", bar[k].name);
		for (size_t i = 0; i < stages; i++) {
			const double x = cell(t, i, bar[k].alone)->number;
			fputc(',', out);
			number(isnan(x) ? 0 : 100 * x / whole, out);
		}
		fprintf(out, ",NaN\n\"the same, at the same time\"");
		for (size_t i = 0; i < stages; i++)
			fputs(",NaN", out);
		fputc(',', out);
		number(100 * cell(t, stages, bar[k].piped)->number / whole, out);
		fputc('\n', out);
	}
	fputs("END\nset datafile nocolumnheaders\n", out);
}

static void draw_stages(const study *s, const study_table *t, FILE *out)
{
	const size_t rows = study_rows(t);
	(void)s;
	stage_shares(t, out);
	fputs("set key outside right top Left reverse invert\nplot ", out);
	for (size_t i = 0; i < rows; i++) {
		fprintf(out, "%s$rows using %zu%s lt %zu title ", i ? ", \\\n     " : "", i + 2, i ? "" : ":xtic(1)",
		        i + 1 < rows ? i + 2 : 11);
		app_gnuplot_quote(out, "%s", i + 1 < rows ? cell(t, i, 0)->text : "the whole, stages at the same time");
	}
	fputc('\n', out);
}

static void draw_rabbitct(const study *s, const study_table *t, FILE *out)
{
	(void)s;
	beside(t, 6, 11, 0, out);
	fputs("plot $rows using 2:xtic(1) title 'here' lc 2, '' using 3 title 'Papenhausen, Mueller 2013, GeForce GTX 680' lc 11\n", out);
}

static const struct figure {
	int table;
	const char *name, *ylabel, *settings;
	void (*plot)(const study *s, const study_table *t, FILE *out);
} figures[] = {
	{ STUDY_LADDER, "ladder", "GUPS [2^30/s]", BARS STUDY_LOGARITHMIC, draw_ladder },
	{ STUDY_QUALITY, "quality", "PSNR against the CPU in double [dB]",
	  BARS "set yrange [0:*]\nset arrow from graph 0, first 40 to graph 1, first 40 nohead lc rgb '#777777' dt 2 front\n",
	  draw_quality },
	{ STUDY_ANGLES, "angles", "backprojection [ms per view]",
	  "set xlabel 'angle of the views [degrees]'\nset xtics 45\n" STUDY_LOGARITHMIC, draw_curves },
	{ STUDY_BLOCKS, "blocks", "backprojection [ms per view]",
	  "set xlabel 'angle of the views [degrees]'\nset xtics 45\nset yrange [0:*]\n", draw_curves },
	{ STUDY_PASSES, "passes", "GUPS [2^30/s]",
	  "set xlabel 'views per pass over the volume'\nset logscale x\nset xtics (1, 2, 4, 8, 12, 16, 32, 64)\n" STUDY_LOGARITHMIC,
	  draw_curves },
	{ STUDY_LAUNCHES, "launches", "backprojection [ms per view]",
	  "set xlabel \"N', views per launch\"\nset logscale x\nset xrange [0.9:36]\nset xtics (1, 2, 4, 8, 12, 16, 20, 24, 32)\nset yrange [0:*]\n",
	  draw_curves },
	{ STUDY_FDK_SIZES, "sizes", "GUPS [2^30/s]",
	  "set xlabel 'voxels along an edge, pixels along an edge'\nset logscale x\n" STUDY_LOGARITHMIC, draw_sizes },
	{ STUDY_STRUCTURES, "textures", "times as fast as a texture per view", BARS "set yrange [0:*]\nset xtics norotate center\n",
	  draw_textures },
	{ STUDY_STAGES, "stages", "share of the whole, one after the other [%]",
	  "set style data histogram\nset style histogram rowstacked\nset style fill solid 0.85 noborder\nset boxwidth 0.6\nset yrange [0:*]\n"
	  "set xtics rotate by 15 right\n",
	  draw_stages },
	{ STUDY_RABBITCT, "rabbitct", "GUPS [10^9/s]", BARS "set lmargin 22\n" STUDY_LOGARITHMIC, draw_rabbitct },
};

static gt_status draw(study *s, const struct figure *f)
{
	FILE *out = NULL;
	const gt_status st = study_plot_begin(s, f->name, WIDTH, HEIGHT, &out);
	if (st != GT_OK)
		return st;
	fprintf(out, "set ylabel '%s'\nset grid noxtics ytics\n%s", f->ylabel, f->settings);
	f->plot(s, &s->table[f->table], out);
	return study_plot_end(s, f->name, out);
}

gt_status fdk_figures(study *s)
{
	gt_status st = GT_OK;
	for (size_t i = 0; i < sizeof figures / sizeof *figures && st == GT_OK; i++)
		if (study_rows(&s->table[figures[i].table]))
			st = draw(s, &figures[i]);
	return st;
}
