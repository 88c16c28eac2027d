/* What each stage of a reconstruction takes, from a file of projections to a file of voxels, one after the other. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analytic/analytic.h"
#include "apps/study_fdk.h"

/* Table 4 of Lu, Ino, Hagihara (2016): 2048^3 from 1200 views of 2048^2 on a GeForce GTX 980 with 4 GB. There filtered views go back to the
 * host, as they do not fit. */
enum { READ, UP, FILTER, FILTERED_DOWN, FILTERED_UP, BACK, DOWN, WRITE, STAGES };
static const struct {
	const char *name;
	double paper;
} stages[STAGES] = {
	{ "storage to host", 36.9 },
	{ "host to device", 3.2 },
	{ "weights and filter", 16.3 },
	{ "filtered views, device to host", 3.2 },
	{ "filtered views, host to device", 55.1 },
	{ "backprojection", 98.4 },
	{ "volume, device to host", 5.4 },
	{ "host to storage", 46.5 },
};
static const double paper_whole = 265.5;

/* Raw floats, in the study's folder while it is made. */
static gt_status put_file(const char *path, const float *x, size_t n, double *seconds)
{
	const double start = app_seconds();
	FILE *out = fopen(path, "wb");
	int bad = !out || fwrite(x, sizeof *x, n, out) != n || fflush(out) || fsync(fileno(out));
	bad |= out && fclose(out);
	*seconds = app_seconds() - start;
	return bad ? gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno)) : GT_OK;
}

static gt_status get_file(const char *path, float *x, size_t n, double *seconds)
{
	const double start = app_seconds();
	FILE *in = fopen(path, "rb");
	const int bad = !in || fread(x, sizeof *x, n, in) != n;
	if (in)
		fclose(in);
	*seconds = app_seconds() - start;
	return bad ? gt_fail(GT_ERR_IO, "%s: cannot be read: %s", path, strerror(errno)) : GT_OK;
}

static gt_status on_device(const study *s, const gt_scan *scan, const gt_grid *grid, const float *data, float *x, double t[STAGES])
{
	const gt_analytic *fdk = gt_analytic_find("fdk");
	gt_backend *be = NULL;
	gt_array *in = NULL, *out = NULL;
	gt_analytic_times times;
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(s->gpu[0] ? s->gpu : s->cpu, &be));
	GT_TRY(gt_array_new(be, GT_F32, gt_scan_cells(scan), &in));
	GT_TRY(gt_array_new(be, GT_F32, gt_grid_voxels(grid), &out));
	GT_TRY(gt_analytic_run(fdk, be, grid, scan, NULL, in, out)); /* warm */
	gt_backend_wait(be);
	const double start = app_seconds();
	gt_array_put_float(data, in);
	gt_backend_wait(be);
	t[UP] = app_seconds() - start;
	GT_TRY(gt_analytic_run_timed(fdk, be, grid, scan, NULL, in, out, &times));
	t[FILTER] = times.filter;
	t[BACK] = times.back;
	const double end = app_seconds();
	gt_array_get_float(out, x);
	t[DOWN] = app_seconds() - end;
	GT_TRY(gt_backend_status(be));
done:
	gt_array_free(in);
	gt_array_free(out);
	gt_backend_close(be);
	return st;
}

static void add_stages(study *s, const double t[STAGES], double in, double out)
{
	const double bytes[STAGES] = { [READ] = in, [UP] = in, [DOWN] = out, [WRITE] = out };
	study_table *table = &s->table[STUDY_STAGES];
	double sum = 0;
	for (int k = 0; k < STAGES; k++) {
		study_text(table, "%s", stages[k].name);
		study_number(table, t[k]);
		study_number(table, bytes[k] > 0 ? 1e-9 * bytes[k] / t[k] : NAN);
		study_number(table, stages[k].paper);
		sum += isnan(t[k]) ? 0 : t[k];
	}
	study_text(table, "all, one after the other");
	study_number(table, sum);
	study_number(table, NAN);
	study_number(table, paper_whole);
}

gt_status fdk_stages(study *s)
{
	const char *in = study_file(&s->folder, "stages-in.tmp"), *out = study_file(&s->folder, "stages-out.tmp");
	double t[STAGES], written;
	gt_grid grid;
	const gt_orbit o = fdk_cube(s->fdk->cube, s->quick ? 45 : 360, &grid);
	gt_scan *scan = NULL;
	float *data = NULL, *x = NULL;
	const float *random = NULL;
	gt_status st = in && out ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	study_step(s, "stages");
	t[FILTERED_DOWN] = t[FILTERED_UP] = NAN;
	GT_TRY(gt_scan_orbit(&o, &scan));
	const size_t cells = gt_scan_cells(scan), voxels = gt_grid_voxels(&grid);
	GT_TRY(fdk_floats(cells, "projections", &data));
	GT_TRY(fdk_floats(voxels, "the volume", &x));
	GT_TRY(study_random(s, cells, &random));
	GT_TRY(put_file(in, random, cells, &written));
	GT_TRY(get_file(in, data, cells, &t[READ]));
	GT_TRY(on_device(s, scan, &grid, data, x, t));
	GT_TRY(put_file(out, x, voxels, &t[WRITE]));
	add_stages(s, t, 4.0 * (double)cells, 4.0 * (double)voxels);
done:
	if (in)
		unlink(in);
	if (out)
		unlink(out);
	gt_scan_free(scan);
	free(data);
	free(x);
	return st;
}
