/* report.html of any study: what it was, text, tables and figures in one file that needs no other. */
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "apps/cli/try.h"
#include "apps/study/study.h"

#ifndef GANTRY_COMMIT
#define GANTRY_COMMIT "unknown"
#endif

static const char style[] =
	"body{font:16px/1.5 'DejaVu Sans',Verdana,sans-serif;color:#222;background:#fff;max-width:1240px;margin:2em auto;padding:0 1.5em}"
	"h1{font-size:1.6em;margin-bottom:.2em}h2{font-size:1.25em;margin-top:2.2em;border-bottom:1px solid #ccc}"
	"p{max-width:52em}figure{margin:1.2em 0}figcaption,.small{color:#555;font-size:.88em;max-width:60em}"
	"img{max-width:100%;height:auto;border:1px solid #e4e4e4}"
	".pair{display:flex;flex-wrap:wrap;gap:1.2em}.pair figure{flex:1 1 480px;margin:.4em 0}sup{font-size:.7em;line-height:0}"
	".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.84em;margin:1em 0}"
	"th,td{border-bottom:1px solid #ddd;padding:.25em .7em;text-align:left;vertical-align:bottom}th{background:#f4f6f8;font-weight:600}"
	"td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}td{white-space:nowrap}"
	".free td{white-space:normal}code{background:#f4f6f8;padding:.1em .3em}";

static void base64(FILE *in, FILE *out)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char b[3];
	size_t n;
	while ((n = fread(b, 1, 3, in)) > 0) {
		const unsigned long bits = (unsigned long)b[0] << 16 | (n > 1 ? (unsigned long)b[1] << 8 : 0) | (n > 2 ? b[2] : 0);
		fputc(digit[bits >> 18 & 63], out);
		fputc(digit[bits >> 12 & 63], out);
		fputc(n > 1 ? digit[bits >> 6 & 63] : '=', out);
		fputc(n > 2 ? digit[bits & 63] : '=', out);
	}
}

gt_status study_page_picture(const study *s, const char *name, FILE *out)
{
	char *path = cli_text("%s/%s.png", s->folder.tmp, name);
	FILE *in = path ? fopen(path, "rb") : NULL;
	free(path);
	if (!in)
		return gt_fail(GT_ERR_IO, "%s/%s.png: cannot be read", s->folder.path, name);
	fputs("data:image/png;base64,", out);
	base64(in, out);
	fclose(in);
	return GT_OK;
}

gt_status study_page_figure(const study *s, const char *name, const char *caption, FILE *out)
{
	gt_status st = GT_OK;
	fprintf(out, "<figure><img alt=\"%s\" src=\"", name);
	if (!s->no_figures)
		GT_TRY(study_page_picture(s, name, out));
	fprintf(out, "\"><figcaption>%s <code>%s.png</code></figcaption></figure>\n", caption, name);
done:
	return st;
}

void study_page_table(const study *s, int which, FILE *out)
{
	fputs(which == STUDY_LEFT_OUT ? "<div class=\"wide free\">" : "<div class=\"wide\">", out);
	study_html(&s->table[which], out);
	fprintf(out, "<p class=\"small\"><code>%s.csv</code></p></div>\n", study_table_name(s, (size_t)which));
}

void study_about_line(study *s, const char *what, const char *text)
{
	study_text(&s->table[STUDY_ABOUT], "%s", what);
	study_text(&s->table[STUDY_ABOUT], "%s", text);
}

void study_about(study *s)
{
	char date[64], took[64];
	const time_t now = time(NULL);
	struct tm utc;
	strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
	snprintf(took, sizeof took, "%.0f s", app_seconds() - s->started);
	study_head(&s->table[STUDY_ABOUT], "what");
	study_head(&s->table[STUDY_ABOUT], "value");
	study_about_line(s, "geometry", s->geometry);
	study_about_line(s, "CPU", s->cpu_about);
	study_about_line(s, "GPU", s->gpu[0] ? s->gpu_about : "none: the parts for the CPU alone");
	study_about_line(s, "version", "Gantry " GANTRY_VERSION ", commit " GANTRY_COMMIT);
	study_about_line(s, "command", s->call->line);
	study_about_line(s, "date", date);
	study_about_line(s, "measuring took", took);
}

static void head(const study *s, FILE *out)
{
	const study_table *t = &s->table[STUDY_ABOUT];
	fprintf(out,
	        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n"
	        "<title>%s</title><style>%s</style></head><body>\n<h1>%s</h1>\n<p>%s</p>\n<table class=\"free\">\n",
	        s->kind->title, style, s->kind->title, s->kind->intro);
	for (size_t i = 0; i + 1 < t->cells; i += 2) {
		fputs("<tr><th>", out);
		study_html_text(t->cell[i].text, out);
		fputs("</th><td>", out);
		study_html_text(t->cell[i + 1].text, out);
		fputs("</td></tr>\n", out);
	}
	fputs("</table>\n", out);
}

gt_status study_report(study *s)
{
	FILE *out = NULL;
	gt_status st = study_open(&s->folder, "report.html", &out);
	if (st != GT_OK)
		return st;
	head(s, out);
	st = s->kind->parts(s, out);
	if (st == GT_OK && study_rows(&s->table[STUDY_LEFT_OUT])) {
		fputs("<h2>Left out</h2>\n<p>What was not measured, and why.</p>\n", out);
		study_page_table(s, STUDY_LEFT_OUT, out);
	}
	fprintf(out, "<p class=\"small\">Every figure can be drawn again: <code>gnuplot NAME.gp</code> in this folder.%s</p>\n",
	        study_has_arrays()
	                ? " Files <code>" STUDY_ARRAYS
	                  "*.f32</code> are arrays of 32-bit floats in the order of this machine, rows of the picture from below."
	                : "");
	fputs("</body></html>\n", out);
	const gt_status closed = study_close("report.html", out);
	return st != GT_OK ? st : closed;
}
