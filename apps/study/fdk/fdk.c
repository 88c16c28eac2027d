/* The study of direct reconstruction: who takes part, and its tables written or read. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "apps/cli/try.h"
#include "apps/study/fdk/fdk.h"

static const char flat_block[] = "16 x 16 columns of voxels, 128 slices per launch";
const fdk_form fdk_forms[] = {
	{ "strided", "Okitsu 2008: A", flat_block, "one view, lanes of a warp along y: accesses to the volume not coalesced", 1, 1, 0, 0 },
	{ "coalesced", "Okitsu 2008: B", flat_block, "lanes along x", 1, 1, 0, 0 },
	{ "local", "Okitsu 2008: C", flat_block, "4 views, added one by one to a sum in local memory", 4, 1, 0, 1 },
	{ "local-ahead", "Okitsu 2008: D", flat_block, "the same with 12 views: places are computed ahead of what is fetched", 12, 1, 0,
	  1 },
	{ "local-once", "Okitsu 2008: E", flat_block, "12 views, four in one expression: local memory accessed once for them", 12, 1, 0,
	  1 },
	{ "batched", "", flat_block, "4 views summed in registers", 4, 1, 0, 0 },
	{ "ahead", "Okitsu 2008: F", flat_block, "12 views summed in registers", 12, 1, 1, 0 },
	{ "rsqrt", "Papenhausen 2013: +RSQRT", flat_block, "16 views, 1/w as rsqrt(w w)", 16, 1, 0, 0 },
	{ "transposed", "Papenhausen 2013: +Transpose", flat_block, "besides, views along y on a volume with x and y exchanged", 16, 1, 0,
	  0 },
	{ "atomic", "Papenhausen 2013: +Atomics", flat_block, "besides, sums added without being read", 16, 1, 0, 0 },
	{ "separate", "Lu 2016: baseline", flat_block, "u free of z; slices outside, views inside, a texture for each", 16, 1, 0, 1 },
	{ "intra", "Lu 2016: intra-layer first", flat_block, "one layered texture; views outside, slices inside", 16, 1, 0, 0 },
	{ "layered", "Lu 2016: inter-layer first", flat_block, "one layered texture; slices outside, views inside", 16, 1, 0, 0 },
	{ "plain", "", "16 slices of a column per thread", "no texture: places in double, two rows interpolated per voxel", 0, 1, 0, 0 },
	{ "tiles", "", "16 x 16 columns, all views of a batch", "tiles of each view in shared memory, rows interpolated once", 0, 1, 0, 0 },
	{ "tilted", "", "the same", "tiles for tilted detectors", 0, 0, 0, 0 },
	{ .name = NULL },
};

const fdk_form *fdk_form_find(const char *name)
{
	const fdk_form *f = fdk_forms;
	while (f->name && strcmp(f->name, name))
		f++;
	return f->name ? f : NULL;
}

/* The heads that each table begins with, and what its columns hold: text (t) or numbers (n). more: numbers come after, a column for each
 * that took part. */
static const struct {
	int table, more;
	const char *kind, *head[14];
} tables[] = {
	{ STUDY_FORMS, 0, "ttnttt", { "form", "published as", "views per launch", "block", "what it does", "here" } },
	{ STUDY_LIMITS, 0, "ttnt", { "device", "limit", "GUPS [2^30/s]", "how" } },
	{ STUDY_LADDER,
	  0,
	  "tttnnnnnnnn",
	  { "stage", "form", "device", "views per launch", "filter [s]", "backprojection [s]", "whole [s]", "GUPS [2^30/s]",
	    "times the one before", "paper: backprojection [s]", "paper: whole [s]" } },
	{ STUDY_QUALITY,
	  0,
	  "tttnnnn",
	  { "data", "form", "device", "PSNR [dB]", "voxels off by 1 HU when rounded [%]", "relative RMS", "largest [HU]" } },
	{ STUDY_ANGLES, 1, "n", { "angle [degrees]" } },
	{ STUDY_BLOCKS, 1, "n", { "angle [degrees]" } },
	{ STUDY_PASSES, 1, "n", { "views per pass" } },
	{ STUDY_LAUNCHES, 1, "n", { "views per launch" } },
	{ STUDY_FDK_SIZES,
	  0,
	  "tttnnnnnnnnn",
	  { "data", "form", "device", "filter [s]", "backprojection [s]", "whole [s]", "GUPS [2^30/s]", "GUPS [10^9/s]", "E [%]",
	    "backprojection, times the baseline", "whole, times the baseline", "voxels along an edge" } },
	{ STUDY_STRUCTURES,
	  0,
	  "tttnnnnnnn",
	  { "data", "textures", "form", "views per launch", "slices per launch", "backprojection [s]", "GUPS [2^30/s]",
	    "times a texture per view", "paper: backprojection [s]", "paper: times a texture per view" } },
	{ STUDY_STAGES,
	  0,
	  "tnnnnn",
	  { "stage", "one after the other [s]", "GB/s", "at the same time [s]", "paper: one after the other [s]",
	    "paper: at the same time [s]" } },
	{ STUDY_RABBITCT,
	  0,
	  "tttnnnnnnnnn",
	  { "step", "form", "device", "views per launch", "time [s]", "GUPS [2^30/s]", "GUPS [10^9/s]", "RMSE [HU]", "largest [HU]",
	    "PSNR [dB]", "paper: time on a GTX 680 [s]", "paper: GUPS [10^9/s]" } },
};
enum { TABLES = sizeof tables / sizeof *tables };

static size_t fixed_heads(int i)
{
	size_t n = 0;
	while (n < sizeof tables[i].head / sizeof *tables[i].head && tables[i].head[n])
		n++;
	return n;
}

/* Of launches of kernels with textures. */
static int needs_cuda(int table) { return table == STUDY_BLOCKS || table == STUDY_LAUNCHES || table == STUDY_STRUCTURES; }

static void make_tables(study *s)
{
	for (int i = 0; i < TABLES; i++)
		for (size_t c = 0; c < fixed_heads(i) && (s->gpu[0] || !needs_cuda(tables[i].table)); c++)
			study_head(&s->table[tables[i].table], "%s", tables[i].head[c]);
}

/* Who takes part ------------------------------------------------------------ */

static void add_cpu(study *s, int threads, gt_type type)
{
	fdk_way *w = &fdk_of(s)->way[fdk_of(s)->ways++];
	*w = (fdk_way){ .type = type, .all = threads == s->threads };
	snprintf(w->backend, sizeof w->backend, "cpu:%d", threads);
	snprintf(w->label, sizeof w->label, "CPU, %d thread%s%s", threads, threads == 1 ? "" : "s", type == GT_F64 ? ", double" : "");
}

/* Every form is a line of the table; those of the GPU are ways where there is one, at sizes that would keep one thread of the CPU for hours. */
static void find_ways(study *s)
{
	study_table *t = &s->table[STUDY_FORMS];
	if (s->threads > 1 && !s->gpu[0])
		add_cpu(s, 1, GT_F32);
	add_cpu(s, s->threads, GT_F32);
	add_cpu(s, s->threads, GT_F64);
	study_text(t, "on the CPU");
	study_text(t, "%s", "");
	study_number(t, NAN);
	study_text(t, "16 columns of voxels per thread");
	study_text(t, "filtered views column by column: rows interpolated once, 64 slices from the same rows");
	study_text(t, "yes");
	for (const fdk_form *f = fdk_forms; f->name; f++) {
		fdk_way *w = &fdk_of(s)->way[fdk_of(s)->ways];
		study_text(t, "%s", f->name);
		study_text(t, "%s", f->published);
		study_number(t, f->views ? f->views : NAN);
		study_text(t, "%s", f->block);
		study_text(t, "%s", f->how);
		study_text(t, s->gpu[0] ? "yes" : "needs CUDA");
		if (!s->gpu[0])
			continue;
		*w = (fdk_way){ .form = f, .type = GT_F32, .gpu = 1 };
		snprintf(w->backend, sizeof w->backend, "%s", s->gpu);
		snprintf(w->label, sizeof w->label, "%s", f->name);
		fdk_of(s)->ways++;
	}
}

static gt_status check(const cli_call *call, const study_options *o)
{
	if (call->files > 1)
		return gt_fail(GT_ERR_ARG, "%s: the study 'fdk' has scans of its own: expected no file", call->file[1]);
	return o->grid ? gt_fail(GT_ERR_ARG, "--grid=%s: the study 'fdk' has grids of its own", o->grid) : GT_OK;
}

/* On the CPU alone a quarter of the paper's edge, which is minutes. */
static gt_status prepare(study *s, const study_options *o)
{
	(void)o;
	fdk_of(s)->cube = s->quick ? 40 : s->gpu[0] ? 512 : 128;
	fdk_of(s)->enough = s->quick ? 0.05 : 0.4;
	snprintf(s->geometry, sizeof s->geometry,
	         "circular scans of a flat detector (the workload cube512 at other sizes), and a C-arm with random displacements%s",
	         s->quick ? "; small, few points" : "");
	make_tables(s);
	find_ways(s);
	return GT_OK;
}

/* Tables of which nothing could be measured, for want of time or room, are not there. */
static void drop_unmeasured(study *s)
{
	static const struct {
		int table;
		size_t from, to; /* columns with what is measured */
	} swept[] = {
		{ STUDY_ANGLES, 1, SIZE_MAX }, { STUDY_BLOCKS, 1, SIZE_MAX }, { STUDY_LAUNCHES, 1, SIZE_MAX }, { STUDY_STRUCTURES, 5, 7 }
	};
	for (size_t k = 0; k < sizeof swept / sizeof *swept; k++) {
		study_table *t = &s->table[swept[k].table];
		int measured = 0;
		for (size_t i = 0; i < t->cells; i++) {
			const size_t column = i % t->columns;
			measured |= column >= swept[k].from && column <= swept[k].to && !isnan(t->cell[i].number);
		}
		if (!measured)
			study_table_free(t);
	}
}

static gt_status measure(study *s)
{
	gt_status st = GT_OK;
	s->steps = 4 + fdk_ladder_steps(s) + fdk_sweeps_steps(s) + fdk_launches_steps(s) + fdk_rabbit_steps(s) + 1;
	GT_TRY(fdk_limits(s));
	GT_TRY(fdk_ladder(s));
	GT_TRY(fdk_sweeps(s));
	GT_TRY(fdk_launches(s));
	GT_TRY(fdk_stages(s));
	GT_TRY(fdk_rabbit(s));
	drop_unmeasured(s);
done:
	return st;
}

/* The tables of another folder ----------------------------------------------- */

static gt_status check_heads(const char *path, int i, const study_table *t)
{
	const size_t n = fixed_heads(i);
	for (size_t c = 0; c < n; c++)
		if (c >= t->columns || strcmp(t->head[c], tables[i].head[c]) != 0)
			return gt_fail(GT_ERR_FORMAT, "%s: column %zu is '%s': expected '%s'", path, c + 1,
			               c < t->columns ? t->head[c] : "", tables[i].head[c]);
	if (!tables[i].more && t->columns != n)
		return gt_fail(GT_ERR_FORMAT, "%s: %zu columns: expected %zu", path, t->columns, n);
	return GT_OK;
}

/* kind: of the first columns; numbers come after. */
static gt_status check_cells(const char *path, const char *kind, const study_table *t)
{
	const size_t kinds = strlen(kind);
	for (size_t i = 0; i < t->cells; i++) {
		const size_t column = i % t->columns;
		const int text = column < kinds && kind[column] == 't';
		if (text != (t->cell[i].text != NULL))
			return gt_fail(GT_ERR_FORMAT, "%s, row %zu: '%s' holds %s: expected %s", path, i / t->columns + 1, t->head[column],
			               text ? "a number" : "text", text ? "text" : "a number");
	}
	return GT_OK;
}

/* A table that is not there was not measured. */
static gt_status read_table(study *s, const char *from, int which, int i)
{
	char *path = cli_text("%s/%s.csv", from, study_table_name(s, which));
	const int all_text = which == STUDY_ABOUT || which == STUDY_LEFT_OUT;
	study_table *t = &s->table[which];
	struct stat there;
	gt_status st = path ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	if (which != STUDY_ABOUT && stat(path, &there) != 0)
		goto done;
	GT_TRY(study_csv_read(path, t));
	if (which == STUDY_ABOUT && t->columns != 2)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %zu columns: expected two, 'what' and 'value'", path, t->columns));
	if (!all_text)
		GT_TRY(check_heads(path, i, t));
	GT_TRY(check_cells(path, all_text ? "ttt" : tables[i].kind, t));
done:
	free(path);
	return st;
}

static gt_status redraw(study *s, const study_options *o)
{
	gt_status st = GT_OK;
	GT_TRY(read_table(s, o->from, STUDY_ABOUT, -1));
	GT_TRY(read_table(s, o->from, STUDY_LEFT_OUT, -1));
	for (int i = 0; i < TABLES; i++)
		GT_TRY(read_table(s, o->from, tables[i].table, i));
	drop_unmeasured(s);
	s->steps = 1;
	study_about_line(s, "figures drawn by", s->call->line);
	study_step(s, "figures");
done:
	return st;
}

static const char *const table_names[] = {
	[STUDY_FORMS - STUDY_OWN] = "forms",       [STUDY_ANGLES - STUDY_OWN] = "angles",     [STUDY_BLOCKS - STUDY_OWN] = "blocks",
	[STUDY_PASSES - STUDY_OWN] = "passes",     [STUDY_LAUNCHES - STUDY_OWN] = "launches", [STUDY_LIMITS - STUDY_OWN] = "limits",
	[STUDY_STAGES - STUDY_OWN] = "stages",     [STUDY_LADDER - STUDY_OWN] = "ladder",     [STUDY_QUALITY - STUDY_OWN] = "quality",
	[STUDY_RABBITCT - STUDY_OWN] = "rabbitct", [STUDY_FDK_SIZES - STUDY_OWN] = "sizes",   [STUDY_STRUCTURES - STUDY_OWN] = "textures",
};

const study_kind study_kind_fdk = {
	.name = "fdk",
	.title = "Analytic reconstruction: backprojection step by step",
	.intro =
		"The time of filtered backprojection of cone beams (FDK) with each kernel of its backprojection, and how accurate each is against double "
		"precision on the CPU. The experiments are those of Y. Okitsu, F. Ino, K. Hagihara (2008), kernels A to F; E. Papenhausen, K. Mueller, "
		"“Rapid Rabbit”, IEEE NSS/MIC (2013); and Y. Lu, F. Ino, K. Hagihara, “Cache-aware GPU optimization for "
		"out-of-core cone beam CT reconstruction of high-resolution volumes”, IEICE Trans. Inf. & Syst. (2016), whose "
		"numbers are printed beside what was measured.",
	.table_name = table_names,
	.tables = sizeof table_names / sizeof *table_names,
	.own_size = sizeof(study_fdk),
	.check = check,
	.prepare = prepare,
	.measure = measure,
	.figures = fdk_figures,
	.parts = fdk_parts,
	.redraw = redraw,
};
