/* One reconstruction on a device, timed; the limits of devices. */
#include "analytic/table.h"
#include "apps/study/fdk/fdk.h"
#include "core/linop.h"
#include "core/order_statistics.h"
#include "recon/modules.h"

enum { MAX_RUNS = 5 };

double fdk_updates(const gt_scan *scan, const gt_grid *grid) { return (double)gt_grid_voxels(grid) * (double)scan->views; }

gt_orbit fdk_cube(size_t n, size_t views, gt_grid *grid)
{
	const double pitch = 512.0 / (double)n;
	*grid = (gt_grid){ { n, n, n }, { 0.6 * pitch, 0.6 * pitch, 0.6 * pitch }, { 0, 0, 0 } };
	return (gt_orbit){ .shape = GT_FLAT,
		           .views = views,
		           .rows = n,
		           .columns = n,
		           .source_to_axis = 1000,
		           .source_to_detector = 1536,
		           .column_pitch = pitch,
		           .row_pitch = pitch,
		           .turn = 6.283185307179586 };
}

typedef struct {
	gt_backend *be;
	gt_array *data, *x;
	gt_method m;
} problem;

static void close_problem(problem *p)
{
	gt_array_free(p->data);
	gt_array_free(p->x);
	gt_method_free(&p->m);
	gt_backend_close(p->be);
}

static gt_status open_problem(study *s, const fdk_case *c, problem *p)
{
	const fdk_form *form = c->way->form;
	const float *data = c->data;
	if (!data)
		GT_OR_RETURN(study_random(s, gt_scan_size(c->scan), &data));
	GT_OR_RETURN(gt_method_parse(FORMAT("fdk:mask=none%s%s%s%s", c->options ? "," : "", c->options ? c->options : "",
	                                    form ? ",kernel=" : "", form ? form->name : ""),
	                             &p->m));
	GT_OR_RETURN(gt_backend_open(c->way->backend, &p->be));
	GT_OR_RETURN(gt_array_new(p->be, c->way->type, gt_scan_size(c->scan), &p->data));
	GT_OR_RETURN(gt_array_new(p->be, c->way->type, gt_grid_voxels(c->grid), &p->x));
	gt_array_put_float(data, p->data);
	return gt_backend_status(p->be);
}

static double elapsed(const gt_analytic_times *t) { return t->plan + t->filter + t->back; }

/* Discards the first run of a cold start unless it is long. */
static gt_status repeat(const problem *p, const fdk_case *c, double max, fdk_seconds *t)
{
	double filter[MAX_RUNS], back[MAX_RUNS], total[MAX_RUNS], sum = 0;
	size_t n = 0;
	for (int warm = 1; n < MAX_RUNS && sum < max; warm = 0) {
		gt_analytic_times one;
		GT_OR_RETURN(gt_analytic_run_timed(p->m.analytic, p->be, c->grid, c->scan, p->m.options, p->data, p->x, &one));
		if (warm && elapsed(&one) < max)
			continue;
		filter[n] = one.filter;
		back[n] = one.back;
		sum += total[n++] = elapsed(&one);
	}
	*t = (fdk_seconds){ gt_median(filter, n), gt_median(back, n), gt_median(total, n) };
	return GT_OK;
}

gt_status fdk_run(study *s, const fdk_case *c, fdk_seconds *t)
{
	problem p = { NULL, NULL, NULL, { NULL, NULL, NULL } };
	gt_status st = GT_OK;
	GT_TRY(open_problem(s, c, &p));
	GT_TRY(repeat(&p, c, c->enough > 0 ? fmin(c->enough, fdk_of(s)->enough) : fdk_of(s)->enough, t));
	if (c->x)
		gt_array_get_float(p.x, c->x);
	GT_TRY(gt_backend_status(p.be));
done:
	close_problem(&p);
	return st;
}

gt_status fdk_try(study *s, const char *part, const fdk_case *c, fdk_seconds *t)
{
	const gt_status st = study_is_late(s) ? gt_fail(GT_ERR_UNSUPPORTED, "the %.0f s of --seconds were over", s->seconds)
	                                      : fdk_run(s, c, t);
	if (st != GT_OK)
		*t = (fdk_seconds){ NAN, NAN, NAN };
	return study_or_left_out(s, st, part, c->way->label);
}

/* Limits --------------------------------------------------------------------- */

static void add_limit(study *s, const char *device, const char *what, double rate, const char *how)
{
	if (rate > 0)
		study_row(&s->table[STUDY_LIMITS], TXT(device), TXT(what), NUM(rate / 1073741824), TXT(how));
}

/* Bytes per second of copies within the device's memory, read and written. */
static gt_status copy_rate(study *s, const char *backend, double *rate)
{
	const size_t n = (size_t)1 << (s->quick ? 22 : 25);
	gt_backend *be = NULL;
	gt_array *x = NULL, *y = NULL;
	double t[MAX_RUNS];
	gt_status st = GT_OK;
	GT_TRY(gt_backend_open(backend, &be));
	GT_TRY(gt_array_new(be, GT_F32, n, &x));
	GT_TRY(gt_array_new(be, GT_F32, n, &y));
	gt_fill(1, x);
	gt_fill(2, y);
	for (int i = 0; i < MAX_RUNS; i++) {
		gt_backend_wait(be);
		const double start = app_seconds();
		gt_copy(x, y);
		gt_backend_wait(be);
		t[i] = app_seconds() - start;
	}
	GT_TRY(gt_backend_status(be));
	*rate = 2.0 * (double)n * sizeof(float) / gt_median(t, MAX_RUNS);
done:
	gt_array_free(x);
	gt_array_free(y);
	gt_backend_close(be);
	return st;
}

enum { LAYERED = 16, INSTRUCTIONS = 8, LANES = 32 };

gt_status fdk_limits(study *s)
{
	gt_backend *be = NULL;
	double copies;
	gt_status st = GT_OK;
	study_step(s, "limits of the devices");
	GT_TRY(copy_rate(s, s->cpu, &copies));
	fdk_of(s)->bandwidth = copies;
	add_limit(s, "CPU", "volume read and written once per 16 views", copies * LAYERED / 8,
	          FORMAT("8 bytes per voxel and pass at the %.3g GB/s of a copy", 1e-9 * copies));
	if (!s->gpu[0])
		return GT_OK;
	GT_TRY(gt_backend_open(s->gpu, &be));
	const double bytes = gt_backend_rate(be, GT_BYTES);
	fdk_of(s)->bandwidth = bytes;
	add_limit(s, "GPU", "volume read and written once per 16 views", bytes * LAYERED / 8,
	          FORMAT("8 bytes per voxel and pass at the %.4g GB/s of the memory", 1e-9 * bytes));
	add_limit(s, "GPU", "texture unit", gt_backend_rate(be, GT_FETCHES), "one bilinear fetch per update");
	add_limit(s, "GPU", "instructions", gt_backend_rate(be, GT_INSTRUCTIONS) * LANES / INSTRUCTIONS, "eight per update");
done:
	gt_backend_close(be);
	return st;
}
