/* Report of `gantry study iterative`. */
#include "apps/study/iterative/methods/methods.h"

/* For transverse central slices, of which water is 1. Window in HU. */
static study_pictures slices(const gt_grid *g, const char *heading, double low, double high)
{
	return (study_pictures){ .heading = heading,
		                 .n = { g->n[0], g->n[1] },
		                 .pitch = { g->pitch[0], g->pitch[1] },
		                 .water_is_1 = 1,
		                 .low = low,
		                 .high = high };
}

static void cases(const study *s, study_page *p)
{
	static const char *const captions[STUDY_CASES] = {
		"os-sart, the paper's figure 16: there the window of the error is ±0.02 of water, here the same in HU. Below: profiles.",
		"os-sart, figure 17, in the window 1 to 1.2 of water.",
		"pcg with q-GGMRF from fdk, weights from the photons: as figure 18, of a phantom.",
		("sart with all views at once and FISTA's momentum (sirt:momentum), no penalty: as figure 19, with fdk. Without a penalty "
		 "it finally fits the noise: the figure above shows when its error begins to rise."),
	};
	static const study_section section = {
		"Reconstructions",
		"Phantoms with exact line integrals, each pixel the mean of 4 × 4 rays. The phantoms are longer than the volume: the "
		"slices below and above that the cone crosses are computed, but neither shown nor compared. Steps use the projector dd "
		"and its exact adjoint; os-sart and sart start from zero. Errors are from the means of the phantom over voxels, HU are "
		"thousandths of water. The edges of bone dominate RMSE, because voxels are coarser than the phantom. SSIM: Wang et al. "
		"(2004), windows of 11 × 11 pixels of transverse slices, range of the truth.",
		.table = STUDY_ERRORS
	};
	study_page_sections(p, &section, 1);
	study_page_figure(p, "convergence", "Error (RMSE from the truth) after each iteration, all slices.");
	for (int i = 0; i < STUDY_CASES; i++) {
		const study_case *c = &study_cases[i];
		study_pictures how = slices(&s->grid, NULL, 1000 * (c->low - 1), 1000 * (c->high - 1));
		study_add_picture(&how, "phantom", "%s-truth-transverse", c->key);
		study_add_picture(&how, c->solver, "%s-iterative-transverse", c->key);
		if (c->show_fdk)
			study_add_picture(&how, "fdk", "%s-fdk-transverse", c->key);
		study_page_text(p, FORMAT("%s: %s, %d iterations", c->title, c->solver, study_case_iterations(s, c)), "%s", captions[i]);
		study_page_pictures(p, &how);
		study_page_figure(p, c->key, "Truth, reconstruction and error, in all three planes.");
	}
}

static void reference(const study *s, study_page *p)
{
	const study_findings *f = found_of(s);
	const int reduced = f->cpu_reduce > 1;
	study_page_text(p, FORMAT("%s against %s", study_device_main(s).name, study_device_reference(s).name),
	                "The same runs on both, %s. %sThe row helix has the head on two rotations of pitch 31/32 (figure 18). The paper "
	                "has 0.57 HU after 100 iterations of pcg, ±0.001 and ±0.005 of water as "
	                "windows of figures 16 and 17, and 0.9905 as SSIM of its sart with fdk.",
	                reduced ? "with all iterations, at reduced size (views, pixels and voxels) to limit the time of the CPU"
	                        : "at the size above with all iterations",
	                reduced && f->cpu_iterations > 0 ? FORMAT("The last row has all voxels, every tenth view and %d iteration%s. ",
	                                                          f->cpu_iterations, f->cpu_iterations > 1 ? "s" : "")
	                                                 : "");
	study_page_table(p, STUDY_REFERENCE);
	for (int i = 0; i < STUDY_CASES; i++)
		study_page_figure(p, FORMAT("%s-reference", study_cases[i].key),
		                  FORMAT("%s, %s. The window of the difference is four times its root mean square, %.3g HU.",
		                         study_cases[i].title, study_cases[i].solver, f->narrow[i]));
}

static void times(const study *s, study_page *p)
{
	study_page_text(p, "Time of an iteration",
	                "Means without the first. s per iteration: the normal run. The split (the paper's table V) is %s; the queue of "
	                "the device is finished before and after every projection and backprojection. Other: updates of volumes and "
	                "data, penalty, sums.",
	                s->gpu[0] ? "of a separate run on the GPU, of the same run on the CPU" : "of the same run");
	study_page_table(p, STUDY_ITERATION);
	study_page_figure(p, "iteration", "Parts of an iteration, by the split. The table has the other devices and sizes too.");
	study_page_text(p, NULL,
	                "The paper has, for one iteration of os-sart on the head: 24.1 s and 26.6 s with 32 threads; 2.75 s and 2.78 s "
	                "with the branchless projector on a GeForce Titan X, of which the kernels take 2.25 s and 1.92 s.");
}

static void noise(const study *s, study_page *p)
{
	const study_findings *f = found_of(s);
	study_page_text(p, "Noise at equal resolution",
	                "The FORBILD head at 1e4 photons per ray, %s, with two spheres of 10 mm in its brain (1.05 of water), of 100 and "
	                "500 HU. An error function is fitted to all voxels within 6 mm of a sphere's surface, by their distance from it; "
	                "its 10 to 90 %% width is the resolution, of the whole surface and of the part that faces the plane. Noise is the "
	                "standard deviation around the spheres, from the difference of two draws. fdk with windows and cut-offs, pcg with "
	                "q-GGMRF (p = 2, q = 1.2, c = 10 HU) and strengths in units of views × pitch². Windows of fdk blur in the plane "
	                "alone, the penalty in all directions. The penalty smooths edges of more contrast less, so two contrasts are "
	                "shown. Limits: results of one contrast do not hold for others, and widths do not describe the texture of noise. "
	                "Strengths and cut-offs were chosen after runs of small size so that the curves overlap; all are in the tables. "
	                "pcg has %d iterations, in which weak strengths may not converge.",
	                s->quick ? "at twice the resolution of the small study" : "every second view", study_noise_iterations(s));
	study_page_figure(p, "noise", "Lower and further left is better.");
	study_page_text(p, NULL, "%s", f->claim);
	study_page_table(p, STUDY_RESOLUTION);
	study_page_table(p, STUDY_NOISE);
	if (f->pcg[0]) {
		study_pictures how = slices(&f->grid, "The same two in the central slice", -150, 250);
		study_add_picture(&how, f->fdk, "noise-fdk-transverse");
		study_add_picture(&how, f->pcg, "noise-pcg-transverse");
		study_page_figure(p, "noise-pictures",
		                  "The strength with the largest reduction of noise, next to the fdk whose edge (of 100 HU, the whole "
		                  "surface) is nearest in width: 10 to 90 % width, and noise.");
		study_page_pictures(p, &how);
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
