/* Pipeline of a run by slabs (Lu, Ino, Hagihara, IEICE Trans. Inf. Syst. E99-D (2016) 3060, algorithm 2). One thread
 * reads rows of views, the caller's thread uploads, filters, backprojects and downloads, and a third one writes slices.
 * Unlike there, later slabs reuse unfiltered views. Filtered views are larger, and filtering takes a small fraction of
 * the backprojection time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "analytic/fbp/slab.h"
#include "core/clock.h"
#include "core/device/download.h"
#include "core/device/host_memory.h"
#include "core/device/upload.h"
#include "core/log.h"
#include "core/pipeline_stage.h"
#include "core/try.h"
#include "io/plausibility.h"
#include "recon/slab_pipeline.h"

typedef struct {
	const gt_slab_job *s;
	const gt_slab_cut *plan;
	gt_slab_result *r;
	gt_slice_writer *out;
	gt_array *x[2];       /* two slabs alternately */
	gt_array *piece;      /* block of the slab being downloaded, on its way to the writer's buffer; NULL: none */
	size_t leaving, left; /* slab being downloaded, and its slices already downloaded or on their way */
	gt_upload *upload;
	gt_download *download;
	gt_view_cache kept;
	gt_value_range range; /* first slab */
	gt_stage reader, writer;
	int timed; /* times of the device's stages are known */
	double started, lap;
} pipeline;

static gt_type type_of(const pipeline *p) { return p->s->c->type; }

static size_t plane_of(const pipeline *p) { return p->s->c->grid->n[0] * p->s->c->grid->n[1]; }

static size_t views_of(const pipeline *p, size_t batch)
{
	const size_t left = p->s->c->scan->views - batch * p->plan->batch;
	return left < p->plan->batch ? left : p->plan->batch;
}

static size_t batch_cells(const pipeline *p, size_t slab, size_t batch, size_t *row, size_t *rows)
{
	gt_slab_plan_rows(p->s->slabs, slab * p->plan->slices, gt_slab_slices(p->s, p->plan, slab), row, rows);
	return views_of(p, batch) * *rows * p->s->c->scan->columns;
}

/* Threads ------------------------------------------------------------------- */

/* The floats are at the end of the buffer of n doubles. */
static void widen(size_t n, double *values)
{
	const float *from = (const float *)(const void *)values + n;
	for (size_t i = 0; i < n; i++) {
		const float value = from[i];
		memcpy(values + i, &(double){ value }, sizeof *values);
	}
}

static void narrow(size_t n, double *values)
{
	float *to = (float *)(void *)values;
	for (size_t i = 0; i < n; i++) {
		double value;
		memcpy(&value, values + i, sizeof value);
		to[i] = (float)value;
	}
}

/* Every LOOK_EVERY-th row is inspected, at negligible cost. */
enum { LOOK_EVERY = 7 };

static gt_status look(pipeline *p, const float *value, size_t n)
{
	const size_t columns = p->s->c->scan->columns;
	for (size_t i = 0; i < n; i += LOOK_EVERY * columns)
		gt_value_range_scan(&p->range, value + i, columns);
	return p->s->c->force ? GT_OK : gt_value_range_check(&p->range, p->s->c->data);
}

static gt_status read_batch(void *self, size_t item, void *buffer)
{
	pipeline *p = self;
	const size_t slab = item / p->plan->batches, batch = item % p->plan->batches;
	size_t row, rows;
	const size_t n = batch_cells(p, slab, batch, &row, &rows);
	const int wide = type_of(p) == GT_F64;
	gt_status st = gt_view_cache_read(&p->kept, slab == 0, batch * p->plan->batch, views_of(p, batch), row, rows,
	                                  (float *)buffer + (wide ? n : 0));
	if (st == GT_OK && slab == 0)
		st = look(p, (float *)buffer + (wide ? n : 0), n);
	if (st == GT_OK && wide)
		widen(n, buffer);
	p->r->bytes[GT_STAGE_READ] += (double)n * sizeof(float);
	return st;
}

static size_t pieces_of(const gt_slab_cut *plan, size_t slices) { return (slices + plan->piece - 1) / plan->piece; }

/* Number of slices of a slab's block that begins with slice `first` of the slab. */
static size_t piece_slices(const pipeline *p, size_t slab, size_t first)
{
	const size_t left = gt_slab_slices(p->s, p->plan, slab) - first;
	return left < p->plan->piece ? left : p->plan->piece;
}

static gt_status write_piece(void *self, size_t item, void *buffer)
{
	pipeline *p = self;
	const size_t pieces = pieces_of(p->plan, p->plan->slices), n = piece_slices(p, item / pieces, item % pieces * p->plan->piece);
	if (type_of(p) == GT_F64)
		narrow(n * plane_of(p), buffer);
	p->r->bytes[GT_STAGE_WRITE] += (double)(n * plane_of(p)) * sizeof(float);
	return gt_slice_writer_write(p->out, n, buffer);
}

/* The caller ----------------------------------------------------------------- */

static void begin_lap(pipeline *p) { p->lap = gt_seconds(); }

static void end_lap(pipeline *p, int stage, double bytes)
{
	p->r->bytes[stage] += bytes;
	if (p->timed) {
		gt_backend_wait(p->s->be);
		const double now = gt_seconds();
		p->r->seconds[stage] += now - p->lap;
		p->lap = now;
	}
}

static gt_status upload_batch(pipeline *p, size_t bytes)
{
	void *buffer;
	const gt_status st = gt_stage_take(&p->reader, &buffer);
	if (st != GT_OK)
		return st;
	begin_lap(p);
	gt_upload_put(p->upload, buffer, 0, bytes);
	gt_upload_wait(p->upload);
	end_lap(p, GT_STAGE_UPLOAD, (double)bytes);
	gt_stage_give(&p->reader);
	return GT_OK;
}

/* A slab is downloaded in blocks, some after each batch of the next one, which keeps writer and device busy. */
static void finish_piece(pipeline *p)
{
	if (!p->piece)
		return;
	begin_lap(p);
	gt_download_wait(p->download);
	end_lap(p, GT_STAGE_DOWNLOAD, 0);
	gt_array_free(p->piece);
	p->piece = NULL;
	gt_stage_give(&p->writer);
}

static gt_status start_piece(pipeline *p)
{
	const size_t n = piece_slices(p, p->leaving, p->left), plane = plane_of(p);
	void *buffer;
	gt_status st = GT_OK;
	GT_TRY(gt_stage_take(&p->writer, &buffer));
	GT_TRY(gt_array_part(p->x[p->leaving % 2], p->left * plane, n * plane, &p->piece));
	begin_lap(p);
	gt_download_get(p->download, p->piece, buffer);
	end_lap(p, GT_STAGE_DOWNLOAD, (double)gt_array_bytes(p->piece));
	p->left += n;
done:
	return st;
}

/* Downloads blocks of the previous slab up to `part` of `of` parts. */
static gt_status send_slab(pipeline *p, size_t part, size_t of)
{
	const size_t slices = gt_slab_slices(p->s, p->plan, p->leaving);
	gt_status st = GT_OK;
	finish_piece(p);
	while (p->left * of < slices * part && st == GT_OK) {
		finish_piece(p);
		st = start_piece(p);
	}
	if (part == of)
		finish_piece(p);
	return st;
}

static gt_status report(pipeline *p, size_t slab, size_t batch)
{
	const gt_slab_case *c = p->s->c;
	const double items = (double)(p->plan->slabs * p->plan->batches), item = (double)(slab * p->plan->batches + batch + 1);
	const gt_slab_progress now = { .done = item / items,
		                       .slab = slab,
		                       .slabs = p->plan->slabs,
		                       .seconds = gt_seconds() - p->started,
		                       .read = p->r->bytes[GT_STAGE_UPLOAD],
		                       .updates = p->r->bytes[GT_STAGE_BACKPROJECT],
		                       .written = (double)slab * (double)(p->plan->slices * plane_of(p)) * sizeof(float) };
	return c->progress && c->progress(c->progress_self, &now) ? gt_fail(GT_STOPPED, "stopped in slab %zu of %zu", slab + 1, now.slabs)
	                                                          : GT_OK;
}

static gt_status add_batch(pipeline *p, gt_slab *b, size_t slab, size_t batch)
{
	size_t row, rows;
	const size_t views = views_of(p, batch), bytes = batch_cells(p, slab, batch, &row, &rows) * gt_type_size(type_of(p));
	const gt_status st = upload_batch(p, bytes);
	if (st != GT_OK)
		return st;
	begin_lap(p);
	gt_slab_filter(b, batch * p->plan->batch, views, gt_upload_block(p->upload));
	gt_upload_turn(p->upload);
	end_lap(p, GT_STAGE_FILTER, (double)bytes);
	gt_slab_back(b);
	end_lap(p, GT_STAGE_BACKPROJECT, (double)(views * gt_slab_slices(p->s, p->plan, slab)) * (double)plane_of(p));
	return report(p, slab, batch);
}

static gt_status make_slab(pipeline *p, size_t slab)
{
	const size_t n = gt_slab_slices(p->s, p->plan, slab);
	gt_array *x = NULL;
	gt_slab *b = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_part(p->x[slab % 2], 0, n * plane_of(p), &x));
	GT_TRY(gt_slab_new(p->s->slabs, slab * p->plan->slices, n, p->plan->batch, x, &b));
	for (size_t batch = 0; batch < p->plan->batches; batch++) {
		GT_TRY(add_batch(p, b, slab, batch));
		if (slab && !p->s->c->alone)
			GT_TRY(send_slab(p, batch + 1, p->plan->batches));
	}
	GT_TRY(gt_backend_status(p->s->be));
	p->leaving = slab;
	p->left = 0;
	if (p->s->c->alone || slab + 1 == p->plan->slabs)
		GT_TRY(send_slab(p, 1, 1));
done:
	gt_slab_free(b);
	gt_array_free(x);
	return st;
}

static gt_status open_run(pipeline *p)
{
	gt_backend *be = p->s->be;
	const size_t slab = p->plan->slices * plane_of(p), piece = p->plan->piece * plane_of(p) * gt_type_size(type_of(p));
	gt_status st = GT_OK;
	GT_TRY(gt_view_cache_open(&p->kept, p->plan->kept, p->s->c->scratch, p->s->views, p->s->c->scan));
	for (int i = 0; i < 2; i++)
		GT_TRY(gt_array_new(be, type_of(p), slab, &p->x[i]));
	GT_TRY(gt_upload_new(be, p->plan->buffer, &p->upload));
	GT_TRY(gt_download_new(be, &p->download));
	for (int i = 0; i < GT_STAGE_BUFFERS; i++)
		if (!(p->reader.buffer[i] = gt_locked_new(be, p->plan->buffer, "views being read")) ||
		    !(p->writer.buffer[i] = gt_locked_new(be, piece, "slices being written")))
			return GT_ERR_MEMORY;
	GT_TRY(gt_stage_start(&p->reader));
	GT_TRY(gt_stage_start(&p->writer));
done:
	return st;
}

static void close_run(pipeline *p)
{
	gt_stage_stop(&p->reader);
	gt_stage_stop(&p->writer);
	gt_view_cache_close(&p->kept);
	gt_array_free(p->piece);
	gt_download_free(p->download);
	gt_upload_free(p->upload);
	for (int i = 0; i < 2; i++) {
		gt_array_free(p->x[i]);
		gt_locked_free(p->s->be, p->reader.buffer[i]);
		gt_locked_free(p->s->be, p->writer.buffer[i]);
	}
}

static size_t pieces_in_all(const gt_slab_job *s, const gt_slab_cut *plan)
{
	return (plan->slabs - 1) * pieces_of(plan, plan->slices) + pieces_of(plan, gt_slab_slices(s, plan, plan->slabs - 1));
}

gt_status gt_slab_pipeline(const gt_slab_job *s, gt_slice_writer *out, gt_slab_result *r)
{
	const int alone = s->c->alone;
	pipeline p = { .s = s, .plan = &r->plan, .r = r, .out = out, .timed = alone || !gt_backend_is_gpu(s->be) };
	gt_counters count;
	gt_status st = GT_OK;
	p.started = gt_seconds();
	p.range.size = sizeof p.range;
	p.reader = (gt_stage){ .work = read_batch, .self = &p, .items = r->plan.slabs * r->plan.batches, .fills = 1, .alone = alone };
	p.writer = (gt_stage){ .work = write_piece, .self = &p, .items = pieces_in_all(s, &r->plan), .alone = alone };
	GT_TRY(open_run(&p));
	for (size_t slab = 0; slab < r->plan.slabs; slab++)
		GT_TRY(make_slab(&p, slab));
	GT_TRY(gt_backend_status(s->be));
	GT_TRY(gt_stage_end(&p.reader));
	GT_TRY(gt_stage_end(&p.writer));
	gt_value_range_warn(&p.range, s->c->log, s->c->data);
	r->seconds[GT_STAGE_READ] = p.reader.seconds;
	r->seconds[GT_STAGE_WRITE] = p.writer.seconds;
	for (int k = GT_STAGE_UPLOAD; k <= GT_STAGE_DOWNLOAD && !p.timed; k++)
		r->seconds[k] = NAN;
	r->whole = gt_seconds() - p.started;
	GT_TRY(gt_backend_counters(s->be, &count));
	r->device_peak = (double)count.peak_bytes;
	r->process_peak = gt_host_peak();
	snprintf(r->backend, sizeof r->backend, "%s", gt_backend_name(s->be));
done:
	close_run(&p);
	return st;
}

gt_status gt_slab_job_open(const gt_slab_case *c, gt_slab_job *s)
{
	gt_status st = GT_OK;
	*s = (gt_slab_job){ .c = c };
	GT_TRY(gt_view_reader_open(c->data, c->read, c->scan, &s->views));
	GT_TRY(gt_backend_open(c->backend ? c->backend : "auto", &s->be));
	gt_notify(c->log, GT_INFO, GT_ABOUT_CHOICE, "backend %s: %s", gt_backend_name(s->be), gt_backend_describe(s->be));
	GT_TRY(gt_slab_plan_new(c->method, c->grid, c->scan, c->options, gt_backend_pool(s->be), &s->slabs));
done:
	if (st != GT_OK)
		gt_slab_job_close(s);
	return st;
}

void gt_slab_job_close(gt_slab_job *s)
{
	gt_slab_plan_free(s->slabs);
	gt_view_reader_close(s->views);
	gt_backend_close(s->be);
	*s = (gt_slab_job){ .c = s->c };
}
