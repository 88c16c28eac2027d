/* The figures and the report of `gantry study scale`. */
#include <math.h>
#include <string.h>
#include "apps/cli/gnuplot.h"
#include "apps/cli/try.h"
#include "apps/study/scale/scale.h"

enum { WIDTH = 900, HEIGHT = 480 };

static const study_cell *at(const study_table *t, size_t row, size_t column) { return &t->cell[row * t->columns + column]; }

/* 1: a row begins a curve: another problem or method than the one before. */
static int begins(const study_table *t, size_t row, size_t keys)
{
	int same = row > 0;
	for (size_t k = 0; k < keys && same; k++) {
		const study_cell *a = at(t, row, k), *b = at(t, row - 1, k);
		same = a->text && b->text ? !strcmp(a->text, b->text) : a->number == b->number;
	}
	return !same;
}

/* A block of numbers for each curve: members and speed-up. */
static void curves(const study_table *t, const char *name, size_t keys, size_t ranks, size_t speed, FILE *out)
{
	int n = 0;
	for (size_t i = 0; i < study_rows(t); i++) {
		if (begins(t, i, keys))
			fprintf(out, "%s$%s%d << END\n", n ? "END\n" : "", name, n);
		n += begins(t, i, keys);
		fprintf(out, "%.6g,%.6g\n", at(t, i, ranks)->number, at(t, i, speed)->number);
	}
	if (n)
		fputs("END\n", out);
}

static void plot_curves(const study_table *t, const char *name, size_t keys, FILE *out)
{
	int n = 0;
	for (size_t i = 0; i < study_rows(t); i++) {
		if (!begins(t, i, keys))
			continue;
		fprintf(out, ", \\\n     $%s%d using 1:2 with linespoints title ", name, n++);
		if (at(t, i, 0)->text)
			app_gnuplot_quote(out, "%s, %s", at(t, i, 0)->text, at(t, i, 1)->text);
		else
			app_gnuplot_quote(out, "%.0f views", at(t, i, 0)->number);
	}
}

static gt_status draw(study *s, const char *name, int table, size_t keys, size_t ranks, size_t speed, int with_paper)
{
	const study_table *t = &s->table[table];
	FILE *out = NULL;
	const gt_status st = study_plot_begin(s, name, WIDTH, HEIGHT, &out);
	if (st != GT_OK)
		return st;
	curves(t, "here", keys, ranks, speed, out);
	if (with_paper)
		curves(t, "there", 1, ranks, speed + 2, out);
	fputs("set datafile nocolumnheaders\nset key outside right\nset xlabel 'devices'\nset ylabel 'speed-up'\n"
	      "set xtics 1\nset xrange [0.9:*]\nset yrange [0:*]\nplot x with lines dt 2 lc rgb '#888888' title 'ideal'",
	      out);
	plot_curves(t, "here", keys, out);
	for (int k = 0; with_paper && k < 3; k++)
		fprintf(out, ", \\\n     $there%d using 1:2 with linespoints dt 3 title 'there, %d views'", k, 984 << k);
	fputc('\n', out);
	return study_plot_end(s, name, out);
}

gt_status scale_figures(study *s)
{
	gt_status st = GT_OK;
	if (study_rows(&s->table[SCALE_SPEED]))
		GT_TRY(draw(s, "speed-up", SCALE_SPEED, 2, 2, 5, 0));
	GT_TRY(draw(s, "table-4", SCALE_PAPER, 1, 2, 4, 1));
done:
	return st;
}

void scale_parts(const study *s, study_page *p)
{
	const scale_findings *f = scale_found(s);
	study_page_text(p, "Speed-up and model",
	                "Medians of three iterations behind the first one. Efficiency is the speed-up over the number of devices; model is "
	                "the time that a dry run tells, and off how far that is from the measured one. %s%s",
	                f->claim, s->gpu[0] ? "" : " On the CPU members are threads of one processor, which share its memory and caches.");
	study_page_figure(p, "speed-up", "Speed-up over one device; dashed: the number of devices.");
	study_page_table(p, SCALE_SPEED);
	study_page_text(
		p, "Table IV",
		"Liu, Fu, De Man, Yu (2017) share 512 × 512 × 64 voxels and views of 888 × 64 over up to four unlike GPUs, by hand. "
		"Theirs is the sum of one projection and one backprojection, with transfers through the host; here it is an "
		"iteration of sirt, which has one of each, what devices exchange, and the passes over the volume.%s",
		f->by > 1 ? " Here all is smaller than theirs, so that speed-ups alone can be compared, not seconds." : "");
	study_page_figure(p, "table-4", "Speed-up by devices, here and in table IV.");
	study_page_table(p, SCALE_PAPER);
}
