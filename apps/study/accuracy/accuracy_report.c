/* What `gantry study accuracy` says. */
#include <stdlib.h>
#include <string.h>
#include "apps/study/accuracy/accuracy.h"

static void times(const study *s, study_page *p)
{
	study_page_text(
		p, "Times",
		"One projection and one backprojection of the whole scan (the paper's table II). Kernels: the operator on data that is "
		"already where it computes, integral images and changes of layout included; on a GPU the median of at most five runs "
		"after one to warm up. Total: from host memory to host memory, so on a GPU with both copies. Speed-ups are against one "
		"thread. Times on the CPU are estimated from two samples of the views, so that what is done once per call is counted "
		"once; there nothing is copied.");
	study_page_table(p, STUDY_TIMES);
	study_page_text(
		p, NULL,
		"The paper has, forward and back: one thread 195.6 s and 195.4 s, 8 threads 24.1 s and 24.9 s, 32 threads 11.5 s and "
		"11.5 s (two Xeons of 8 cores); in total on a GeForce Titan X, branchless 1.42 s and 1.04 s (138 and 188 times one "
		"thread), branch-based 2.77 s and 3.02 s, in double 13.5 s and 17.7 s, Z-line back 1.21 s; the branchless kernels alone "
		"1.02 s and 0.81 s.");
	study_page_text(
		p, NULL,
		"Updates of voxels per second on %s (the paper's table III): GUPS = voxels × views / 2³⁰ / s, of the kernels alone.",
		s->quick ? "a flat detector of 64 × 64 pixels, with 45 views and 64³ voxels"
			 : "a flat detector of 512 × 512 pixels, with 360 views and 512³ voxels");
	study_page_table(p, STUDY_GUPS);
	study_page_text(
		p, NULL,
		"The paper has, forward and back: 32 threads 1.57 and 1.49, branchless 17.7 and 17.9, branch-based 5.25 and 6.05, in "
		"double 1.34 and 0.86, Z-line back 16.6.");
	study_page_figure(p, "times", "Time of the kernels for the whole scan; lower is better.");
	study_page_figure(p, "gups", "GUPS on the cube; higher is better.");
}

static void sweeps(const study *s, study_page *p)
{
	study_page_text(
		p, "Times against sizes",
		"The scan above with one of its sizes changed: times of the kernels%s Axes are logarithmic, but for few slices.%s A gap "
		"in a line is a case that did not fit into memory.",
		s->gpu[0] ? ", and how many times faster than the reference on all threads of the CPU (above one: faster)."
			  : " of the reference on all threads of the CPU, which those of a GPU would be compared with.",
		s->gpu[0] ? " The dashed line is the time to copy volume and projections to the GPU, once. Cases that take more than "
			    "0.15 s on the GPU are estimated from two samples of the views."
			  : "");
	study_page_figure(p, "views", "Against the number of views (the paper's figure 7).");
	study_page_figure(p, "size", "Against the voxels along x and along y, over the same field of view (figure 8).");
	study_page_figure(p, "slices", "Against the number of rows and slices, which grow together (figure 9).");
	study_page_figure(
		p, "few-slices",
		"Few rows and slices (figure 10, where the Z-line backprojection is the faster one up to 16 slices and takes a step after "
		"each 16).");
	study_page_text(p, NULL, "The figures are drawn from views-*.csv, size-*.csv, slices-*.csv and few-slices-*.csv.");
}

/* Arrays of every projector that is judged: NAME-KEY.f32. first: one more, or NULL. */
static void pictures(const study *s, const char *name, const char *first, study_pictures how, study_page *p)
{
	const study_accuracy_own *own = accuracy_of(s);
	char(*array)[96] = malloc((own->variants + 1) * sizeof *array);
	study_picture *list = malloc((own->variants + 1) * sizeof *list);
	how.picture = list;
	for (size_t i = 0; array && list && i <= own->variants; i++) {
		const study_variant *v = i ? &own->variant[i - 1] : NULL;
		if (v ? !v->accuracy : !first)
			continue;
		snprintf(array[how.pictures], sizeof *array, "%s-%s", name, v ? v->key : "reference");
		list[how.pictures] = (study_picture){ array[how.pictures], v ? v->label : first };
		how.pictures++;
	}
	study_page_pictures(p, &how);
	free(list);
	free(array);
}

static void forward_pictures(const study *s, const char *at, study_page *p)
{
	char name[32], heading[96];
	const gt_scan *c = s->scan;
	snprintf(name, sizeof name, "forward-%s", at);
	snprintf(heading, sizeof heading, "Ones, projected at %s degrees: differences", at);
	const study_pictures how = { .heading = heading,
		                     .text = "Of each projector from its model in double, as shares of the largest value of the view.",
		                     .n = { c->columns, c->rows },
		                     .pitch = { c->column_pitch, c->row_pitch },
		                     .quantity = "of the largest" };
	pictures(s, name, NULL, how, p);
}

static void back_pictures(const study *s, const char *from, study_page *p)
{
	char name[32], heading[96], first[96];
	const gt_grid *g = &s->grid;
	snprintf(name, sizeof name, "back-%s", from);
	snprintf(heading, sizeof heading, "Ones, backprojected from %s: the slice in the middle",
	         strcmp(from, "all") ? "one view" : "all views");
	snprintf(first, sizeof first, "%s in double", accuracy_of(s)->reference->name);
	const study_pictures how = { .heading = heading,
		                     .text = "The control “two volumes” has their differences.",
		                     .n = { g->n[0], g->n[1] },
		                     .pitch = { g->pitch[0], g->pitch[1] },
		                     .quantity = "mm" };
	pictures(s, name, first, how, p);
}

static void ones_forward(const study *s, study_page *p)
{
	study_page_text(
		p, "Ones, projected",
		"A volume of ones, so that a line integral is the length of the ray in the volume (the paper's figure 12). Each "
		"projector is compared with its model in double precision on the CPU, which has the same entries or those that it "
		"approximates: what remains is the effect of single precision, or of another computation of the same entries. Errors "
		"are over 24 views; relative: to the root mean square of the reference.");
	study_page_table(p, STUDY_FORWARD_ERRORS);
	study_page_text(p, NULL, "The paper has an RMSE of 2.77e-2 for branchless and 3.50e-4 in double, against its CPU.");
	static const char below[] =
		"Above: the row in the middle, with every projector. Below: the view in double, then for each projector its difference "
		"from its model "
		"in double, divided by the largest value of the view. The scale of each picture is its own, at most four times its root "
		"mean square; "
		"the paper shows ±2e-3. Ray-driven projectors follow the ray through the middle of a pixel, the others take the mean "
		"over the "
		"pixel: where the volume is lower than the rays of a pixel are apart, as that of one row is, part of them leaves it, "
		"and the mean is less.";
	study_page_figure(p, "forward-0", below);
	forward_pictures(s, "0", p);
	if (s->table[STUDY_FORWARD_45].columns) {
		study_page_figure(p, "forward-45", below);
		forward_pictures(s, "45", p);
	}
}

static void ones_back(const study *s, study_page *p)
{
	study_page_text(p, "Ones, backprojected",
	                "Projections of ones, from one view and from all (the paper's figures 13 and 14). Errors are over the slice in the "
	                "middle, which is shown; relative: to the root mean square of the reference.");
	study_page_table(p, STUDY_BACK_ERRORS);
	study_page_text(p, NULL, "The paper has an RMSE of 5.24e-2 for branchless and 6.92e-4 in double, from 984 views against its CPU.");
	static const char one[] =
		"From the view nearest to 0 degrees, whose source is above. Each pair: contours of the slice in the middle (of at most 192 "
		"voxels along each axis), and its difference from the model in double, divided by the largest value of the slice. The "
		"first "
		"pair is the reference itself.";
	static const char parallel[] =
		" In parallel beams every voxel gets the same value from one view: there are no contours, and the only differences are "
		"of rounding.";
	char caption[sizeof one + sizeof parallel];
	snprintf(caption, sizeof caption, "%s%s", one, s->scan->shape == GT_PARALLEL ? parallel : "");
	study_page_figure(p, "back-one", caption);
	back_pictures(s, "one", p);
	study_page_figure(p, "back-all", "The same from all views; the paper shows differences of ±2e-4.");
	back_pictures(s, "all", p);
}

static void random_numbers(const study *s, study_page *p)
{
	study_page_text(
		p, "Random numbers",
		"Volume and projections uniform in [0,1), from a fixed seed: nothing cancels and nothing is smooth. Each projector "
		"against its model in double precision on the CPU. Forward: all pixels of 32 views, eight of them at eighths of the "
		"scan. Back: from all views, the voxels of all slices in nine blocks of 32 × 32: at the corners, the middle of the "
		"edges and the middle of the grid. Relative RMS: the root mean square of the differences over that of the reference. "
		"The largest difference is given over the same, then over the root mean square of the differences, then where it is, "
		"with indices from 0.");
	study_page_table(p, STUDY_RANDOM);
	study_page_text(p, NULL, "The same on %s, forward from 16 views%s.",
	                s->quick ? "a flat detector of 64 × 64 pixels, 45 views, 64³ voxels"
	                         : "a flat detector of 512 × 512 pixels, 360 views, 512³ voxels",
	                s->gpu[0] ? ", on the GPU alone" : "");
	study_page_table(p, STUDY_RANDOM_CUBE);
}

static void bodies(study_page *p)
{
	study_page_text(
		p, "A bar",
		"25 voxels of 1 mm and value 1 along x, in parallel beams, on pixels of 1.41 mm (the paper's figure 15). Ray-driven "
		"projectors follow the ray through the middle of a pixel; the exact values are means over pixels, so those projectors "
		"differ where the bar ends.");
	study_page_table(p, STUDY_BAR_ERRORS);
	study_page_figure(
		p, "bar",
		"Above: the projections; grey: the exact mean over each pixel. Below: differences from the model in double, in per cent "
		"of the "
		"largest value. The paper's branchless projector stays below 0.2 % at 30 degrees.");
	study_page_text(
		p, "A head",
		"The FORBILD head (scaled down where the field of view is smaller): its voxels, each the mean of 64 points, are "
		"projected and compared with exact line integrals, the mean of 16 rays in each pixel, over 24 views. Line integrals "
		"have no unit. What remains in double precision is the error of voxels and of the model.");
	study_page_table(p, STUDY_HEAD);
}

void study_accuracy_parts(const study *s, study_page *p)
{
	times(s, p);
	sweeps(s, p);
	random_numbers(s, p);
	ones_forward(s, p);
	ones_back(s, p);
	bodies(p);
}
