/* Figures: gnuplot scripts that read the CSV files and arrays of the folder. */
#include "apps/study/study.h"

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
	GT_OR_RETURN(study_open(&s->folder, "style.gp", &out));
	fputs(text, out);
	return study_close("style.gp", out);
}

study_plot study_plot_new(study *s, double width, double height, const char *format, ...)
{
	study_plot p = { .s = s, .width = width, .height = height };
	va_list args;
	va_start(args, format);
	vsnprintf(p.name, sizeof p.name, format, args);
	va_end(args);
	if (s->st == GT_OK)
		s->st = study_open(&s->folder, FORMAT("%s.gp", p.name), &p.out);
	study_put(&p, "load 'style.gp'\nset terminal pngcairo noenhanced size %d,%d font 'DejaVu Sans,11'\nset output '%s.png'\n",
	          (int)width, (int)height, p.name);
	return p;
}

void study_put(study_plot *p, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (p->out)
		vfprintf(p->out, format, args);
	va_end(args);
}

void study_series(study_plot *p, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	study_put(p, "%s", p->series++ ? ", \\\n     " : "plot ");
	if (p->out)
		vfprintf(p->out, format, args);
	va_end(args);
}

void study_series_end(study_plot *p)
{
	study_put(p, "\n");
	p->series = 0;
}

void study_plot_draw(study_plot *p)
{
	if (!p->out)
		return;
	if (p->multiplot)
		study_put(p, "unset multiplot\n");
	const gt_status st = study_close(p->name, p->out);
	if (p->s->st == GT_OK)
		p->s->st = st == GT_OK && !p->s->no_figures ? study_draw(&p->s->folder, p->name) : st;
}

char *study_quoted(char *buffer, void (*quote)(FILE *, const char *, ...), const char *text)
{
	FILE *out = fmemopen(buffer, STUDY_LINE, "w");
	strcpy(buffer, "''");
	if (out) {
		quote(out, "%.*s", STUDY_LINE / 2 - 3, text);
		fclose(out);
	}
	return buffer;
}

int study_begins(const study_curves *c, size_t row)
{
	int same = row > c->first;
	for (size_t k = 0; k < c->keys && same; k++)
		same = study_same(c->table, row, row - 1, k);
	return !same;
}

void study_blocks(study_plot *p, const study_curves *c, const char *name)
{
	int n = 0;
	for (size_t i = c->first; i < c->end; i++) {
		if (study_begins(c, i))
			study_put(p, "%s$%s%d << END\n", n ? "END\n" : "", name, n);
		n += study_begins(c, i);
		study_put(p, "%.6g,%.6g\n", study_at(c->table, i, c->x), study_at(c->table, i, c->y));
	}
	study_put(p, n ? "END\n" : "");
}

void study_multiplot(study_plot *p, const char *layout)
{
	study_put(p, "set multiplot %s\n", layout);
	p->multiplot = 1;
}

void study_images(study_plot *p)
{
	study_multiplot(p, "");
	study_put(p, "set datafile nocolumnheaders\nunset grid\nset border 15\nunset key\nunset tics\n");
}

void study_panel(study_plot *p, double left, double right, double top, double bottom)
{
	study_put(p, "set lmargin at screen %.4f\nset rmargin at screen %.4f\nset tmargin at screen %.4f\nset bmargin at screen %.4f\n",
	          left / p->width, right / p->width, 1 - top / p->height, 1 - bottom / p->height);
}

void study_greys(study_plot *p, double low, double high) { study_put(p, "set palette gray maxcolors 0\nset cbrange [%g:%g]\n", low, high); }

void study_colours(study_plot *p, double window)
{
	study_put(p, "set palette @differences maxcolors 21\n");
	if (window > 0)
		study_put(p, "set cbrange [%g:%g]\nset cbtics font ',10' ('%.1e' %g, '0' 0, '%.1e' %g)\n", -window, window, -window,
		          -window, window, window);
	else
		study_put(p, "set cbrange [-1:1]\nset cbtics font ',10' ('0' 0)\n");
}

void study_image(study_plot *p, const size_t n[2], const char *array, const char *title)
{
	if (title)
		study_put(p, "set title %s\n", title);
	study_put(p, "set xrange [-0.5:%g]\nset yrange [-0.5:%g]\n", (double)n[0] - 0.5, (double)n[1] - 0.5);
	study_put(p, "plot '" STUDY_ARRAYS "%s.f32' binary array=(%zu,%zu) format='%%float' with image notitle\n", array, n[0], n[1]);
}
