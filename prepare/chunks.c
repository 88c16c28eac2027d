/* Chunked preparation from file to file. Steps on views sweep over blocks of views, from input to output. Steps on rows
 * then sweep over blocks of rows, in the output. All steps inspect all projections first. Threads read and write blocks
 * during the steps. Memory within files->memory: two blocks read, two written, and that of a step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analytic/consistency/conjugate.h"
#include "core/pipeline_stage.h"
#include "core/try.h"
#include "prepare/chunks.h"

const gt_prepare_files gt_prepare_files_defaults = { .size = sizeof(gt_prepare_files), .memory = 9e8 };

/* Copies of a block that are in memory at a time. */
enum { READ = GT_STAGE_BUFFERS, WRITTEN = GT_STAGE_BUFFERS, WORKED = 1 };

void gt_chunks_free(gt_chunks *x)
{
	for (size_t i = 0; i < x->steps; i++)
		gt_prepared_step_free(&x->step[i]);
	for (size_t i = 0; x->scan && i <= x->steps; i++)
		gt_scan_free(x->scan[i]);
	free(x->step);
	free(x->scan);
	free(x->view);
	gt_projections_free(x->head);
	gt_view_reader_close(x->reader);
	gt_view_writer_drop(x->writer);
	gt_pool_free(x->pool);
}

/* Input views of the selected views first ... first+n-1. */
static gt_status read_views(const gt_chunks *x, size_t first, size_t n, size_t row, size_t rows, float *out)
{
	const size_t each = rows * x->scan[0]->columns;
	gt_status st = GT_OK;
	for (size_t v = 0; v < n && st == GT_OK;) {
		size_t run = 1;
		while (v + run < n && x->view[first + v + run] == x->view[first + v] + run)
			run++;
		st = gt_view_reader_read(x->reader, x->view[first + v], run, row, rows, out + v * each);
		v += run;
	}
	return st;
}

/* Reads views before step `steps`: input values in q pass through the earlier steps. */
static gt_status through(const gt_chunks *x, gt_projections **q, size_t from, size_t steps)
{
	gt_prepare_call c = { .p = q, .pool = x->pool, .o = x->o, .in_chunks = 1 };
	gt_status st = GT_OK;
	for (size_t k = from; k < steps && st == GT_OK; k++)
		if (!(x->step[k].step->chunks & GT_PICKS_VIEWS))
			st = gt_prepared_run(&c, &x->step[k]);
	return st;
}

static gt_status chunk_of(const gt_chunks *x, const gt_scan *scan, const gt_view_chunk *of, float *values, gt_projections **q)
{
	size_t *view = malloc(of->views * sizeof *view);
	gt_scan *part = NULL;
	gt_status st = GT_OK;
	if (!view)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t v = 0; v < of->views; v++)
		view[v] = scan == x->scan[0] ? x->view[of->first + v] : of->first + v;
	GT_TRY(gt_prepare_part_of(scan, view, of->views, of->row, of->rows, &part));
	st = gt_projections_wrap(part, values, NULL, NULL, q);
done:
	free(view);
	gt_scan_free(part);
	return st;
}

typedef struct {
	const gt_chunks *x;
	size_t step;
} looking;

static gt_status look_at(void *self, size_t first, size_t n, float *out)
{
	const looking *l = self;
	const gt_chunks *x = l->x;
	const gt_scan *raw = x->scan[0], *now = x->scan[l->step];
	const size_t each = raw->rows * raw->columns;
	float *values = NULL;
	gt_projections *q = NULL;
	gt_status st = GT_OK;
	if (!l->step)
		return read_views(x, first, n, 0, raw->rows, out);
	if (!(values = malloc(n * each * sizeof *values)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(read_views(x, first, n, 0, raw->rows, values));
	GT_TRY(chunk_of(x, raw, &(gt_view_chunk){ 0, first, n, 0, raw->rows }, values, &q));
	GT_TRY(through(x, &q, 0, l->step));
	memcpy(out, q->data, n * now->rows * now->columns * sizeof *out);
done:
	gt_projections_free(q);
	free(values);
	return st;
}

/* Crops the fields; none if the detector is not a part of the whole. data: their previous memory, which is freed
 * first. */
static gt_status fields_of(const gt_chunks *x, const gt_scan *now, float **data, gt_prepare_options *o)
{
	const gt_field_images *whole[] = { &x->o->flats, &x->o->darks };
	gt_field_images *part[] = { &o->flats, &o->darks };
	for (int f = 0; f < 2; f++) {
		free(data[f]);
		const gt_status st = gt_prepare_crop_fields(x->scan[0], now, whole[f], &data[f]);
		if (st != GT_OK && st != GT_ERR_ARG)
			return st;
		*part[f] = (gt_field_images){ data[f], st == GT_OK ? whole[f]->images : 0 };
	}
	return GT_OK;
}

/* Sizes, and the first inspection by every step. */
static gt_status plan(gt_chunks *x)
{
	gt_prepare_options now = *x->o;
	float *fields[2] = { NULL, NULL };
	gt_status st = GT_OK;
	for (size_t k = 0; k < x->steps; k++) {
		const gt_preparation *s = x->step[k].step;
		GT_TRY(fields_of(x, x->scan[k], fields, &now));
		looking l = { x, k };
		gt_prepare_call c = {
			.pool = x->pool, .o = &now, .source = { x->scan[k], look_at, &l }, .in_chunks = 1, .water = x->head->water
		};
		const int by_views = s->chunks & GT_BY_VIEWS;
		if (!s->chunks)
			GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s takes all projections at once: not possible in chunks", s->name));
		if (!by_views && x->by_views == SIZE_MAX)
			x->by_views = k;
		/* Views are selected while they are read. */
		if (x->by_views != SIZE_MAX && (!(s->chunks & GT_BY_ROWS) || s->chunks & GT_PICKS_VIEWS))
			GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "in chunks %s runs before %s: run %s alone first", s->name,
			               x->step[x->by_views].step->name, x->step[x->by_views].step->name));
		GT_TRY(gt_prepared_inspect(&c, &x->step[k]));
		if (s->reshape)
			GT_TRY(gt_fail_in(s->reshape(&c, x->step[k].options, x->scan[k], x->view, &x->scan[k + 1]), "%s", s->name));
		else
			GT_TRY(gt_scan_clone(x->scan[k], &x->scan[k + 1]));
	}
	if (x->by_views == SIZE_MAX)
		x->by_views = x->steps;
	/* One sweep if all steps can work on rows. */
	size_t k = 0;
	while (k < x->steps && (x->step[k].step->chunks & GT_BY_ROWS))
		k++;
	x->by_views = k == x->steps && x->by_views < x->steps ? 0 : x->by_views;
done:
	free(fields[0]);
	free(fields[1]);
	return st;
}

static gt_status open_(gt_chunks *x)
{
	const gt_prepare_files *f = x->files;
	gt_status st = GT_OK;
	GT_TRY(gt_pool_new(x->o->threads, &x->pool));
	GT_TRY(gt_can_write_views(f->output));
	GT_TRY(gt_view_reader_open_scan(f->input, f->read, &x->head, &x->reader));
	GT_TRY(gt_projections_unfiltered(x->head, f->input, ""));
	if (gt_view_reader_has_statistics(x->reader))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: holds weights or photons, which are not read in chunks", f->input));
	gt_conjugate_move_assumed_axis(x->head, f->read, &x->o->notes, f->input, x->o->threads);
	x->steps = f->specs;
	x->by_views = SIZE_MAX;
	x->step = calloc(x->steps + 1, sizeof *x->step);
	x->scan = calloc(x->steps + 1, sizeof *x->scan);
	x->view = malloc(x->head->scan->views * sizeof *x->view);
	if (!x->step || !x->scan || !x->view)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t v = 0; v < x->head->scan->views; v++)
		x->view[v] = v;
	GT_TRY(gt_scan_clone(x->head->scan, &x->scan[0]));
	for (size_t k = 0; k < x->steps; k++)
		GT_TRY(gt_prepared_step_new(f->spec[k], &x->step[k]));
done:
	return st;
}

/* Creates the output, without values. */
static gt_status create(gt_chunks *x, int weighted)
{
	gt_projections *head = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_projections_wrap(x->scan[x->steps], NULL, NULL, NULL, &head));
	GT_TRY(gt_projections_set_provenance(head, x->files->command ? x->files->command : x->head->from.command, x->head->from.parameters,
	                                     NULL));
	for (size_t k = 0; k < x->steps; k++)
		GT_TRY(gt_prepared_record(head, &x->step[k]));
	head->position = x->head->position;
	head->water = x->head->water;
	st = gt_view_writer_create(x->files->output, head, weighted, &x->writer);
done:
	gt_projections_free(head);
	return st;
}

/* A block in flight, and its position. */
typedef struct {
	gt_chunks *x;
	int rows, from_output, weighted;
	size_t each, all; /* views, or rows, of a block; in all */
	const gt_scan *in, *out;
} sweep;

static size_t size_of(const sweep *s, size_t item) { return s->all - item * s->each < s->each ? s->all - item * s->each : s->each; }

static gt_view_chunk place_of(const sweep *s, size_t item, int weights)
{
	const size_t first = item * s->each, n = size_of(s, item);
	return s->rows ? (gt_view_chunk){ weights, 0, s->out->views, first, n } : (gt_view_chunk){ weights, first, n, 0, s->out->rows };
}

static size_t values_of(const sweep *s, const gt_scan *scan, size_t item)
{
	return size_of(s, item) * scan->columns * (s->rows ? scan->views : scan->rows);
}

static gt_status read_block(void *self, size_t item, void *buffer)
{
	const sweep *s = self;
	const size_t first = item * s->each, n = size_of(s, item);
	float *values = buffer;
	gt_status st = GT_OK;
	if (!s->from_output)
		return s->rows ? read_views(s->x, 0, s->in->views, first, n, buffer) : read_views(s->x, first, n, 0, s->in->rows, buffer);
	for (int weights = 0; weights <= s->weighted && st == GT_OK; weights++) {
		const gt_view_chunk chunk = place_of(s, item, weights);
		st = gt_view_writer_read(s->x->writer, &chunk, values + (size_t)weights * values_of(s, s->in, item));
	}
	return st;
}

static gt_status write_block(void *self, size_t item, void *buffer)
{
	const sweep *s = self;
	const float *values = buffer;
	gt_status st = GT_OK;
	for (int weights = 0; weights <= s->weighted && st == GT_OK; weights++) {
		const gt_view_chunk chunk = place_of(s, item, weights);
		st = gt_view_writer_write(s->x->writer, &chunk, values + (size_t)weights * values_of(s, s->out, item));
	}
	return st;
}

typedef struct {
	const float *from;
	float *to;
} copy_call;

static void copy_some(void *self, size_t begin, size_t end, int worker)
{
	const copy_call *c = self;
	(void)worker;
	memcpy(c->to + begin, c->from + begin, (end - begin) * sizeof *c->to);
}

static gt_status work_block(const sweep *s, size_t item, float *values, float *out)
{
	gt_chunks *x = s->x;
	const size_t written = values_of(s, s->out, item);
	gt_projections *q = NULL;
	gt_status st = GT_OK;
	const gt_view_chunk of = s->rows ? (gt_view_chunk){ 0, 0, s->in->views, item * s->each, size_of(s, item) }
	                                 : (gt_view_chunk){ 0, item * s->each, size_of(s, item), 0, s->in->rows };
	GT_TRY(chunk_of(x, s->in, &of, values, &q));
	if (s->from_output && s->weighted)
		GT_TRY(gt_projections_set_weights(q, values + values_of(s, s->in, item)));
	GT_TRY(s->rows ? through(x, &q, x->by_views, x->steps) : through(x, &q, 0, x->by_views));
	copy_call copy = { q->data, out };
	gt_parallel(x->pool, written, 1 << 18, copy_some, &copy);
	for (size_t i = 0; s->weighted && i < written; i++)
		out[written + i] = q->weight ? q->weight[i] : 1;
done:
	gt_projections_free(q);
	return st;
}

static gt_status run_sweep(sweep *s, double done_before, double share)
{
	gt_chunks *x = s->x;
	const size_t items = (s->all + s->each - 1) / s->each, arrays = s->weighted ? 2 : 1;
	gt_stage in = { .work = read_block, .self = s, .items = items, .fills = 1 };
	gt_stage out = { .work = write_block, .self = s, .items = items };
	gt_status st = GT_OK;
	for (int b = 0; b < GT_STAGE_BUFFERS; b++) {
		in.buffer[b] = malloc(arrays * values_of(s, s->in, 0) * sizeof(float));
		out.buffer[b] = malloc(arrays * values_of(s, s->out, 0) * sizeof(float));
		if (!in.buffer[b] || !out.buffer[b])
			GT_TRY(gt_fail(GT_ERR_MEMORY, "blocks of projections: out of memory"));
	}
	GT_TRY(gt_stage_start(&in));
	GT_TRY(gt_stage_start(&out));
	for (size_t item = 0; item < items; item++) {
		void *from, *to;
		GT_TRY(gt_stage_take(&in, &from));
		GT_TRY(gt_stage_take(&out, &to));
		GT_TRY(work_block(s, item, from, to));
		gt_stage_give(&in);
		gt_stage_give(&out);
		if (x->files->progress &&
		    x->files->progress(x->files->progress_self, done_before + share * (double)(item + 1) / (double)items))
			GT_TRY(gt_fail(GT_STOPPED, "stopped"));
	}
	GT_TRY(gt_stage_end(&in));
	st = gt_stage_end(&out);
done:
	gt_stage_stop(&in);
	gt_stage_stop(&out);
	for (int b = 0; b < GT_STAGE_BUFFERS; b++) {
		free(in.buffer[b]);
		free(out.buffer[b]);
	}
	return st;
}

/* Returns the number of views or rows of `each` bytes that fit, in addition to readers and threads. */
static size_t fitting(const gt_chunks *x, double each, double beside, int weighted, size_t max)
{
	const double blocks = (READ + WRITTEN) * (weighted ? 2 : 1) + WORKED, room = x->files->memory - beside;
	const double n = floor(room / (blocks * each));
	return n < 1 ? 1 : n > (double)max ? max : (size_t)n;
}

enum { MAX_VIEWS = 16 };

/* Number of threads whose sinograms take half of the memory. */
static gt_status fewer_threads(gt_chunks *x, double sinogram)
{
	const int max = (int)fmax(1, fmin((double)gt_pool_threads(x->pool), x->files->memory / 2 / (6 * sinogram)));
	if (max == gt_pool_threads(x->pool))
		return GT_OK;
	gt_pool_free(x->pool);
	x->pool = NULL;
	return gt_pool_new(max, &x->pool);
}

static gt_status sweeps(gt_chunks *x, int weighted)
{
	const gt_scan *raw = x->scan[0], *out = x->scan[x->steps];
	const int views = x->by_views > 0 || !x->steps, rows = x->by_views < x->steps;
	gt_status st = GT_OK;
	if (views) {
		const double each = (double)raw->rows * (double)raw->columns * sizeof(float);
		sweep s = { .x = x, .weighted = weighted, .all = out->views, .in = raw, .out = out };
		/* Reading whole views takes half of the memory of reading parts of them. */
		s.each = fitting(x, each, (double)gt_view_reader_bytes(x->reader) / 2, weighted,
		                 out->views < MAX_VIEWS ? out->views : MAX_VIEWS);
		if (!rows)
			gt_view_writer_settle(x->writer);
		GT_TRY(run_sweep(&s, 0, rows ? 0.5 : 1));
	}
	if (rows) {
		const double each = (double)out->views * (double)out->columns * sizeof(float);
		sweep s = { .x = x, .rows = 1, .from_output = views, .weighted = weighted, .all = out->rows, .in = out, .out = out };
		GT_TRY(fewer_threads(x, each));
		s.each = fitting(x, each, x->files->memory / 2, weighted, out->rows);
		gt_view_writer_settle(x->writer);
		GT_TRY(run_sweep(&s, views ? 0.5 : 0, views ? 0.5 : 1));
	}
done:
	return st;
}

gt_status gt_prepare_in_chunks(const gt_prepare_files *files, const gt_prepare_options *given)
{
	gt_prepare_files f = gt_prepare_files_defaults;
	gt_prepare_options o;
	gt_chunks x = { .files = &f, .o = &o };
	int weighted = 0;
	gt_status st = GT_OK;
	if (!files || files->size < sizeof f || !files->input || !files->output)
		return gt_fail(GT_ERR_ARG, "gt_prepare_in_chunks: found no input or output, or size is not sizeof(gt_prepare_files)");
	f = *files;
	f.memory = f.memory > 0 ? f.memory : gt_prepare_files_defaults.memory;
	GT_TRY(gt_prepare_options_of(given, &o));
	GT_TRY(open_(&x));
	GT_TRY(plan(&x));
	for (size_t k = 0; k < x.steps; k++)
		weighted |= x.step[k].step->weighs && x.step[k].step->weighs(x.step[k].known);
	GT_TRY(create(&x, weighted));
	GT_TRY(sweeps(&x, weighted));
	GT_TRY(gt_view_writer_commit(x.writer));
	x.writer = NULL;
	gt_view_reader_report(x.reader, &o.notes);
	for (size_t k = 0; k < x.steps; k++) {
		gt_prepare_call c = { .o = &o };
		gt_prepared_report(&c, &x.step[k]);
	}
done:
	gt_chunks_free(&x);
	return st;
}
