/* The figures: scripts for gnuplot over the CSV files and arrays of the folder, where they stay. */
#include "apps/cli/try.h"
#include "apps/study/study.h"

gt_status study_write_tables(study *s)
{
	gt_status st = GT_OK;
	for (size_t i = 0; i < STUDY_OWN + s->kind->tables; i++) {
		char name[64];
		FILE *out = NULL;
		if (!s->table[i].columns)
			continue;
		snprintf(name, sizeof name, "%s.csv", study_table_name(s, i));
		GT_TRY(study_open(&s->folder, name, &out));
		st = study_csv(&s->table[i], out);
		const gt_status closed = study_close(name, out);
		GT_TRY(st != GT_OK ? st : closed);
	}
done:
	return st;
}

gt_status study_plot_style(study *s)
{
	static const char text[] =
		"# What all figures share. 'gnuplot NAME.gp' in this folder draws NAME.png again.\n"
		"set encoding utf8\n"
		"set datafile separator ','\n"
		"set datafile columnheaders\n"
		"set tics nomirror out scale 0.5\n"
		"set border 3 lc rgb '#444444'\n"
		"set grid lt -1 dt 1 lc rgb '#e2e2e2' lw 1\n"
		"set linetype 1 lc rgb '#000000' lw 2 pt 7 ps 0.7\n"
		"set linetype 2 lc rgb '#0060ad' lw 2 pt 5 ps 0.7\n"
		"set linetype 3 lc rgb '#d95319' lw 2 pt 9 ps 0.8\n"
		"set linetype 4 lc rgb '#2ca02c' lw 2 pt 11 ps 0.8\n"
		"set linetype 5 lc rgb '#9467bd' lw 2 pt 13 ps 0.8\n"
		"set linetype 6 lc rgb '#e0a000' lw 2 pt 6 ps 0.8\n"
		"set linetype 7 lc rgb '#17becf' lw 2 pt 4 ps 0.8\n"
		"set linetype 8 lc rgb '#e377c2' lw 2 pt 8 ps 0.8\n"
		"set linetype 9 lc rgb '#8c564b' lw 2 pt 10 ps 0.8\n"
		"set linetype 10 lc rgb '#d62728' lw 2 pt 12 ps 0.8\n"
		"set linetype 11 lc rgb '#7f7f7f' lw 2 pt 2 ps 0.7\n"
		"set linetype 12 lc rgb '#556b2f' lw 2 pt 1 ps 0.7\n"
		"set linetype cycle 12\n"
		"logarithmic = \"set logscale y; set format y '%g'; "
		"set for [e=-12:12] ytics add (sprintf('%g', 2 * 10.0**e) 2 * 10.0**e, sprintf('%g', 5 * 10.0**e) 5 * 10.0**e)\"\n"
		"differences = \"defined (-1 '#053061', -0.5 '#4393c3', 0 '#ffffff', 0.5 '#d6604d', 1 '#67001f')\"\n";
	FILE *out = NULL;
	const gt_status st = study_open(&s->folder, "style.gp", &out);
	if (st != GT_OK)
		return st;
	fputs(text, out);
	return study_close("style.gp", out);
}

gt_status study_plot_begin(study *s, const char *name, int width, int height, FILE **out)
{
	char script[64];
	snprintf(script, sizeof script, "%s.gp", name);
	const gt_status st = study_open(&s->folder, script, out);
	if (st == GT_OK)
		fprintf(*out, "load 'style.gp'\nset terminal pngcairo noenhanced size %d,%d font 'DejaVu Sans,11'\nset output '%s.png'\n",
		        width, height, name);
	return st;
}

gt_status study_plot_end(study *s, const char *name, FILE *out)
{
	const gt_status st = study_close(name, out);
	return st == GT_OK && !s->no_figures ? study_draw(&s->folder, name) : st;
}

void study_plot_panel(FILE *out, double left, double right, double top, double bottom, double width, double height)
{
	fprintf(out, "set lmargin at screen %.4f\nset rmargin at screen %.4f\nset tmargin at screen %.4f\nset bmargin at screen %.4f\n",
	        left / width, right / width, 1 - top / height, 1 - bottom / height);
}

/* Colours from -window to window, blue and red. */
void study_plot_colours(FILE *out, double window)
{
	if (!(window > 0)) {
		fputs("set palette @differences maxcolors 21\nset cbrange [-1:1]\nset cbtics font ',10' ('0' 0)\n", out);
		return;
	}
	fprintf(out, "set palette @differences maxcolors 21\nset cbrange [%g:%g]\nset cbtics font ',10' ('%.1e' %g, '0' 0, '%.1e' %g)\n",
	        -window, window, -window, -window, window, window);
}
