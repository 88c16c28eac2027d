/* Report of `gantry study accuracy`. */
#include "apps/study/accuracy/accuracy.h"

/* A figure unless its table is left out. */
static void figure_of(const study *s, study_page *p, int table, const char *name, const char *caption)
{
	if (study_rows(&s->table[table]))
		study_page_figure(p, name, caption);
}

static void times(const study *s, study_page *p)
{
	static const study_section sections[] = {
		{ "Times",
		  "One projection and one backprojection of the whole scan (the paper's table II). Kernels: the operator on resident "
		  "data, with integral images and changes of layout; on a GPU the median of at most five runs after a warm-up. Total: "
		  "from host memory to host memory, so on a GPU with both copies. Speed-ups are against one thread. Times on the CPU are "
		  "estimated from two samples of the views, so that work per call counts once; nothing is copied there.",
		  NULL, NULL, STUDY_TIMES,
		  "The paper has, forward and back: one thread 195.6 s and 195.4 s, 8 threads 24.1 s and 24.9 s, 32 threads 11.5 s and "
		  "11.5 s (two Xeons of 8 cores). Total on a GeForce Titan X: branchless 1.42 s and 1.04 s (138 and 188 times one "
		  "thread), branch-based 2.77 s and 3.02 s, in double 13.5 s and 17.7 s, Z-line back 1.21 s. The branchless kernels "
		  "alone: 1.02 s and 0.81 s." },
	};
	study_page_sections(p, sections, 1);
	study_page_text(p, NULL,
	                "Voxel updates per second on %s (the paper's table III): GUPS = voxels × views / 2³⁰ / s, of the kernels alone.",
	                s->quick ? "a flat detector of 64 × 64 pixels, with 45 views and 64³ voxels"
	                         : "a flat detector of 512 × 512 pixels, with 360 views and 512³ voxels");
	study_page_table(p, STUDY_GUPS);
	study_page_text(p, NULL,
	                "The paper has, forward and back: 32 threads 1.57 and 1.49, branchless 17.7 and 17.9, branch-based 5.25 and 6.05, "
	                "in double 1.34 and 0.86, Z-line back 16.6.");
	figure_of(s, p, STUDY_TIMES, "times", "Time of the kernels for the whole scan; lower is better.");
	figure_of(s, p, STUDY_GUPS, "gups", "GUPS on the cube; higher is better.");
}

static void sweeps(const study *s, study_page *p)
{
	study_page_text(p, "Times against sizes",
	                "The scan above with one of its sizes changed: times of the kernels%s Axes are logarithmic, but for few slices.%s "
	                "A gap in a line is a case that exceeded the memory.",
	                s->gpu[0] ? ", and how many times faster than the reference on all threads of the CPU."
	                          : " of the reference on all threads of the CPU, the baseline of GPUs.",
	                s->gpu[0] ? " Dashed: the time to copy volume and projections to the GPU once. Cases of more than 0.15 s on the "
	                            "GPU are estimated from two samples of the views."
	                          : "");
	figure_of(s, p, STUDY_VIEWS_FORWARD, "views", "Against the number of views (the paper's figure 7).");
	figure_of(s, p, STUDY_SIZE_FORWARD, "size", "Against the voxels along x and along y, over the same field of view (figure 8).");
	figure_of(s, p, STUDY_SLICES_FORWARD, "slices", "Against the number of rows and slices, which grow together (figure 9).");
	figure_of(s, p, STUDY_FEW_FORWARD, "few-slices",
	          "Few rows and slices (figure 10: Z-line backprojection is faster up to 16 slices and steps after each 16).");
	study_page_text(p, NULL, "The figures are drawn from views-*.csv, size-*.csv, slices-*.csv and few-slices-*.csv.");
}

/* Shows the arrays NAME-KEY of every variant, after that of the reference (first: its title, NULL: none). */
static void pictures(const study *s, const char *name, const char *first, study_pictures how, study_page *p)
{
	if (first)
		study_add_picture(&how, first, "%s-reference", name);
	for (const study_variant *v = NULL; (v = study_next(s, v, IN_ACCURACY));)
		study_add_picture(&how, v->label, "%s-%s", name, v->key);
	study_page_pictures(p, &how);
}

static void forward_pictures(const study *s, const char *at, const char *caption, study_page *p)
{
	const gt_scan *c = s->scan;
	const study_pictures how = { .heading = FORMAT("Ones, projected at %s degrees: differences", at),
		                     .text = "Of each projector from its model in double, as fractions of the largest value of the view.",
		                     .n = { c->columns, c->rows },
		                     .pitch = { c->column_pitch, c->row_pitch },
		                     .quantity = "of the largest" };
	study_page_figure(p, FORMAT("forward-%s", at), caption);
	pictures(s, FORMAT("forward-%s", at), NULL, how, p);
}

static void back_pictures(const study *s, const char *from, const char *caption, study_page *p)
{
	const gt_grid *g = &s->grid;
	const study_pictures how = { .heading = FORMAT("Ones, backprojected from %s: the central slice",
		                                       strcmp(from, "all") ? "one view" : "all views"),
		                     .text = "The control “two volumes” shows their differences.",
		                     .n = { g->n[0], g->n[1] },
		                     .pitch = { g->pitch[0], g->pitch[1] },
		                     .quantity = "mm" };
	study_page_figure(p, FORMAT("back-%s", from), caption);
	pictures(s, FORMAT("back-%s", from), FORMAT("%s in double", accuracy_of(s)->reference->name), how, p);
}

static void ones(const study *s, study_page *p)
{
	static const study_section forward = {
		"Ones, projected",
		"A volume of ones: a line integral is the length of the ray in the volume (the paper's "
		"figure 12). Each projector is compared with its model in double precision on the CPU, "
		"which has equal or approximated entries. The rest is the effect of single precision or of "
		"another computation. Errors are over 24 views; relative: to the root mean square of the "
		"reference.",
		.table = STUDY_FORWARD_ERRORS,
		.after = "The paper has an RMSE of 2.77e-2 for branchless and 3.50e-4 in double, against its CPU."
	};
	static const study_section back = {
		"Ones, backprojected",
		"Projections of ones, from one view and from all (the paper's figures 13 and 14). Errors are "
		"over the central slice, which is shown; relative: to the root mean square of the reference.",
		.table = STUDY_BACK_ERRORS,
		.after = "The paper has an RMSE of 5.24e-2 for branchless and 6.92e-4 in double, from 984 views "
			 "against its CPU."
	};
	static const char below[] =
		"Top: the central row with every projector. Below: the view in double, then the difference of each projector from its "
		"model in double, over the largest value of the view. Each picture has its own scale, at most four times its root mean "
		"square; the paper shows ±2e-3. Ray-driven projectors follow the ray through the centre of a pixel, the others average "
		"over the pixel. Rays of one pixel may partly leave a low volume, as that of one row; its average is lower then.";
	static const char one[] =
		"From the view nearest to 0 degrees, with the source at the top. Each pair: contours of the central slice (at most 192 "
		"voxels along each axis), and its difference from the model in double over the largest value of the slice. The first pair "
		"is the reference.";
	study_page_sections(p, &forward, 1);
	if (study_rows(&s->table[STUDY_FORWARD_0]))
		forward_pictures(s, "0", below, p);
	if (study_rows(&s->table[STUDY_FORWARD_45]))
		forward_pictures(s, "45", below, p);
	study_page_sections(p, &back, 1);
	if (!study_rows(&s->table[STUDY_BACK_ERRORS]))
		return;
	back_pictures(s, "one",
	              s->scan->shape != GT_PARALLEL
	                      ? one
	                      : FORMAT("%s In parallel beams every voxel gets the same value from one view: no contours, only rounding.",
	                               one),
	              p);
	back_pictures(s, "all", "The same from all views; the paper shows differences of ±2e-4.", p);
}

static void random_numbers(const study *s, study_page *p)
{
	static const study_section random = {
		"Random numbers",
		"Volume and projections uniform in [0,1), from a fixed seed: nothing cancels and nothing is smooth. Each projector "
		"against its model in double precision on the CPU. Forward: all pixels of 32 views, eight of them at eighths of the scan. "
		"Back: from all views, the voxels of all slices in nine blocks of 32 × 32 at the corners, the edges' centres and the "
		"centre of the grid. Relative RMS: root mean square of the differences over that of the reference. The largest difference "
		"is given over that, then over the root mean square of the differences, then its position with indices from 0.",
		.table = STUDY_RANDOM
	};
	study_page_sections(p, &random, 1);
	study_page_text(p, NULL, "The same on %s, forward from 16 views%s.",
	                s->quick ? "a flat detector of 64 × 64 pixels, 45 views, 64³ voxels"
	                         : "a flat detector of 512 × 512 pixels, 360 views, 512³ voxels",
	                s->gpu[0] ? ", on the GPU alone" : "");
	study_page_table(p, STUDY_RANDOM_CUBE);
}

void study_accuracy_parts(const study *s, study_page *p)
{
	static const study_section objects[] = {
		{ "A bar",
		  "25 voxels of 1 mm and value 1 along x, in parallel beams, on pixels of 1.41 mm (the paper's figure 15). Ray-driven "
		  "projectors follow the ray through the centre of a pixel; the exact values are means over pixels, so those projectors "
		  "differ at the ends of the bar.",
		  "bar",
		  "Top: the projections; grey: the exact mean over each pixel. Bottom: differences from the model in double, in per cent "
		  "of the largest value. The paper's branchless projector stays below 0.2 % at 30 degrees.",
		  STUDY_BAR_ERRORS, NULL },
		{ "A head",
		  "The FORBILD head (reduced to smaller fields of view): its voxels, each the mean of 64 points, are projected and "
		  "compared with exact line integrals, the mean of 16 rays in each pixel, over 24 views. Line integrals have no unit. The "
		  "rest in double precision is the error of voxels and of the model.",
		  NULL, NULL, STUDY_HEAD, NULL },
	};
	times(s, p);
	sweeps(s, p);
	random_numbers(s, p);
	ones(s, p);
	study_page_sections(p, objects, 2);
	study_page_text(
		p, "Interpolation by textures",
		"The first 1024 of 32768 positions between two texels with the values 0 and 1 (the paper's figure 11). A texture unit "
		"has 8 bits of fraction: steps of 1/256, errors of at most 1/512. The curves of projectors are running sums over "
		"pixels of 1/32768 voxel that see one voxel; projectors that fetch integral images from textures show the steps. All "
		"values are in interpolation.csv.");
	figure_of(s, p, STUDY_INTERPOLATION, "interpolation", "Left: the value. Right: its difference from the exact value.");
}
