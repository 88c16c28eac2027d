/* Time of each stage from a file of projections to a file of voxels: in sequence, and overlapping. */
#include <unistd.h>
#include <gantry/recon.h>
#include "apps/study/fdk/fdk.h"

/* Table 4 of Lu, Ino, Hagihara (2016): 2048^3 from 1200 views of 2048^2 on a GeForce GTX 980 with 4 GB. There
 * filtered views go back to the host. stage: ours; GT_RECON_STAGES: we have none. */
static const struct {
	const char *name;
	int stage;
	double paper;
} stages[] = {
	{ "storage to host", GT_RECON_STAGE_READ, 36.9 },
	{ "host to device", GT_RECON_STAGE_UPLOAD, 3.2 },
	{ "weights and filter", GT_RECON_STAGE_FILTER, 16.3 },
	{ "filtered views, device to host", GT_RECON_STAGES, 3.2 },
	{ "filtered views, host to device", GT_RECON_STAGES, 55.1 },
	{ "backprojection", GT_RECON_STAGE_BACKPROJECT, 98.4 },
	{ "volume, device to host", GT_RECON_STAGE_DOWNLOAD, 5.4 },
	{ "host to storage", GT_RECON_STAGE_WRITE, 46.5 },
};
enum { STAGES = sizeof stages / sizeof *stages };
static const double paper_alone = 265.5, paper_piped = 159.6;

static gt_status run(const study *s, const char *in, const gt_grid *grid, const char *out, int alone, gt_recon_slabs *result)
{
	const char *const settings[][2] = {
		{ "solver", "fdk" }, { "backend", s->gpu[0] ? s->gpu : s->cpu }, { "precision", gt_type_name(cli_type(s->call)) },
		{ "slabs", "yes" },  { "overlap", alone ? "no" : "yes" },        { "unit", "mm-1" },
	};
	gt_recon *r = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_recon_open(in, NULL, &r));
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		GT_TRY(gt_recon_set(r, settings[i][0], settings[i][1]));
	GT_TRY(gt_recon_grid(r, grid));
	GT_TRY(gt_recon_run_to(r, out, NULL));
	result->size = sizeof *result;
	GT_TRY(gt_recon_slabs_result(r, result));
done:
	gt_recon_free(r);
	return st;
}

static void add_stages(study *s, const gt_recon_slabs *alone, const gt_recon_slabs *piped)
{
	study_table *t = &s->table[STUDY_STAGES];
	for (int i = 0; i < STAGES; i++) {
		const int k = stages[i].stage, known = k < GT_RECON_STAGES;
		study_row(t, TXT(stages[i].name), NUM(known ? alone->seconds[k] : NAN),
		          NUM(known && k != GT_RECON_STAGE_BACKPROJECT ? 1e-9 * alone->bytes[k] / alone->seconds[k] : NAN),
		          NUM(known ? piped->seconds[k] : NAN), NUM(stages[i].paper), NUM(NAN));
	}
	study_row(t, TXT("the whole"), NUM(alone->whole), NUM(NAN), NUM(piped->whole), NUM(paper_alone), NUM(paper_piped));
}

static gt_status write_data(study *s, const char *path, const gt_scan *scan)
{
	gt_projections *p = NULL;
	const float *random = NULL;
	const size_t cells = gt_scan_size(scan);
	gt_status st = GT_OK;
	GT_TRY(gt_projections_new(scan, &p));
	GT_TRY(study_random(s, cells, &random));
	memcpy(gt_projections_data(p), random, cells * sizeof *random);
	GT_TRY(gt_write_projections(path, NULL, p));
done:
	gt_projections_free(p);
	return st;
}

gt_status fdk_stages(study *s)
{
	const char *in, *out;
	gt_grid grid;
	const gt_orbit o = fdk_cube(fdk_of(s)->cube, s->quick ? 45 : s->gpu[0] ? 360 : 90, &grid);
	gt_recon_slabs result[2];
	gt_scan *scan = NULL;
	gt_status st = GT_OK;
	GT_OR_RETURN(study_file(&s->folder, "stages-in.nc", &in));
	GT_OR_RETURN(study_file(&s->folder, "stages-out.nc", &out));
	study_step(s, "stages: a file of projections");
	GT_TRY(gt_scan_orbit(&o, &scan));
	GT_TRY(write_data(s, in, scan));
	for (int k = 0; k < 2; k++) {
		study_step(s, k ? "stages: overlapping" : "stages: in sequence");
		GT_TRY(run(s, in, &grid, out, !k, &result[k]));
		unlink(out);
	}
	add_stages(s, &result[0], &result[1]);
done:
	unlink(in);
	unlink(out);
	gt_scan_free(scan);
	return st;
}
