/* report.html: text, tables and figures in one file that needs no other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "apps/study.h"

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

static gt_status figure(const study *s, const char *name, const char *caption, FILE *out)
{
	char *path = cli_text("%s/%s.png", s->folder.tmp, name);
	FILE *in = path ? fopen(path, "rb") : NULL;
	free(path);
	if (!in)
		return gt_fail(GT_ERR_IO, "%s/%s.png: cannot be read", s->folder.path, name);
	fprintf(out, "<figure><img alt=\"%s\" src=\"data:image/png;base64,", name);
	base64(in, out);
	fprintf(out, "\"><figcaption>%s <code>%s.png</code></figcaption></figure>\n", caption, name);
	fclose(in);
	return GT_OK;
}

static void table(const study *s, int which, FILE *out)
{
	fputs(which == STUDY_LEFT_OUT ? "<div class=\"wide free\">" : "<div class=\"wide\">", out);
	study_html(&s->table[which], out);
	fprintf(out, "<p class=\"small\"><code>%s.csv</code></p></div>\n", study_table_names[which]);
}

static void line(const char *what, const char *text, FILE *out)
{
	fprintf(out, "<tr><th>%s</th><td>", what);
	study_html_text(text, out);
	fputs("</td></tr>\n", out);
}

static void head(const study *s, FILE *out)
{
	char date[64], took[64], version[128];
	const time_t now = time(NULL);
	struct tm utc;
	strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
	snprintf(took, sizeof took, "%.0f s", app_seconds() - s->started);
	snprintf(version, sizeof version, "Gantry %s, commit %s", GANTRY_VERSION, GANTRY_COMMIT);
	fprintf(out,
	        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n"
	        "<title>Projectors: cost and accuracy</title><style>%s</style></head><body>\n<h1>Projectors: cost and accuracy</h1>\n"
	        "<p>What projection and backprojection cost with every projector and device that is here, and how near each comes to its\n"
	        "model in double precision and to exact line integrals. The experiments are those of R. Liu, L. Fu, B. De Man, H. Yu, "
	        "&ldquo;GPU-based branchless distance-driven projection and backprojection&rdquo;, IEEE Transactions on Computational "
	        "Imaging 3 (2017), section IV, A and B.</p>\n<table class=\"free\">\n",
	        style);
	line("geometry", s->geometry, out);
	line("CPU", s->cpu_about, out);
	line("GPU", s->gpu[0] ? s->gpu_about : "none: the parts for the CPU alone", out);
	line("version", version, out);
	line("command", s->call->line, out);
	line("date", date, out);
	line("took", took, out);
	fputs("</table>\n", out);
}

static gt_status times(const study *s, FILE *out)
{
	gt_status st = GT_OK;
	fputs("<h2>Times</h2>\n<p>One projection and one backprojection of the whole scan (the paper's table II). <em>Kernels</em>: the operator "
	      "on data that is already where it computes, integral images and changes of layout included; on a GPU the median of at most five "
	      "runs after one to warm up. <em>Total</em>: from host memory to host memory, so on a GPU with both copies. Speed-ups are against "
	      "one thread. Times on the CPU are estimated from two samples of the views, so that what is done once per call is counted once; "
	      "there nothing is copied.</p>\n",
	      out);
	table(s, STUDY_TIMES, out);
	fputs("<p class=\"small\">The paper has, forward and back: one thread 195.6 s and 195.4 s, 8 threads 24.1 s and 24.9 s, 32 threads 11.5 s "
	      "and 11.5 s (two Xeons of 8 cores); in total on a GeForce Titan X, branchless 1.42 s and 1.04 s (138 and 188 times one thread), "
	      "branch-based 2.77 s and 3.02 s, in double 13.5 s and 17.7 s, Z-line back 1.21 s; the branchless kernels alone 1.02 s and 0.81 s."
	      "</p>\n",
	      out);
	fprintf(out,
	        "<p>Updates of voxels per second on %s (the paper's table III): GUPS = voxels &times; views / 2<sup>30</sup> / s, of the kernels "
	        "alone.</p>\n",
	        s->quick ? "a flat detector of 64 &times; 64 cells, with 45 views and 64<sup>3</sup> voxels"
	                 : "a flat detector of 512 &times; 512 cells, with 360 views and 512<sup>3</sup> voxels");
	table(s, STUDY_GUPS, out);
	fputs("<p class=\"small\">The paper has, forward and back: 32 threads 1.57 and 1.49, branchless 17.7 and 17.9, branch-based 5.25 and 6.05, in "
	      "double 1.34 and 0.86, Z-line back 16.6.</p>\n<div class=\"pair\">\n",
	      out);
	GT_TRY(figure(s, "times", "Time of the kernels for the whole scan; lower is better.", out));
	GT_TRY(figure(s, "gups", "GUPS on the cube; higher is better.", out));
	fputs("</div>\n", out);
done:
	return st;
}

static gt_status sweeps(const study *s, FILE *out)
{
	gt_status st = GT_OK;
	fprintf(out,
	        "<h2>Times against sizes</h2>\n<p>The scan above with one of its sizes changed: times of the kernels, and how many times faster "
	        "than the reference on all threads of the CPU (above one: faster). Axes are logarithmic, but for few slices.%s A gap in a line is a case that had "
	        "no room.</p>\n",
	        s->gpu[0] ? " The dashed line is what it takes to bring volume and projections to the GPU, once. Cases that take more than "
	                    "0.15 s on the GPU are estimated from two samples of the views."
	                  : "");
	GT_TRY(figure(s, "views", "Against the number of views (the paper's figure 7).", out));
	GT_TRY(figure(s, "size", "Against the voxels along x and along y, over the same field of view (figure 8).", out));
	GT_TRY(figure(s, "slices", "Against the number of rows and slices, which grow together (figure 9).", out));
	GT_TRY(figure(
		s, "few-slices",
		"Few rows and slices (figure 10, where the Z-line backprojection is the faster one up to 16 slices and takes a step after "
		"each 16).",
		out));
	fputs("<p class=\"small\">The figures are drawn from <code>views-*.csv</code>, <code>size-*.csv</code>, <code>slices-*.csv</code> and "
	      "<code>few-slices-*.csv</code>.</p>\n",
	      out);
done:
	return st;
}

static gt_status ones_forward(const study *s, FILE *out)
{
	gt_status st = GT_OK;
	fputs("<h2>Ones, projected</h2>\n<p>A volume of ones, so that a line integral is the length of the ray in the volume (the paper's "
	      "figure 12). Each projector is compared with the one that has the same entries, in double precision on the CPU: what remains is "
	      "what single precision, or another way to the same entries, changes. Errors are over 24 views; relative: to the root mean square "
	      "of the reference.</p>\n",
	      out);
	table(s, STUDY_FORWARD_ERRORS, out);
	fputs("<p class=\"small\">The paper has an RMSE of 2.77e-2 for branchless and 3.50e-4 in double, against its CPU.</p>\n", out);
	static const char below[] =
		"Above: the row in the middle, with every projector. Below: the view in double, then for each projector its difference from its model "
		"in double, divided by the largest value of the view. The scale of each picture is its own, at most four times its root mean square; "
		"the paper shows &plusmn;2e-3.";
	GT_TRY(figure(s, "forward-0", below, out));
	if (s->table[STUDY_FORWARD_45].columns)
		GT_TRY(figure(s, "forward-45", below, out));
done:
	return st;
}

static gt_status ones_back(const study *s, FILE *out)
{
	gt_status st = GT_OK;
	fputs("<h2>Ones, backprojected</h2>\n<p>Projections of ones, from one view and from all (the paper's figures 13 and 14). Errors are over "
	      "the slice in the middle, which is shown; relative: to the root mean square of the reference.</p>\n",
	      out);
	table(s, STUDY_BACK_ERRORS, out);
	fputs("<p class=\"small\">The paper has an RMSE of 5.24e-2 for branchless and 6.92e-4 in double, from 984 views against its CPU.</p>\n",
	      out);
	GT_TRY(figure(
		s, "back-one",
		"From the view nearest to 0 degrees, whose source is above. Each pair: contours of the slice in the middle (of at most 192 "
		"voxels along each axis), and its difference from the model in double, divided by the largest value of the slice. The first "
		"pair is the reference itself.",
		out));
	GT_TRY(figure(s, "back-all", "The same from all views; the paper shows differences of &plusmn;2e-4.", out));
done:
	return st;
}

static void random_numbers(const study *s, FILE *out)
{
	fputs("<h2>Random numbers</h2>\n<p>Volume and projections uniform in [0,1), from a fixed seed: nothing cancels and nothing is smooth. Each "
	      "projector against its model in double precision on the CPU. Forward: all cells of 32 views, eight of them at eighths of the scan. "
	      "Back: from all views, the voxels of all slices in nine blocks of 32 &times; 32: at the corners, the "
	      "middle of the edges and the middle of the grid. Relative RMS: the root mean square of the differences over that of the "
	      "reference. The largest difference is given over the same, then over the root mean square of the differences, then where it "
	      "is, with indices from 0.</p>\n",
	      out);
	table(s, STUDY_RANDOM, out);
	fprintf(out, "<p>The same on %s, forward from 16 views%s.</p>\n",
	        s->quick ? "a flat detector of 64 &times; 64 cells, 45 views, 64<sup>3</sup> voxels"
	                 : "a flat detector of 512 &times; 512 cells, 360 views, 512<sup>3</sup> voxels",
	        s->gpu[0] ? ", on the GPU alone" : "");
	table(s, STUDY_RANDOM_CUBE, out);
}

static gt_status bodies(const study *s, FILE *out)
{
	gt_status st = GT_OK;
	fputs("<h2>A bar</h2>\n<p>25 voxels of 1 mm and value 1 along x, in parallel beams, on cells of 1.41 mm (the paper's figure 15). Ray-driven "
	      "projectors follow the ray through the middle of a cell; the exact values are means over cells, so those projectors differ where "
	      "the bar ends.</p>\n",
	      out);
	table(s, STUDY_BAR_ERRORS, out);
	GT_TRY(figure(
		s, "bar",
		"Above: the projections; grey: the exact mean over each cell. Below: differences from the model in double, in per cent of the "
		"largest value. The paper's branchless projector stays below 0.2 % at 30 degrees.",
		out));
	fputs("<h2>A head</h2>\n<p>The FORBILD head (scaled down where the field of view is smaller): its voxels, each the mean of 64 points, are "
	      "projected and compared with exact line integrals, the mean of 16 rays in each cell, over 24 views. Line integrals have no unit. What "
	      "remains in double precision is the error of voxels and of the model.</p>\n",
	      out);
	table(s, STUDY_HEAD, out);
done:
	return st;
}

static gt_status parts(const study *s, FILE *out)
{
	gt_status st = GT_OK;
	GT_TRY(times(s, out));
	GT_TRY(sweeps(s, out));
	random_numbers(s, out);
	GT_TRY(ones_forward(s, out));
	GT_TRY(ones_back(s, out));
	GT_TRY(bodies(s, out));
done:
	return st;
}

gt_status study_report(study *s)
{
	FILE *out = NULL;
	gt_status st = study_open(&s->folder, "report.html", &out);
	if (st != GT_OK)
		return st;
	head(s, out);
	st = parts(s, out);
	if (st == GT_OK && study_rows(&s->table[STUDY_LEFT_OUT])) {
		fputs("<h2>Left out</h2>\n<p>What was not measured, and why.</p>\n", out);
		table(s, STUDY_LEFT_OUT, out);
	}
	fputs("<p class=\"small\">Every figure can be drawn again: <code>gnuplot NAME.gp</code> in this folder. Files <code>*.f32</code> are "
	      "arrays of 32-bit floats in the order of this machine, rows of the picture from below.</p>\n</body></html>\n",
	      out);
	const gt_status closed = study_close("report.html", out);
	return st != GT_OK ? st : closed;
}
