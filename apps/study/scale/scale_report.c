/* Figures and report of `gantry study scale`. */
#include "apps/study/scale/scale.h"

/* Returns 1 if a row begins a curve: it differs from the row before in one of the first columns. */
static int begins(const study_table *t, size_t row, size_t keys)
{
	int same = row > 0;
	for (size_t k = 0; k < keys && same; k++)
		same = study_same(t, row, row - 1, k);
	return !same;
}

static void blocks(study_plot *p, const study_table *t, const char *name, size_t keys, size_t speed)
{
	int n = 0;
	for (size_t i = 0; i < study_rows(t); i++) {
		if (begins(t, i, keys))
			study_put(p, "%s$%s%d << END\n", n ? "END\n" : "", name, n);
		n += begins(t, i, keys);
		study_put(p, "%.6g,%.6g\n", study_at(t, i, 2), study_at(t, i, speed));
	}
	study_put(p, n ? "END\n" : "");
}

static void draw(study *s, const char *name, int table, size_t keys, size_t speed, int with_paper)
{
	const study_table *t = &s->table[table];
	study_plot p = study_plot_new(s, 900, 480, "%s", name);
	blocks(&p, t, "here", keys, speed);
	if (with_paper)
		blocks(&p, t, "there", 1, speed + 2);
	study_put(&p, "set datafile nocolumnheaders\nset key outside right\nset xlabel 'devices'\nset ylabel 'speed-up'\n"
	              "set xtics 1\nset xrange [0.9:*]\nset yrange [0:*]\n");
	study_series(&p, "x with lines dt 2 lc rgb '#888888' title 'ideal'");
	for (size_t i = 0, n = 0; i < study_rows(t); i++)
		if (begins(t, i, keys))
			study_series(&p, "$here%zu using 1:2 with linespoints title %s", n++,
			             keys > 1 ? QUOTE("%s, %s", study_text_at(t, i, 0), study_text_at(t, i, 1))
			                      : QUOTE("%.0f views", study_at(t, i, 0)));
	for (int k = 0; with_paper && k < 3; k++)
		study_series(&p, "$there%d using 1:2 with linespoints dt 3 title 'there, %d views'", k, SCALE_PAPER_VIEWS << k);
	study_series_end(&p);
	study_plot_draw(&p);
}

void scale_figures(study *s)
{
	if (study_rows(&s->table[SCALE_SPEED]))
		draw(s, "speed-up", SCALE_SPEED, 2, 5, 0);
	draw(s, "table-4", SCALE_PAPER, 1, 4, 1);
}

void scale_parts(const study *s, study_page *p)
{
	const scale_findings *f = scale_found(s);
	study_page_text(
		p, "Speed-up and model",
		"Medians of three iterations after the first. Efficiency: speed-up over the number of devices. Model: the time that a dry "
		"run predicts; off: its relative error. %s%s",
		f->claim, s->gpu[0] ? "" : " On the CPU ranks are threads of one processor with common memory and caches.");
	study_page_figure(p, "speed-up", "Speed-up over one device; dashed: the number of devices.");
	study_page_table(p, SCALE_SPEED);
	study_page_text(
		p, "Table IV",
		"Liu, Fu, De Man, Yu (2017) partition 512 × 512 × 64 voxels and views of 888 × 64 manually among up to four heterogeneous "
		"GPUs. There: the sum of one projection and one backprojection, with transfers through the host. Here: an iteration of "
		"sirt, which has one of each, the exchange between devices and the passes over the volume.%s",
		f->by > 1 ? " All sizes are smaller here, so compare speed-ups, not seconds." : "");
	study_page_figure(p, "table-4", "Speed-up by devices, here and in table IV.");
	study_page_table(p, SCALE_PAPER);
}
