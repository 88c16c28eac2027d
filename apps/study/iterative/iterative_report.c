/* What `gantry study iterative` says. */
#include <stdlib.h>
#include "apps/cli/try.h"
#include "apps/study/iterative/iterative.h"

static gt_status cases(const study *s, FILE *out)
{
	static const char *const captions[STUDY_CASES] = {
		"os-sart, the paper's figure 16: there the window of the error is &plusmn;0.02 of water, here as many HU. Below: profiles.",
		"os-sart, figure 17, in the window 1 to 1.2 of water.",
		"pcg with q-GGMRF from fdk, weights from the photons: as figure 18, of a phantom.",
		("sart with all views at once and FISTA's momentum (<code>sirt:momentum</code>), no penalty: as figure 19, with fdk beside it. "
		 "Without a penalty it fits the noise in the end: the figure above shows where its error begins to rise."),
	};
	gt_status st = GT_OK;
	fputs("<h2>Reconstructions</h2>\n<p>Phantoms with exact line integrals, each pixel the mean of 4 &times; 4 rays. They are longer than the "
	      "volume, as heads are: the slices below and above that the cone meets are computed too, and neither shown nor compared. Steps are the "
	      "projector <code>dd</code>'s and its exact adjoint's; os-sart and sart start from zero. Errors are from the means of the phantom over "
	      "voxels, HU are thousandths of water. RMSE is ruled by the edges of bone, where voxels are coarser than the phantom. SSIM: Wang et al. "
	      "(2004), windows of 11 &times; 11 pixels of transverse slices, range of the truth.</p>\n",
	      out);
	study_page_table(s, STUDY_ERRORS, out);
	GT_TRY(study_page_figure(s, "convergence", "Error (RMSE from the truth) after each iteration, all slices.", out));
	for (int i = 0; i < STUDY_CASES; i++) {
		fprintf(out, "<h3>%s: %s, %d iterations</h3>\n", study_cases[i].title, study_cases[i].solver,
		        study_case_iterations(s, &study_cases[i]));
		GT_TRY(study_page_figure(s, study_cases[i].key, captions[i], out));
	}
done:
	return st;
}

static gt_status reference(const study *s, FILE *out)
{
	gt_status st = GT_OK;
	const study_device d = study_device_main(s), r = study_device_reference(s);
	fprintf(out, "<h2>%s against %s</h2>\n<p>The same runs on both, %s. ", d.name, r.name,
	        found_of(s)->cpu_reduce > 1
	                ? "with all iterations, at a part of the size (views, pixels and voxels), for the time that the CPU takes"
	                : "at the size above with all iterations");
	if (found_of(s)->cpu_reduce > 1 && found_of(s)->cpu_iterations > 0)
		fprintf(out, "The last line has all voxels, every tenth view and %d iteration%s. ", found_of(s)->cpu_iterations,
		        found_of(s)->cpu_iterations > 1 ? "s" : "");
	fputs("The paper has 0.57 HU after 100 iterations of pcg, &plusmn;0.001 and &plusmn;0.005 of water as windows of figures 16 and 17, and "
	      "0.9905 as SSIM of its sart with fdk.</p>\n",
	      out);
	study_page_table(s, STUDY_REFERENCE, out);
	for (int i = 0; i < STUDY_CASES; i++) {
		char name[64], caption[256];
		snprintf(name, sizeof name, "%s-reference", study_cases[i].key);
		snprintf(caption, sizeof caption, "%s, %s. The window of the difference is four times its root mean square, %.3g HU.",
		         study_cases[i].title, study_cases[i].solver, found_of(s)->narrow[i]);
		GT_TRY(study_page_figure(s, name, caption, out));
	}
done:
	return st;
}

static gt_status times(const study *s, FILE *out)
{
	gt_status st = GT_OK;
	fprintf(out,
	        "<h2>Time of an iteration</h2>\n<p>Means without the first. <em>s per iteration</em>: as it runs. The split (the paper's table V) "
	        "is %s, with the queue of the device finished before and after every projection and backprojection; <em>the rest</em> "
	        "is everything else: updates of volumes and data, penalty, sums.</p>\n",
	        s->gpu[0] ? "of a run of its own on the GPU, of the same one on the CPU" : "of the same run");
	study_page_table(s, STUDY_ITERATION, out);
	GT_TRY(study_page_figure(s, "iteration",
	                         "What an iteration is spent on, by the split. The table has the other devices and sizes too.", out));
	fputs("<p class=\"small\">The paper has, for one iteration of os-sart on the head with 32 threads 24.1 s and 26.6 s, and with the branchless "
	      "projector on a GeForce Titan X 2.75 s and 2.78 s, of which the kernels take 2.25 s and 1.92 s.</p>\n",
	      out);
done:
	return st;
}

static gt_status noise(const study *s, FILE *out)
{
	const study_findings *f = found_of(s);
	gt_status st = GT_OK;
	fprintf(out,
	        "<h2>Noise at equal resolution</h2>\n<p>The FORBILD head at 1e4 photons per ray, %s, with two spheres of 10 mm in its "
	        "brain (1.05 of water), of 100 and 500 HU. An error function is fitted to all voxels within 6 mm of a sphere's surface, by "
	        "their distance from it; its 10 to 90 %% width is the resolution, of all the surface and of what faces the plane. Noise is the "
	        "standard deviation around the spheres, from the difference of two draws. fdk with windows and cut-offs, pcg with q-GGMRF "
	        "(p = 2, q = 1.2, c = 10 HU) and strengths in units of views &times; pitch&sup2;. Windows of fdk blur in the plane alone, the "
	        "penalty in all directions. As edges of more contrast are smoothed less by such a penalty, two contrasts are shown: results for one contrast do not hold for all, and widths do not describe the texture of noise. Strengths and "
	        "cut-offs were chosen after runs of small size, so that the curves overlap; all of them are in the tables. Iterations of pcg are %d, "
	        "which weak strengths may not converge in.</p>\n",
	        s->quick ? "at twice the resolution of the small study" : "every second view", study_noise_iterations(s));
	GT_TRY(study_page_figure(s, "noise", "Lower and further left is better.", out));
	fputs("<p><strong>", out);
	study_html_text(f->claim, out);
	fputs("</strong></p>\n", out);
	study_page_table(s, STUDY_RESOLUTION, out);
	study_page_table(s, STUDY_NOISE, out);
	if (f->pcg[0])
		GT_TRY(study_page_figure(
			s, "noise-pictures",
			"Where noise falls most, beside the fdk whose edge (of 100 HU, all of the surface) is nearest in width: its 10 to 90 %, and the noise.",
			out));
done:
	return st;
}

gt_status study_iterative_parts(const study *s, FILE *out)
{
	gt_status st = GT_OK;
	GT_TRY(cases(s, out));
	GT_TRY(reference(s, out));
	GT_TRY(times(s, out));
	GT_TRY(noise(s, out));
done:
	return st;
}
