/* Curves of sharpness and noise at equal noise, and maps of the noise from place to place: rows, arrays, figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/gnuplot.h"
#include "apps/cli/try.h"
#include "apps/study/quality/cases.h"

/* Figures and panels, in pixels; the range of maps. */
enum { WIDTH = 1200, HEIGHT = 470, PLOT = 450, BESIDE = 200, MAP = 420, GAP = 90, TOP = 40 };
#define MAX_OFF 0.3

/* Up to the frequency of half a voxel. */
static void add_curve(study *s, const quality_case *c, const quality_candidate *by, const char *what, const gt_curve *x)
{
	study_table *t = &s->table[QUALITY_CURVES];
	const double max = 0.5 / quality_pitch(s, c);
	for (size_t i = 0; i < x->n && x->frequency[i] <= max * 1.0001; i++) {
		study_text(t, "%s", c->key);
		study_text(t, "%s", by->name);
		study_text(t, "%s", what);
		study_number(t, x->frequency[i]);
		study_number(t, x->value[i]);
	}
}

void quality_add_curves(study *s, const quality_case *c, const quality_candidate *by, const quality_texture *t)
{
	add_curve(s, c, by, "MTF", &t->mtf);
	add_curve(s, c, by, "NPS", &t->nps);
}

/* Rows of a table for this scan, whose text in that column is as said; NULL: any. */
static size_t rows_of(const study *s, int table, const quality_case *c, size_t column, const char *text)
{
	const study_table *t = &s->table[table];
	size_t found = 0;
	for (size_t i = 0; i < study_rows(t); i++) {
		const study_cell *row = &t->cell[i * t->columns];
		found += !strcmp(row[0].text, c->key) && (!text || !strcmp(row[column].text, text));
	}
	return found;
}

int quality_has_curves(const study *s, const quality_case *c)
{
	return rows_of(s, QUALITY_CURVES, c, 2, "MTF") && rows_of(s, QUALITY_CURVES, c, 2, "NPS");
}

int quality_has_maps(const study *s, const quality_case *c) { return rows_of(s, QUALITY_EVEN, c, 0, NULL) > 0; }

/* The name of a candidate's block of numbers in the script: gnuplot takes no names with commas from a CSV file. */
static void block_name(const char *what, int candidate, char name[32]) { snprintf(name, 32, "$%s%d", what, candidate); }

/* The block; 0: there is no point of that curve, and no block. */
static int write_block(const study *s, const quality_case *c, const char *what, int candidate, FILE *out)
{
	const study_table *t = &s->table[QUALITY_CURVES];
	char name[32];
	int points = 0;
	block_name(what, candidate, name);
	for (size_t i = 0; i < study_rows(t); i++) {
		const study_cell *row = &t->cell[i * t->columns];
		if (strcmp(row[0].text, c->key) || strcmp(row[1].text, quality_candidates[candidate].name) || strcmp(row[2].text, what))
			continue;
		if (!points++)
			fprintf(out, "%s << END\n", name);
		fprintf(out, "%.6g,%.6g\n", row[3].number, row[4].number);
	}
	if (points)
		fputs("END\n", out);
	return points > 0;
}

/* One panel with a line for each candidate. */
static void plot(const study *s, const quality_case *c, const char *what, FILE *out)
{
	const char *before = "plot ";
	char name[32];
	int has[QUALITY_CANDIDATES];
	for (int i = 0; i < QUALITY_CANDIDATES; i++)
		has[i] = write_block(s, c, what, i, out);
	for (int i = 0; i < QUALITY_CANDIDATES; i++) {
		if (!has[i])
			continue;
		block_name(what, i, name);
		fprintf(out, "%s%s using 1:2 with lines lt %d title ", before, name, i + 1);
		app_gnuplot_quote(out, "%s", quality_candidates[i].name);
		before = ", \\\n     ";
	}
	fputc('\n', out);
}

gt_status quality_draw_curves(study *s, const quality_case *c)
{
	char name[64];
	FILE *out = NULL;
	snprintf(name, sizeof name, "curves-%s", c->key);
	const gt_status st = study_plot_begin(s, name, WIDTH, HEIGHT, &out);
	if (st != GT_OK)
		return st;
	fprintf(out,
	        "set datafile nocolumnheaders\nset multiplot\nunset key\n"
	        "set xlabel 'frequency [1/mm]'\nset xrange [0:%.4g]\nset yrange [0:*]\n",
	        0.5 / quality_pitch(s, c));
	study_plot_panel(out, GAP, GAP + PLOT - BESIDE / 2, TOP, HEIGHT - GAP / 2 - 10, WIDTH, HEIGHT);
	fputs("set title 'sharpness: MTF of a disc of ten times the noise'\n", out);
	plot(s, c, "MTF", out);
	study_plot_panel(out, 2 * GAP + PLOT - BESIDE / 2, WIDTH - BESIDE - 20, TOP, HEIGHT - GAP / 2 - 10, WIDTH, HEIGHT);
	fputs("set title 'power of the noise [HU^2 mm^2]'\nset key at screen 0.995, screen 0.9 right top samplen 2\n", out);
	plot(s, c, "NPS", out);
	fputs("unset multiplot\n", out);
	return study_plot_end(s, name, out);
}

gt_status quality_write_map(study *s, const quality_case *c, int candidate, const quality_even *e)
{
	char file[96];
	snprintf(file, sizeof file, "%s-%d-noise.f32", c->key, candidate);
	return study_floats(&s->folder, file, e->ratio, e->wide * e->high);
}

/* The two candidates whose noise was looked at. */
gt_status quality_draw_maps(study *s, const quality_case *c)
{
	static const int which[] = { QUALITY_PRESET, QUALITY_UNIFORM_NOISE };
	const size_t n[2] = { quality_patches(s, c, 0), quality_patches(s, c, 1) };
	const double tall = MAP * (double)n[1] / (double)n[0], width = 2 * (MAP + GAP) + GAP / 2, height = TOP + tall + 20;
	char name[64];
	FILE *out = NULL;
	snprintf(name, sizeof name, "noise-%s", c->key);
	const gt_status st = study_plot_begin(s, name, (int)width, (int)height, &out);
	if (st != GT_OK)
		return st;
	fprintf(out,
	        "set datafile nocolumnheaders\nset multiplot\nunset grid\nset border 15\nunset key\nunset tics\n"
	        "set object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor rgb '#c8c8c8' fillstyle solid noborder\n"
	        "set palette @differences maxcolors 12\nset cbrange [%g:%g]\nset cbtics 0.1\n"
	        "set xrange [-0.5:%g]\nset yrange [-0.5:%g]\n",
	        1 - MAX_OFF, 1 + MAX_OFF, (double)n[0] - 0.5, (double)n[1] - 0.5);
	for (int k = 0; k < 2; k++) {
		const double left = GAP / 2 + k * (MAP + GAP);
		if (!rows_of(s, QUALITY_EVEN, c, 1, quality_candidates[which[k]].name))
			continue;
		study_plot_panel(out, left, left + MAP, TOP, TOP + tall, width, height);
		fputs("set title ", out);
		app_gnuplot_quote(out, "%s", quality_candidates[which[k]].name);
		fprintf(out, "\nplot '" STUDY_ARRAYS "%s-%d-noise.f32' binary array=(%zu,%zu) format='%%float' with image notitle\n",
		        c->key, which[k], n[0], n[1]);
	}
	fputs("unset multiplot\n", out);
	return study_plot_end(s, name, out);
}
