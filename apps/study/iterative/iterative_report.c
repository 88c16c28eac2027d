/* What `gantry study iterative` says. */
#include <stdlib.h>
#include "apps/study/iterative/iterative.h"
#include "apps/study/iterative/methods/methods.h"

/* Transverse slices through the middle, of which water is 1. Window in HU. */
static void pictures(const gt_grid *g, const study_picture *list, size_t n, const char *heading, double low, double high, study_page *p)
{
	const study_pictures how = { .heading = heading,
		                     .picture = list,
		                     .pictures = n,
		                     .n = { g->n[0], g->n[1] },
		                     .pitch = { g->pitch[0], g->pitch[1] },
		                     .water_is_1 = 1,
		                     .low = low,
		                     .high = high };
	study_page_pictures(p, &how);
}

static void case_pictures(const study *s, const study_case *c, study_page *p)
{
	char name[3][64];
	const study_picture list[3] = { { name[0], "phantom" }, { name[1], c->solver }, { name[2], "fdk" } };
	snprintf(name[0], sizeof name[0], "%s-truth-transverse", c->key);
	snprintf(name[1], sizeof name[1], "%s-iterative-transverse", c->key);
	snprintf(name[2], sizeof name[2], "%s-fdk-transverse", c->key);
	pictures(&s->grid, list, c->show_fdk ? 3 : 2, NULL, 1000 * (c->low - 1), 1000 * (c->high - 1), p);
}

static void cases(const study *s, study_page *p)
{
	static const char *const captions[STUDY_CASES] = {
		"os-sart, the paper's figure 16: there the window of the error is ±0.02 of water, here as many HU. Below: profiles.",
		"os-sart, figure 17, in the window 1 to 1.2 of water.",
		"pcg with q-GGMRF from fdk, weights from the photons: as figure 18, of a phantom.",
		("sart with all views at once and FISTA's momentum (sirt:momentum), no penalty: as figure 19, with fdk beside it. "
		 "Without a penalty it fits the noise in the end: the figure above shows where its error begins to rise."),
	};
	study_page_text(
		p, "Reconstructions",
		"Phantoms with exact line integrals, each pixel the mean of 4 × 4 rays. They are longer than the volume, as heads are: "
		"the slices below and above that the cone meets are computed too, and neither shown nor compared. Steps are the "
		"projector dd's and its exact adjoint's; os-sart and sart start from zero. Errors are from the means of the phantom "
		"over voxels, HU are thousandths of water. RMSE is ruled by the edges of bone, where voxels are coarser than the "
		"phantom. SSIM: Wang et al. (2004), windows of 11 × 11 pixels of transverse slices, range of the truth.");
	study_page_table(p, STUDY_ERRORS);
	study_page_figure(p, "convergence", "Error (RMSE from the truth) after each iteration, all slices.");
	for (int i = 0; i < STUDY_CASES; i++) {
		char heading[160];
		snprintf(heading, sizeof heading, "%s: %s, %d iterations", study_cases[i].title, study_cases[i].solver,
		         study_case_iterations(s, &study_cases[i]));
		study_page_text(p, heading, "%s", captions[i]);
		case_pictures(s, &study_cases[i], p);
		study_page_figure(p, study_cases[i].key, "Truth, reconstruction and error, in all three planes.");
	}
}

static void reference(const study *s, study_page *p)
{
	const study_device d = study_device_main(s), r = study_device_reference(s);
	char heading[160], last[120] = "";
	snprintf(heading, sizeof heading, "%s against %s", d.name, r.name);
	if (found_of(s)->cpu_reduce > 1 && found_of(s)->cpu_iterations > 0)
		snprintf(last, sizeof last, "The last line has all voxels, every tenth view and %d iteration%s. ",
		         found_of(s)->cpu_iterations, found_of(s)->cpu_iterations > 1 ? "s" : "");
	study_page_text(p, heading,
	                "The same runs on both, %s. %sThe paper has 0.57 HU after 100 iterations of pcg, ±0.001 and ±0.005 of water as "
	                "windows of figures 16 and 17, and 0.9905 as SSIM of its sart with fdk.",
	                found_of(s)->cpu_reduce > 1
	                        ? "with all iterations, at a part of the size (views, pixels and voxels), for the time that the CPU takes"
	                        : "at the size above with all iterations",
	                last);
	study_page_table(p, STUDY_REFERENCE);
	for (int i = 0; i < STUDY_CASES; i++) {
		char name[64], caption[256];
		snprintf(name, sizeof name, "%s-reference", study_cases[i].key);
		snprintf(caption, sizeof caption, "%s, %s. The window of the difference is four times its root mean square, %.3g HU.",
		         study_cases[i].title, study_cases[i].solver, found_of(s)->narrow[i]);
		study_page_figure(p, name, caption);
	}
}

static void times(const study *s, study_page *p)
{
	study_page_text(
		p, "Time of an iteration",
		"Means without the first. s per iteration: as it runs. The split (the paper's table V) is %s, with the queue of the "
		"device finished before and after every projection and backprojection; the rest is everything else: updates of volumes "
		"and data, penalty, sums.",
		s->gpu[0] ? "of a run of its own on the GPU, of the same one on the CPU" : "of the same run");
	study_page_table(p, STUDY_ITERATION);
	study_page_figure(p, "iteration", "What an iteration is spent on, by the split. The table has the other devices and sizes too.");
	study_page_text(
		p, NULL,
		"The paper has, for one iteration of os-sart on the head with 32 threads 24.1 s and 26.6 s, and with the branchless "
		"projector on a GeForce Titan X 2.75 s and 2.78 s, of which the kernels take 2.25 s and 1.92 s.");
}

static void noise(const study *s, study_page *p)
{
	const study_findings *f = found_of(s);
	study_page_text(
		p, "Noise at equal resolution",
		"The FORBILD head at 1e4 photons per ray, %s, with two spheres of 10 mm in its brain (1.05 of water), of 100 and 500 "
		"HU. An error function is fitted to all voxels within 6 mm of a sphere's surface, by their distance from it; its 10 to "
		"90 %% width is the resolution, of all the surface and of what faces the plane. Noise is the standard deviation around "
		"the spheres, from the difference of two draws. fdk with windows and cut-offs, pcg with q-GGMRF (p = 2, q = 1.2, c = 10 "
		"HU) and strengths in units of views × pitch². Windows of fdk blur in the plane alone, the penalty in all directions. "
		"As edges of more contrast are smoothed less by such a penalty, two contrasts are shown: results for one contrast do "
		"not hold for all, and widths do not describe the texture of noise. Strengths and cut-offs were chosen after runs of "
		"small size, so that the curves overlap; all of them are in the tables. Iterations of pcg are %d, which weak strengths "
		"may not converge in.",
		s->quick ? "at twice the resolution of the small study" : "every second view", study_noise_iterations(s));
	study_page_figure(p, "noise", "Lower and further left is better.");
	study_page_text(p, NULL, "%s", f->claim);
	study_page_table(p, STUDY_RESOLUTION);
	study_page_table(p, STUDY_NOISE);
	if (f->pcg[0]) {
		const study_picture list[] = { { "noise-fdk-transverse", f->fdk }, { "noise-pcg-transverse", f->pcg } };
		study_page_figure(p, "noise-pictures",
		                  "Where noise falls most, beside the fdk whose edge (of 100 HU, all of the surface) is nearest in width: "
		                  "its 10 to 90 %, and the noise.");
		pictures(&f->grid, list, 2, "The same two in the middle slice", -150, 250, p);
	}
}

void study_iterative_parts(const study *s, study_page *p)
{
	if (!found_of(s)->methods_alone) {
		cases(s, p);
		reference(s, p);
		times(s, p);
		noise(s, p);
	}
	methods_parts(s, p);
}
