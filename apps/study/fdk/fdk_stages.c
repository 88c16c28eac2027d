/* Time of each stage from a file of projections to a file of voxels. Stages run in sequence, with overlapping
 * transfers, or with overlapping transfers and files. */
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
static const double paper_alone = 265.5, paper_transfers = 211.8, paper_piped = 159.6;

/* Settings of all runs; the rest are of runs by slabs. */
static gt_status set_up(const study *s, const gt_grid *grid, gt_recon *r)
{
	GT_OR_RETURN(gt_recon_set(r, "solver", "fdk"));
	GT_OR_RETURN(gt_recon_set(r, "backend", s->gpu[0] ? s->gpu : s->cpu));
	GT_OR_RETURN(gt_recon_set(r, "precision", gt_type_name(cli_type(s->call))));
	return gt_recon_grid(r, grid);
}

static gt_status run(const study *s, const char *in, const gt_grid *grid, const char *out, int alone, gt_recon_slabs *result)
{
	gt_recon *r = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_recon_open(in, NULL, &r));
	GT_TRY(set_up(s, grid, r));
	GT_TRY(gt_recon_set(r, "slabs", "yes"));
	GT_TRY(gt_recon_set(r, "overlap", alone ? "no" : "yes"));
	GT_TRY(gt_recon_set(r, "unit", "mm-1"));
	GT_TRY(gt_recon_run_to(r, out, NULL));
	result->size = sizeof *result;
	GT_TRY(gt_recon_slabs_result(r, result));
done:
	gt_recon_free(r);
	return st;
}

/* The pipeline of Okitsu et al. (2010): all projections are read, then computed with overlapping transfers, then the
 * volume is written. */
static gt_status run_in_memory(const study *s, const char *in, const gt_grid *grid, const char *out, double *seconds)
{
	const double start = app_seconds();
	gt_projections *p = NULL;
	gt_volume *v = NULL;
	gt_recon *r = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_read_projections(in, NULL, &p));
	GT_TRY(gt_volume_new(grid, &v));
	GT_TRY(gt_recon_new(p, &r));
	GT_TRY(set_up(s, grid, r));
	GT_TRY(gt_recon_run(r, v));
	GT_TRY(gt_write_volume(out, NULL, v));
	*seconds = app_seconds() - start;
done:
	gt_recon_free(r);
	gt_volume_free(v);
	gt_projections_free(p);
	return st;
}

static void add_pipelines(study *s, double alone, double transfers, double piped)
{
	study_table *t = &s->table[STUDY_PIPELINES];
	study_row(t, TXT("none: stages in sequence"), NUM(alone), NUM(paper_alone));
	study_row(t, TXT("previous: transfers overlap, files do not"), NUM(transfers), NUM(paper_transfers));
	study_row(t, TXT("proposed: files overlap too"), NUM(piped), NUM(paper_piped));
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
	double transfers;
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
	study_step(s, "stages: files apart");
	GT_TRY(run_in_memory(s, in, &grid, out, &transfers));
	add_stages(s, &result[0], &result[1]);
	add_pipelines(s, result[0].whole, transfers, result[1].whole);
done:
	unlink(in);
	unlink(out);
	gt_scan_free(scan);
	return st;
}
