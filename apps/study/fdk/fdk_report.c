/* Report of `gantry study fdk`. Its tables may come from another folder: a missing table was not measured. */
#include "apps/study/fdk/fdk.h"

static const study_section sections[] = {
	{ "Forms",
	  "Kernels of the backprojection (--solver fdk:kernel=NAME), their publications and default launches (change them with block=, "
	  "slab= and, for the last three with textures, views=). Forms C, D and E of Okitsu et al. kept sums in local memory because "
	  "their device had few registers; here they are forced into it.",
	  NULL, NULL, STUDY_FORMS, NULL },
	{ "Limits",
	  "Upper limits of the devices, dashed below. The traffic of the volume limits kernels that read and write it once per launch. It "
	  "does not limit kernels that sum more views in registers; the texture unit does not limit kernels without textures.",
	  NULL, NULL, STUDY_LIMITS, NULL },
	{ "The ladder",
	  "One cube (data 1 of Okitsu et al., the workload cube512 at the size below) with every kernel, each a small step from another. "
	  "Data are resident on the device; seconds are medians.",
	  "ladder", "Updates per second, stage by stage; higher is better. *: needs CUDA.", STUDY_LADDER,
	  "The paper: 135.4 s on its CPU, and 3.2 s of backprojection (8.3 s in all) by OpenGL." },
	{ "Operations and bytes",
	  "Operations of the inner loop of each kernel, counted in its source, a fused multiply-add as two (table 5 of Okitsu et al.). "
	  "Bytes: one texel of 4 bytes per voxel and view, as the paper counts, and the volume, read and written once per launch. It "
	  "needs CUDA.",
	  NULL, NULL, STUDY_COUNTS,
	  "The paper, form F: 31.2 GFLOPS and 51.5 GB/s; OpenGL 99.3 and 70.8. Its form F reuses u and 1/w over a column; here all forms "
	  "up to atomic compute them for each voxel." },
	{ "Copies",
	  "Data 1 and its volume between pageable memory of the host and the main device, the fastest of three (transfer and read-back of "
	  "table 4 of Okitsu et al.).",
	  NULL, NULL, STUDY_COPIES, NULL },
	{ "Accuracy against the CPU",
	  "Volumes of two phantoms against the CPU in double precision: PSNR = 20 log₁₀(range / RMSE), voxels that differ after rounding "
	  "to HU (thousandths of water), relative RMS difference, and largest difference.",
	  "quality",
	  "Higher is better. Textures interpolate with 8 bits of fraction, which costs tens of dB. Dashed: 40 dB, above which no "
	  "difference is visible (Okitsu et al.).",
	  STUDY_QUALITY,
	  "The paper (table 6), against its CPU: 52.6 dB with 61.9 % of the voxels different for the Shepp-Logan phantom, 40.2 dB with "
	  "77.0 % for a head; OpenGL 80.1 dB (14.7 %) and 75.0 dB (12.4 %)." },
	{ "Against the angle",
	  "48 views within four degrees around each angle on the cube of the ladder (figure 9 of Lu et al.). Kernels are slower at angles "
	  "whose detector rows cross their warps.",
	  "angles",
	  "Time per view of the backprojection alone. In the paper 256 x 1 threads are slower than 16 x 16 at 90 and 270 degrees.",
	  STUDY_ANGLES, NULL },
	{ "Blocks against the angle",
	  "20 adjacent views of 1200 around each angle, by the kernel layered with blocks of 256 threads in several shapes, N' = 20 views "
	  "and Z' = 512 slices per launch, 1024³ voxels if they fit (figure 9 of Lu et al.). It needs CUDA.",
	  "blocks", "Time per view of the backprojection alone.", STUDY_BLOCKS,
	  "The paper: 16 x 16 threads are fastest at all angles, with 95 % hits in the texture cache; 256 x 1 is slowest around 90 and "
	  "270 degrees, with 50 %." },
	{ "Views per pass",
	  "64 images passed one by one and collected for passes over the volume (figure 10 of Lu et al.; gt_backprojector, which takes "
	  "any number per pass). Kernels with textures: the fastest of the ladder with that number per launch. Dashed: the traffic of the "
	  "volume alone.",
	  "passes", "Updates per second, with uploads from page-locked memory to a GPU.", STUDY_PASSES,
	  "The paper: best at 20, 20 and 16 views for 512³, 1024³ and 2048³." },
	{ "Views per launch and threads per block",
	  "The kernel layered on the same cube with N' views per launch and nearly square blocks, Z' = 512 (figure 10 of Lu et al.). More "
	  "views save traffic of the volume and use registers; cases without enough registers are left out. It needs CUDA.",
	  "launches", "Time per view of the backprojection alone, from adjacent views in two directions.", STUDY_LAUNCHES,
	  "The paper: N' = 20 with 256 threads is fastest for 1024³, slowly rising beyond; 1024 threads do not launch with N' > 8." },
	{ "Model of the texture cache",
	  "Hit rates of figures 9 and 10 of Lu et al., by a model and not by hardware counters: lines of 8 x 4 texels, least recently used "
	  "lines are replaced, 2048 threads in adjacent blocks along x with all warps in step, 1024³ voxels from 1200 views.",
	  NULL, NULL, STUDY_CACHE,
	  "The paper, by counters of a GeForce GTX 980: about 95 % for 16 x 16 threads at all angles, 50 % for 256 x 1 near 90 and 270 "
	  "degrees; the rate falls as the views per launch rise." },
	{ "Sizes",
	  "1200 views of n² pixels to n³ voxels (tables 1 and 3 of Lu et al.). Efficiency E = 4 ρ / B, with ρ updates and B bytes of "
	  "memory traffic per second of the main device: more than 100 % if several views share the traffic of a voxel. Baseline: ahead, "
	  "the best kernel of Okitsu et al.; one thread on the CPU. Long cases are estimated from some views.",
	  "sizes", "Updates per second against the size; dashed: limits.", STUDY_FDK_SIZES,
	  "The paper, for 512³, 1024³ and 2048³ on a GeForce GTX 980: 116.7, 128.5 and 92.9 GUPS (10⁹, with copies), E = 208, 229 and 166 "
	  "%." },
	{ "Access patterns",
	  "One thread of the GPU fetches all texels of 1 to 64 images of 1024 x 1024 floats once (figures 6 and 7 of Lu et al.). The "
	  "images are layers of one texture, or a texture each. Intra-layer first: one layer after the other. Inter-layer first: all "
	  "layers at a position, then the next position. Inner loops are unrolled by 8. It needs CUDA.",
	  "patterns", "Nanoseconds per texel; lower is better.", STUDY_PATTERNS,
	  "The paper: inter-layer first on a layered texture is fastest, with the most hits in the texture cache." },
	{ "Data structures",
	  "Each view a texture, or a layer of one texture, read slice by slice or view by view (table 3 of Lu et al.): 1200 "
	  "views of n² pixels to n³ voxels, with N' and Z' of the paper for each size, and with N' = 16. Estimated from adjacent views in "
	  "two directions. It needs CUDA.",
	  "textures", "Higher is better.", STUDY_STRUCTURES,
	  "The paper: layered textures are 1.55, 1.44 and 1.14 times as fast as a texture per view, if layers are the inner loop." },
	{ "Stages",
	  "From a file of projections to a file of voxels on the main device, slab by slab (table 4 of Lu et al.): stages in sequence "
	  "(gantry recon --no-overlap), and with overlapping reading, computing and writing. Each slab filters the rows that it "
	  "reads, so filtered views stay on the device. Times of a GPU's stages are unknown while they overlap. Files are NetCDF in the "
	  "folder of the study; reading may come from the system's cache.",
	  "stages",
	  "Times of the stages as fractions of the whole in sequence; the paper: 2048³ voxels on a GeForce GTX 980. The remainder to "
	  "100 % is for opening, checking and closing files and allocating memory.",
	  STUDY_STAGES, NULL },
	{ "Pipelines",
	  "The same file to file, as table 4 of Lu et al. has it. Previous: all projections are read, data in memory are reconstructed "
	  "with overlapping transfers, then the volume is written.",
	  NULL, NULL, STUDY_PIPELINES, "The paper's times are of 2048³ voxels from 1200 views." },
	{ "RabbitCT",
	  "A synthetic data set of the benchmark: a head in a C-arm with random displacements (up to 2 mm, 6 mrad), 496 views of a short "
	  "scan or fewer at smaller sizes, into its cube of 256 mm. Chosen: filtered images pass one by one through their matrices; the "
	  "time is that of the benchmark, with uploads and the whole volume. Other rows: the same scan by fdk with that kernel, data "
	  "resident. Differences are from double precision on the CPU, in 12-bit HU as in the benchmark; no PSNR: no difference. With a "
	  "GPU a sixteenth of the slices is compared, at a quarter of the height.",
	  "rabbitct", "Updates per second, step by step. *: needs CUDA.", STUDY_RABBITCT,
	  "Papenhausen and Mueller: RMSE of 0.157 HU; the best of the earlier ranking took 0.993 s (67.7 GUPS). Their baseline has more "
	  "views per launch than the kernel ahead, so the step to rsqrt differs in this too." },
};

void fdk_parts(const study *s, study_page *p)
{
	const study_fdk *f = fdk_of(s);
	study_page_sections(p, sections, sizeof sections / sizeof *sections);
	for (int i = 0; i < 2; i++) {
		if (!f->picture[i].form)
			continue;
		study_pictures how = {
			.heading = i ? NULL : "Slices of both data",
			.text = i ? NULL : "The central slice, in double precision on the CPU and in single (figure 4 of Okitsu et al.).",
			.n = { f->picture[i].n[0], f->picture[i].n[1] },
			.pitch = { f->picture[i].pitch[0], f->picture[i].pitch[1] },
			.water_is_1 = 1
		};
		study_add_picture(&how, "CPU, double", "data-%d-reference", i + 1);
		study_add_picture(&how, FORMAT("%s, PSNR %.1f dB", f->picture[i].form, f->picture[i].psnr), "data-%d-single", i + 1);
		study_page_pictures(p, &how);
	}
}
