/* Job order and scratch memory of the vectorised CPU projectors (see vector_jobs.h). */
#include "core/poll.h"
#include "projectors/kit/vector_jobs.h"

/* Floats of a volume that stays in the caches. From 8 MB on (measured), streaming stores are faster than stores through
 * the cache. */
static size_t in_caches = (size_t)1 << 20;

void gt_line_past(int always) { in_caches = always ? 0 : (size_t)1 << 20; }

size_t gt_line_scratch(gt_backend *be, const gt_line_sizes *s)
{
	const size_t workers = (size_t)gt_pool_threads(be->pool);
	const size_t forward = s->forward.lines + workers * s->forward.worker, adjoint = s->adjoint.lines + workers * s->adjoint.worker;
	return (s->list + (forward > adjoint ? forward : adjoint)) * sizeof(float) + 64;
}

gt_line_memory gt_line_start(gt_backend *be, const gt_line_sizes *s, int back, size_t **list)
{
	float *first = (float *)(((size_t)gt_scratch(be) + 63) & ~(size_t)63);
	gt_line_memory m = { .lines = first + s->list, .row = s->row };
	m.past = s->forward.lines > in_caches;
	m.stride = back ? s->adjoint.stride : s->forward.stride;
	m.scratch = m.lines + (back ? s->adjoint.lines : s->forward.lines);
	m.scratch_floats = back ? s->adjoint.worker : s->forward.worker;
	if (list)
		*list = (size_t *)first;
	return m;
}

void gt_line_list(const int *axis, size_t apart, size_t views, size_t *list, gt_line_order *o)
{
	size_t n = 0;
	for (int a = 0; a < 2; a++) {
		const size_t before = n;
		for (size_t v = 0; v < views; v++)
			if (*(const int *)((const char *)axis + v * apart) == a)
				list[n++] = v;
		o->count[a] = n - before;
	}
	o->views = list;
}

static size_t forward_jobs(const gt_line_order *o, int columns)
{
	const size_t group = (size_t)o->group;
	return (gt_pieces_of(o->count[0], group) + gt_pieces_of(o->count[1], group)) * gt_pieces_of((size_t)columns, (size_t)o->columns);
}

void gt_line_forward(gt_backend *be, const int *n, int columns, gt_line_order *o, gt_loop lines, gt_loop jobs, void *j)
{
	const size_t enough = 8 * (size_t)gt_pool_threads(be->pool);
	while (forward_jobs(o, columns) < enough && o->columns > 16) {
		o->columns /= 2;
		o->group = o->group > 3 ? o->group / 2 : o->group;
	}
	gt_parallel(be->pool, (size_t)n[1], 1, lines, j);
	gt_poll_part(0, 1);
	gt_parallel(be->pool, forward_jobs(o, columns), 1, jobs, j);
}

/* Few views of both axes are one batch, so that the volume is written once. */
static int one_batch(const gt_line_order *o) { return o->both && o->count[0] && o->count[1] && o->count[0] + o->count[1] <= GT_LINE_BATCH; }

void gt_line_adjoint(gt_backend *be, const int *n, gt_line_order *o, gt_loop lines, gt_loop jobs, void *j)
{
	const size_t views[2] = { o->count[0], o->count[1] };
	const double all = (double)(views[0] + views[1]);
	size_t done = 0;
	o->both = one_batch(o);
	if (o->both) {
		o->axis = 1;
		o->first = 1;
		gt_parallel(be->pool, views[0] + views[1], 1, lines, j);
		gt_poll_part(0, 1);
		gt_parallel(be->pool, gt_line_tiles(n, o->axis), 1, jobs, j);
		return;
	}
	for (o->axis = 0; o->axis < 2; o->axis++)
		for (size_t left = views[o->axis]; left; left -= o->count[o->axis]) {
			const size_t batch = gt_pieces_of(left, gt_pieces_of(left, GT_LINE_BATCH));
			o->count[o->axis] = batch;
			o->first = done == 0;
			gt_parallel(be->pool, batch, 1, lines, j);
			gt_poll_part((double)done / all, (double)(done + batch) / all);
			gt_parallel(be->pool, gt_line_tiles(n, o->axis), 1, jobs, j);
			o->views += batch;
			done += batch;
		}
}
