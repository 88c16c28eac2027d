/* The study of analytic reconstruction: forms, devices and tables. */
#include <stdint.h>
#include "apps/study/fdk/fdk.h"

static const study_columns tables[] = {
	{ "forms", "form$|published as$|views per launch|block$|what it does$|here$" },
	{ "limits", "device$|limit$|GUPS [2^30/s]|how$" },
	{ "ladder", "stage$|form$|device$|views per launch|filter [s]|backprojection [s]|whole [s]|GUPS [2^30/s]|times the one before|"
	            "paper: backprojection [s]|paper: whole [s]" },
	{ "quality", "data$|form$|device$|PSNR [dB]|voxels off by 1 HU when rounded [%]|relative RMS|largest [HU]" },
	{ "angles", "angle [degrees]|..." },
	{ "blocks", "angle [degrees]|..." },
	{ "passes", "views per pass|..." },
	{ "launches", "views per launch|..." },
	{ "sizes", "data$|form$|device$|filter [s]|backprojection [s]|whole [s]|GUPS [2^30/s]|GUPS [10^9/s]|E [%]|"
	           "backprojection, times the baseline|whole, times the baseline|voxels along an edge" },
	{ "textures", "data$|textures$|form$|views per launch|slices per launch|backprojection [s]|GUPS [2^30/s]|times a texture per view|"
	              "paper: backprojection [s]|paper: times a texture per view" },
	{ "patterns", "layers|..." },
	{ "stages", "stage$|one after the other [s]|GB/s|at the same time [s]|paper: one after the other [s]|paper: at the same time [s]" },
	{ "pipelines", "pipeline$|whole [s]|paper: whole [s]" },
	{ "rabbitct", "step$|form$|device$|views per launch|time [s]|GUPS [2^30/s]|GUPS [10^9/s]|RMSE [HU]|largest [HU]|PSNR [dB]|"
	              "paper: time on a GTX 680 [s]|paper: GUPS [10^9/s]" },
	{ "counts", "stage$|form$|operations per voxel and view|bytes per voxel and view|GFLOPS|GB/s|paper: GFLOPS|paper: GB/s" },
	{ "copies", "copy$|MB|time [s]|GB/s|paper: time [s]" },
	{ "cache", "figure$|block$|angle [degrees]|views per launch|..." },
};

static void add_cpu(study *s, int threads, gt_type type)
{
	fdk_way *w = &fdk_of(s)->way[fdk_of(s)->ways++];
	*w = (fdk_way){ .type = type, .all = threads == s->threads };
	snprintf(w->backend, sizeof w->backend, "cpu:%d", threads);
	snprintf(w->label, sizeof w->label, "CPU, %d thread%s%s", threads, threads == 1 ? "" : "s", type == GT_F64 ? ", double" : "");
}

/* Fills the table of forms. With a GPU its forms are measured, but not one thread of the CPU, which would take
 * hours. */
static void find_ways(study *s)
{
	study_table *t = &s->table[STUDY_FORMS];
	if (s->threads > 1 && !s->gpu[0])
		add_cpu(s, 1, GT_F32);
	add_cpu(s, s->threads, GT_F32);
	add_cpu(s, s->threads, GT_F64);
	study_row(t, TXT("on the CPU"), TXT(""), NUM(NAN), TXT("16 columns of voxels per thread"),
	          TXT("filtered views column by column: rows interpolated once, 64 slices from the same rows"), TXT("yes"));
	for (const fdk_form *f = fdk_forms; f->name; f++) {
		fdk_way *w = &fdk_of(s)->way[fdk_of(s)->ways];
		study_row(t, TXT(f->name), TXT(f->published), NUM(f->views ? f->views : NAN), TXT(f->block), TXT(f->how),
		          TXT(s->gpu[0] ? "yes" : "needs CUDA"));
		if (!s->gpu[0])
			continue;
		*w = (fdk_way){ .form = f, .type = GT_F32, .gpu = 1 };
		snprintf(w->backend, sizeof w->backend, "%s", s->gpu);
		snprintf(w->label, sizeof w->label, "%s", f->name);
		fdk_of(s)->ways++;
	}
}

/* The cube on the CPU alone has a quarter of the paper's edge, which takes minutes. */
static gt_status prepare(study *s, const study_options *o)
{
	static const int cuda[] = { STUDY_BLOCKS, STUDY_LAUNCHES, STUDY_STRUCTURES, STUDY_PATTERNS, STUDY_COUNTS };
	(void)o;
	fdk_of(s)->cube = s->quick ? 40 : s->gpu[0] ? 512 : 128;
	fdk_of(s)->enough = s->quick ? 0.05 : 0.4;
	snprintf(s->geometry, sizeof s->geometry,
	         "circular scans of a flat detector (the workload cube512 at other sizes), and a C-arm with random displacements%s",
	         s->quick ? "; small, few points" : "");
	study_begin_tables(s, STUDY_FORMS, STUDY_CACHE);
	for (size_t i = 0; !s->gpu[0] && i < sizeof cuda / sizeof *cuda; i++)
		study_table_free(&s->table[cuda[i]]);
	find_ways(s);
	return GT_OK;
}

/* Removes tables without a measurement, for lack of time or memory. */
static void drop_unmeasured(study *s)
{
	static const struct {
		int table;
		size_t from, to; /* columns of measurements */
	} swept[] = {
		{ STUDY_ANGLES, 1, SIZE_MAX }, { STUDY_BLOCKS, 1, SIZE_MAX }, { STUDY_LAUNCHES, 1, SIZE_MAX }, { STUDY_STRUCTURES, 5, 7 }
	};
	for (size_t k = 0; k < sizeof swept / sizeof *swept; k++) {
		study_table *t = &s->table[swept[k].table];
		int measured = 0;
		for (size_t i = 0; i < t->cells; i++)
			measured |= i % t->columns >= swept[k].from && i % t->columns <= swept[k].to && !isnan(t->cell[i].number);
		if (!measured)
			study_table_free(t);
	}
}

static gt_status measure(study *s)
{
	s->steps = 7 + fdk_ladder_steps(s) + fdk_sweeps_steps(s) + fdk_launches_steps(s) + fdk_rabbit_steps(s) + 1;
	GT_OR_RETURN(fdk_limits(s));
	return study_run_parts(s);
}

static const study_part order[] = {
	{ "cache", fdk_cache, 0 },       { "ladder", fdk_ladder, 0 }, { "angles", fdk_angles, 0 },     { "passes", fdk_passes, 0 },
	{ "sizes", fdk_sizes, 0 },       { "blocks", fdk_blocks, 0 }, { "launches", fdk_launches, 0 }, { "textures", fdk_textures, 0 },
	{ "patterns", fdk_patterns, 1 }, { "stages", fdk_stages, 0 }, { "rabbitct", fdk_rabbit, 0 },
};

const study_kind study_kind_fdk = {
	.name = "fdk",
	.title = "Analytic reconstruction: backprojection step by step",
	.intro = "The time of filtered backprojection of cone beams (FDK) with each kernel of its backprojection, and its accuracy "
		 "against double precision on the CPU. Experiments and printed results: Y. Okitsu, F. Ino, K. Hagihara (2008), kernels A "
		 "to F; E. Papenhausen, K. Mueller, “Rapid Rabbit”, IEEE NSS/MIC (2013); Y. Lu, F. Ino, K. Hagihara, “Cache-aware GPU "
		 "optimization for out-of-core cone beam CT reconstruction of high-resolution volumes”, IEICE Trans. Inf. & Syst. (2016).",
	.table = tables,
	.tables = sizeof tables / sizeof *tables,
	.own_size = sizeof(study_fdk),
	.takes = TAKES_SECONDS | TAKES_CASE,
	.order = order,
	.orders = sizeof order / sizeof *order,
	.from_tables = 1,
	.prepare = prepare,
	.measure = measure,
	.complete = drop_unmeasured,
	.figures = fdk_figures,
	.parts = fdk_parts,
};
