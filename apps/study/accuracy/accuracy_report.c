/* What `gantry study accuracy` says. */
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/study/accuracy/accuracy.h"

static gt_status times(const study *s, FILE *out)
{
	gt_status st = GT_OK;
	fputs("<h2>Times</h2>\n<p>One projection and one backprojection of the whole scan (the paper's table II). <em>Kernels</em>: the operator "
	      "on data that is already where it computes, integral images and changes of layout included; on a GPU the median of at most five "
	      "runs after one to warm up. <em>Total</em>: from host memory to host memory, so on a GPU with both copies. Speed-ups are against "
	      "one thread. Times on the CPU are estimated from two samples of the views, so that what is done once per call is counted once; "
	      "there nothing is copied.</p>\n",
	      out);
	study_page_table(s, STUDY_TIMES, out);
	fputs("<p class=\"small\">The paper has, forward and back: one thread 195.6 s and 195.4 s, 8 threads 24.1 s and 24.9 s, 32 threads 11.5 s "
	      "and 11.5 s (two Xeons of 8 cores); in total on a GeForce Titan X, branchless 1.42 s and 1.04 s (138 and 188 times one thread), "
	      "branch-based 2.77 s and 3.02 s, in double 13.5 s and 17.7 s, Z-line back 1.21 s; the branchless kernels alone 1.02 s and 0.81 s."
	      "</p>\n",
	      out);
	fprintf(out,
	        "<p>Updates of voxels per second on %s (the paper's table III): GUPS = voxels &times; views / 2<sup>30</sup> / s, of the kernels "
	        "alone.</p>\n",
	        s->quick ? "a flat detector of 64 &times; 64 pixels, with 45 views and 64<sup>3</sup> voxels"
	                 : "a flat detector of 512 &times; 512 pixels, with 360 views and 512<sup>3</sup> voxels");
	study_page_table(s, STUDY_GUPS, out);
	fputs("<p class=\"small\">The paper has, forward and back: 32 threads 1.57 and 1.49, branchless 17.7 and 17.9, branch-based 5.25 and 6.05, in "
	      "double 1.34 and 0.86, Z-line back 16.6.</p>\n<div class=\"pair\">\n",
	      out);
	GT_TRY(study_page_figure(s, "times", "Time of the kernels for the whole scan; lower is better.", out));
	GT_TRY(study_page_figure(s, "gups", "GUPS on the cube; higher is better.", out));
	fputs("</div>\n", out);
done:
	return st;
}

static gt_status sweeps(const study *s, FILE *out)
{
	gt_status st = GT_OK;
	fprintf(out,
	        "<h2>Times against sizes</h2>\n<p>The scan above with one of its sizes changed: times of the kernels%s Axes are logarithmic, but for "
	        "few slices.%s A gap in a line is a case that did not fit into memory.</p>\n",
	        s->gpu[0] ? ", and how many times faster than the reference on all threads of the CPU (above one: faster)."
	                  : " of the reference on all threads of the CPU, which those of a GPU would be compared with.",
	        s->gpu[0] ? " The dashed line is the time to copy volume and projections to the GPU, once. Cases that take more than "
	                    "0.15 s on the GPU are estimated from two samples of the views."
	                  : "");
	GT_TRY(study_page_figure(s, "views", "Against the number of views (the paper's figure 7).", out));
	GT_TRY(study_page_figure(s, "size", "Against the voxels along x and along y, over the same field of view (figure 8).", out));
	GT_TRY(study_page_figure(s, "slices", "Against the number of rows and slices, which grow together (figure 9).", out));
	GT_TRY(study_page_figure(
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
	      "figure 12). Each projector is compared with its model in double precision on the CPU, which has the same entries or those that it approximates: what remains is "
	      "the effect of single precision, or of another computation of the same entries. Errors are over 24 views; relative: to the root mean square "
	      "of the reference.</p>\n",
	      out);
	study_page_table(s, STUDY_FORWARD_ERRORS, out);
	fputs("<p class=\"small\">The paper has an RMSE of 2.77e-2 for branchless and 3.50e-4 in double, against its CPU.</p>\n", out);
	static const char below[] =
		"Above: the row in the middle, with every projector. Below: the view in double, then for each projector its difference from its model "
		"in double, divided by the largest value of the view. The scale of each picture is its own, at most four times its root mean square; "
		"the paper shows &plusmn;2e-3. Ray-driven projectors follow the ray through the middle of a pixel, the others take the mean over the "
		"pixel: where the volume is lower than the rays of a pixel are apart, as that of one row is, part of them leaves it, and the mean is less.";
	GT_TRY(study_page_figure(s, "forward-0", below, out));
	if (s->table[STUDY_FORWARD_45].columns)
		GT_TRY(study_page_figure(s, "forward-45", below, out));
done:
	return st;
}

static gt_status ones_back(const study *s, FILE *out)
{
	gt_status st = GT_OK;
	fputs("<h2>Ones, backprojected</h2>\n<p>Projections of ones, from one view and from all (the paper's figures 13 and 14). Errors are over "
	      "the slice in the middle, which is shown; relative: to the root mean square of the reference.</p>\n",
	      out);
	study_page_table(s, STUDY_BACK_ERRORS, out);
	fputs("<p class=\"small\">The paper has an RMSE of 5.24e-2 for branchless and 6.92e-4 in double, from 984 views against its CPU.</p>\n",
	      out);
	static const char one[] =
		"From the view nearest to 0 degrees, whose source is above. Each pair: contours of the slice in the middle (of at most 192 "
		"voxels along each axis), and its difference from the model in double, divided by the largest value of the slice. The first "
		"pair is the reference itself.";
	static const char parallel[] =
		" In parallel beams every voxel gets the same value from one view: there are no contours, and the only differences are of rounding.";
	char caption[sizeof one + sizeof parallel];
	snprintf(caption, sizeof caption, "%s%s", one, s->scan->shape == GT_PARALLEL ? parallel : "");
	GT_TRY(study_page_figure(s, "back-one", caption, out));
	GT_TRY(study_page_figure(s, "back-all", "The same from all views; the paper shows differences of &plusmn;2e-4.", out));
done:
	return st;
}

static void random_numbers(const study *s, FILE *out)
{
	fputs("<h2>Random numbers</h2>\n<p>Volume and projections uniform in [0,1), from a fixed seed: nothing cancels and nothing is smooth. Each "
	      "projector against its model in double precision on the CPU. Forward: all pixels of 32 views, eight of them at eighths of the scan. "
	      "Back: from all views, the voxels of all slices in nine blocks of 32 &times; 32: at the corners, the "
	      "middle of the edges and the middle of the grid. Relative RMS: the root mean square of the differences over that of the "
	      "reference. The largest difference is given over the same, then over the root mean square of the differences, then where it "
	      "is, with indices from 0.</p>\n",
	      out);
	study_page_table(s, STUDY_RANDOM, out);
	fprintf(out, "<p>The same on %s, forward from 16 views%s.</p>\n",
	        s->quick ? "a flat detector of 64 &times; 64 pixels, 45 views, 64<sup>3</sup> voxels"
	                 : "a flat detector of 512 &times; 512 pixels, 360 views, 512<sup>3</sup> voxels",
	        s->gpu[0] ? ", on the GPU alone" : "");
	study_page_table(s, STUDY_RANDOM_CUBE, out);
}

static gt_status bodies(const study *s, FILE *out)
{
	gt_status st = GT_OK;
	fputs("<h2>A bar</h2>\n<p>25 voxels of 1 mm and value 1 along x, in parallel beams, on pixels of 1.41 mm (the paper's figure 15). Ray-driven "
	      "projectors follow the ray through the middle of a pixel; the exact values are means over pixels, so those projectors differ where "
	      "the bar ends.</p>\n",
	      out);
	study_page_table(s, STUDY_BAR_ERRORS, out);
	GT_TRY(study_page_figure(
		s, "bar",
		"Above: the projections; grey: the exact mean over each pixel. Below: differences from the model in double, in per cent of the "
		"largest value. The paper's branchless projector stays below 0.2 % at 30 degrees.",
		out));
	fputs("<h2>A head</h2>\n<p>The FORBILD head (scaled down where the field of view is smaller): its voxels, each the mean of 64 points, are "
	      "projected and compared with exact line integrals, the mean of 16 rays in each pixel, over 24 views. Line integrals have no unit. What "
	      "remains in double precision is the error of voxels and of the model.</p>\n",
	      out);
	study_page_table(s, STUDY_HEAD, out);
done:
	return st;
}

gt_status study_accuracy_parts(const study *s, FILE *out)
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
