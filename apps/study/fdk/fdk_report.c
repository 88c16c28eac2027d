/* What `gantry study fdk` says. Tables may have been read from another folder: what is not there was not measured. */
#include "apps/study/fdk/fdk.h"

/* A section with its table and figure; lost: what is said in their place. */
typedef struct {
	int table;
	const char *title, *text, *figure, *caption, *paper;
} section;

static const section sections[] = {
	{ STUDY_FORMS, "Forms",
	  "The kernels of the backprojection (--solver fdk:kernel=NAME), where they were published, and how they are launched unless "
	  "something else is asked (block=, slab=, and views= of the last three with textures). What C, D "
	  "and E of Okitsu et al. keep in local memory, since their device had few registers, is put there by force here.",
	  NULL, NULL, NULL },
	{ STUDY_LIMITS, "Limits",
	  "Upper limits of the devices, drawn as dashed lines below. The volume's traffic limits kernels that read and write it once per "
	  "launch; those that keep sums in registers for more views are not bound by it, nor are those without textures by the texture "
	  "unit.",
	  NULL, NULL, NULL },
	{ STUDY_LADDER, "The ladder",
	  "One cube (data 1 of Okitsu et al., the workload cube512 at the size of the table below) with every kernel: each stage is "
	  "a small step from one before. Data are resident on the device; seconds are medians.",
	  "ladder", "Updates per second, stage by stage; higher is better. *: needs CUDA.",
	  "The paper has 135.4 s for its CPU, and 3.2 s of backprojection (8.3 s in all) by OpenGL." },
	{ STUDY_QUALITY, "Accuracy against the CPU",
	  "Volumes of two phantoms against the CPU in double precision: PSNR = 20 log₁₀(range / RMSE), voxels whose value differs "
	  "when rounded to whole HU (thousandths of water), the root mean square of the differences over that of the reference, the "
	  "largest.",
	  "quality",
	  "Higher is better. Textures interpolate with 8 bits of fraction, which costs tens of dB. Dashed: 40 dB, above which no "
	  "difference is seen "
	  "(Okitsu et al.).",
	  "The paper (table 6) has, against its CPU, 52.6 dB with 61.9 % of the voxels different for the Shepp-Logan phantom and 40.2 "
	  "dB with "
	  "77.0 % for a head; OpenGL 80.1 dB (14.7 %) and 75.0 dB (12.4 %)." },
	{ STUDY_ANGLES, "Against the angle",
	  "48 views within four degrees around each angle on the cube of the ladder (figure 9 of Lu et al.): kernels whose warps lie "
	  "across the "
	  "rows of the detector at some angles and along them at others take longer there.",
	  "angles",
	  "Time per view of the backprojection alone. The paper shows 256 x 1 threads falling behind 16 x 16 at 90 and 270 degrees.",
	  NULL },
	{ STUDY_BLOCKS, "Blocks against the angle",
	  "20 neighbouring views of 1200 around each angle, by the kernel layered with 256 threads per block in several shapes, N' = 20 "
	  "views and Z' = 512 slices per launch, 1024³ voxels where the memory has room (figure 9 of Lu et al.). It needs CUDA.",
	  "blocks", "Time per view of the backprojection alone.",
	  "The paper has 16 x 16 threads fastest at all angles, with hits of 95 % in the texture's cache, and 256 x 1 slowest around 90 "
	  "and 270 "
	  "degrees, with 50 %." },
	{ STUDY_PASSES, "Views per pass",
	  "64 images handed over one by one and collected for passes over the volume (figure 10 of Lu et al.; by gt_backprojector, "
	  "which takes any number per pass). Of kernels with textures the fastest with as many per launch, from the ladder. The "
	  "dashed line is the traffic of the volume alone.",
	  "passes", "Updates per second, with uploads from page-locked memory where there is a bus.",
	  "The paper has its best at 20, 20 and 16 views for 512³, 1024³ and 2048³." },
	{ STUDY_LAUNCHES, "Views per launch and threads per block",
	  "The kernel layered on the same cube with N' views per launch and blocks as close to squares as their threads allow, Z' = 512 "
	  "(figure 10 of Lu et al.). More views save traffic of the volume and take registers: cases that need more registers than the "
	  "device has are left "
	  "out, and listed at the end. It needs CUDA.",
	  "launches", "Time per view of the backprojection alone, from neighbouring views in two directions.",
	  "The paper has N' = 20 with 256 threads fastest for 1024³, slowly more time beyond, and no launch of 1024 threads with N' > 8." },
	{ STUDY_FDK_SIZES, "Sizes",
	  "1200 views of n² pixels to n³ voxels (tables 1 and 3 of Lu et al.). Efficiency E = 4 ρ / B, ρ updates and B "
	  "bytes of the main device's memory per second: more than 100 % where several views share the traffic of a voxel. The baseline "
	  "is the "
	  "best kernel of Okitsu et al., ahead; on the CPU it is one thread. Times are estimated from some of the views where all would "
	  "take long.",
	  "sizes", "Updates per second against the size; dashed: limits.",
	  "The paper has for 512³, 1024³ and 2048³ on a GeForce GTX 980 116.7, 128.5 and 92.9 GUPS (10⁹, copies "
	  "included), E = 208, 229 and 166 %." },
	{ STUDY_STRUCTURES, "Data structures",
	  "Views as textures of their own, or as layers of one, read slice by slice or view by view (figure 7 and table 3 of Lu et al.): "
	  "1200 views of n² pixels to n³ voxels, with N' and Z' as the paper has them for each size, and with N' = 16 for all. "
	  "Estimated from neighbouring views in two directions. It needs CUDA.",
	  "textures", "Higher is better.",
	  "The paper has layered textures 1.55, 1.44 and 1.14 times as fast as a texture per view, and that only where layers are the "
	  "inner loop." },
	{ STUDY_STAGES, "Stages",
	  "From a file of projections to a file of voxels on the main device, slab by slab (table 4 of Lu et al.): one stage after the "
	  "other "
	  "(gantry recon --no-overlap), and with reading, the device and writing at the same time. Each slab filters the rows that it "
	  "reads itself, so that no filtered view goes back to the host. Times of the device's stages are not known while a GPU does "
	  "them at the "
	  "same time. Files are NetCDF in the folder of this study; those just written may come from the system's cache.",
	  "stages",
	  "Share of each stage in the time. What is missing to 100 % is in none of the stages: files are opened, checked and closed, "
	  "memory is taken.",
	  "The paper takes 265.5 s one after the other, 211.8 s with transfers at the same time, and 159.6 s with files too." },
	{ STUDY_RABBITCT, "RabbitCT",
	  "A synthetic data set of the benchmark: a head seen by a C-arm with random displacements (up to 2 mm, 6 mrad), 496 views of a "
	  "short scan or as many "
	  "as the size allows, into its cube of 256 mm. Chosen: images filtered beforehand go one by one through their matrices, and "
	  "the time is that of the benchmark, uploads and the whole volume included. Other lines: the same scan by fdk with that kernel, "
	  "data resident. Differences are from the same in double on the CPU, in 12-bit HU as the benchmark counts them; no PSNR: "
	  "nothing differs. "
	  "Beside a GPU a sixteenth of the slices is compared, at a quarter of the height.",
	  "rabbitct", "Updates per second, step by step. *: needs CUDA.",
	  "Papenhausen and Mueller have an RMSE of 0.157 HU; the best of the ranking before them was 0.993 s (67.7 GUPS). Their "
	  "baseline has more views per "
	  "launch than the kernel ahead, from which rsqrt also differs by that." },
};

void fdk_parts(const study *s, study_page *p)
{
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		const section *of = &sections[i];
		study_page_text(p, of->title, "%s", of->text);
		if (!study_rows(&s->table[of->table])) {
			study_page_text(p, NULL, "Not measured: there is no %s.csv.", study_table_name(s, (size_t)of->table));
			continue;
		}
		if (of->figure)
			study_page_figure(p, of->figure, of->caption);
		study_page_table(p, of->table);
		if (of->paper)
			study_page_text(p, NULL, "%s", of->paper);
	}
}
