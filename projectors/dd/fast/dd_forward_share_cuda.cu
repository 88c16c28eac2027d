/* Host side of the distance-driven forward projection on CUDA in single precision: division of tiles among blocks if
 * blocks are few. The last blocks would leave much of the device idle, because a block's columns may meet all slices or
 * only a corner of some. Blocks of both axes therefore form one list, longest first, and several blocks share tiles
 * with many slices. A scheduling model chooses the number of parts. In it, a multiprocessor starts the next block when
 * a position is free, and its throughput grows with the number of resident blocks. The work of a block is its number of
 * slices plus a start-up cost. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/blocks.cuh"
#include "projectors/dd/fast/dd_forward.cuh"
#include "projectors/dd/fast/dd_tables.cuh"

enum {
	BEGINNING = 8, /* start-up cost of a block, in slices */
	MARGIN = 1,    /* safety margin of the slices met */
	PLACES = 8     /* maximum resident blocks per multiprocessor */
};

struct shared_tile {
	gt_dd_share whole; /* at: its index in the list */
	int shape;
	double per_slice;
};

/* Finds slices met[0] .. met[1]-1 on which columns k[0] .. k[1]-1 of a view meet the volume. */
static void slices_met(const gt_dd *d, const gt_dd_near *w, const gt_dd_edge_q *e, int axis, const int k[2], int met[2])
{
	double from = w->first, to = w->end;
	const double width = d->n[1 - axis];
	for (int side = 0; side < 2; side++) {
		/* solves X + n step > 0: the upper edge above the first voxel's start, the lower below the last voxel's
		 * end */
		const double U = e[k[!side]].U, X = side ? width - (w->a0 + w->g0 * U) : w->a0 + w->g0 * U,
			     step = side ? -(w->da + w->dg * U) : w->da + w->dg * U;
		if (step > 0)
			from = fmax(from, -X / step);
		else if (step < 0)
			to = fmin(to, -X / step);
		else if (X <= 0)
			to = from;
	}
	met[0] = (int)fmax(floor(fmin(from, d->n[axis])) - MARGIN, 0);
	met[1] = (int)fmin(ceil(fmax(to, 0)) + MARGIN, d->n[axis]);
}

static int tall_of(const gt_dd_tile *t) { return t->rows * t->lanes + t->extra; }

/* Lists the tiles of one axis and shape with the slices that they meet. Returns their number. */
static int add_tiles(const gt_dd *d, const gt_dd_fast *f, const gt_dd_fast_tables *h, int axis, int shape, struct shared_tile *to)
{
	const gt_dd_tile t = gt_dd_forward_tile(f, shape);
	const int wide = t.warps / f->together * t.columns, column_blocks = pieces(d->columns, wide);
	const gt_dd_run *r = &f->run[axis][shape];
	const int count = (int)gt_dd_forward_blocks(d, f, axis, shape);
	for (int i = 0; i < count; i++) {
		const int place = i / r->groups, column = gt_dd_outwards(place % column_blocks, column_blocks), first = column * wide,
			  k[] = { first, first + wide < d->columns ? first + wide : d->columns };
		const gt_dd_group *g = h->group + r->first + i % r->groups;
		gt_dd_share s = { r->first + i % r->groups, column, place / column_blocks, axis, d->n[axis], 0, 0, 1, 0 };
		for (int v = 0; v < GT_DD_GROUP && g->low + s.tile * tall_of(&t) < g->high; v++) {
			int met[2] = { 0, 0 };
			if (g->view[v] >= 0)
				slices_met(d, h->view + g->view[v], h->height + (size_t)g->view[v] * (d->columns + 1), axis, k, met);
			if (met[0] < met[1]) {
				s.begin = met[0] < s.begin ? met[0] : s.begin;
				s.end = met[1] > s.end ? met[1] : s.end;
			}
		}
		s.begin = s.begin < s.end ? s.begin : s.end;
		/* approximate instructions of the rows and of their common work */
		to[i] = { s, shape, pieces(t.columns * t.lanes, WARP) * (t.rows + 1.3) + 2 };
	}
	return count;
}

static double cost_of(const struct shared_tile *t) { return (t->whole.end - t->whole.begin) * t->per_slice; }
static int dearest_first(const void *a, const void *b)
{
	const struct shared_tile *s = (const struct shared_tile *)a, *t = (const struct shared_tile *)b;
	const double x = cost_of(s), y = cost_of(t);
	return x < y ? 1 : x > y ? -1 : s->whole.at - t->whole.at;
}
static int longest_first(const void *a, const void *b)
{
	const gt_dd_share *s = (const gt_dd_share *)a, *t = (const gt_dd_share *)b;
	const int x = s->end - s->begin, y = t->end - t->begin;
	return x != y ? y - x : s->at != t->at ? s->at - t->at : s->part - t->part;
}

static int parts_of(const struct shared_tile *t, double quantum, int max)
{
	const int parts = (int)fmin(cost_of(t) / quantum + 0.5, max), slices = t->whole.end - t->whole.begin;
	return parts > slices ? (slices > 1 ? slices : 1) : parts > 1 ? parts : 1;
}

/* Scheduling model of a multiprocessor. */
struct processor {
	/* remaining work of its blocks, time of that state, time when the next block finishes */
	double left[PLACES], since, next;
	int blocks;
};
/* Work per unit of time of each resident block. */
static double pace_of(const struct processor *p, int places)
{
	const double x = (double)p->blocks / places;
	return p->blocks ? x * (2 - x) / p->blocks : 0;
}
static void plan_next(struct processor *p, int places)
{
	double min = 1e300;
	for (int i = 0; i < p->blocks; i++)
		min = p->left[i] < min ? p->left[i] : min;
	p->next = p->blocks ? p->since + min / pace_of(p, places) : 1e300;
}
static void sink(struct processor *p, int processors, int at)
{
	const struct processor own = p[at];
	for (int child; (child = 2 * at + 1) < processors; at = child) {
		child += child + 1 < processors && p[child + 1].next < p[child].next;
		if (own.next <= p[child].next)
			break;
		p[at] = p[child];
	}
	p[at] = own;
}
/* Simulates blocks in their order. cost: of the blocks; p: [processors] */
static double time_until_done(const double *cost, int blocks, struct processor *p, int processors, int places)
{
	int next = 0;
	double last = 0;
	for (int i = 0; i < processors; i++)
		p[i].since = p[i].blocks = 0;
	for (; next < processors * places && next < blocks; next++)
		p[next % processors].left[p[next % processors].blocks++] = cost[next];
	for (int i = 0; i < processors; i++)
		plan_next(p + i, places);
	for (int i = processors - 1; i >= 0; i--)
		sink(p, processors, i);
	while (p->blocks) {
		const double done = (p->next - p->since) * pace_of(p, places);
		int left = 0;
		last = p->since = p->next;
		for (int i = 0; i < p->blocks; i++)
			if (p->left[i] - done > 1e-6)
				p->left[left++] = p->left[i] - done;
		for (; left < places && next < blocks; next++)
			p->left[left++] = cost[next];
		p->blocks = left;
		plan_next(p, places);
		sink(p, processors, 0);
	}
	return last;
}

static int falling(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return x < y ? 1 : x > y ? -1 : 0;
}
/* Approximate costs of a block, in slices, that are tried. */
static const double tried[] = { 1 << 20, 512, 384, 256, 192, 128, 96, 64 };
enum { TRIALS = sizeof tried / sizeof *tried };

struct trials {
	const gt_dd_fast *f;
	const struct shared_tile *tile;
	int tiles, max, places;
	size_t room;         /* maximum number of blocks */
	struct processor *p; /* [TRIALS][processors] */
	double *cost;        /* [TRIALS][room] */
	double end[TRIALS];
};

static void try_some(void *self, size_t begin, size_t end, int)
{
	struct trials *a = (struct trials *)self;
	for (size_t i = begin; i < end; i++) {
		double *cost = a->cost + i * a->room;
		int blocks = 0;
		for (const struct shared_tile *t = a->tile; t < a->tile + a->tiles; t++) {
			const int parts = parts_of(t, tried[i] * a->tile->per_slice, a->max);
			for (int k = 0; k < parts; k++)
				cost[blocks++] = cost_of(t) / parts + BEGINNING * t->per_slice;
		}
		qsort(cost, (size_t)blocks, sizeof *cost, falling);
		a->end[i] = time_until_done(cost, blocks, a->p + i * a->f->processors, a->f->processors, a->places);
	}
}

/* Cost of a block for the earliest end: the largest value, unless a smaller one gains 1 %. */
static double quantum_of(gt_pool *pool, struct trials *a)
{
	double min = 1e300, best = tried[0];
	gt_parallel(pool, TRIALS, 1, try_some, a);
	for (int i = 0; i < TRIALS; i++)
		if (a->end[i] < 0.99 * min) {
			min = a->end[i];
			best = tried[i];
		}
	return best * a->tile->per_slice;
}

/* Divides the tiles of a shape into parts, longest first. Returns the number of shares. */
static int split(const struct shared_tile *tile, int tiles, int shape, double quantum, int max, gt_dd_share *to, int *counters)
{
	int shares = 0;
	for (const struct shared_tile *t = tile; t < tile + tiles; t++) {
		const int parts = parts_of(t, quantum, max), slices = t->whole.end - t->whole.begin;
		if (t->shape != shape)
			continue;
		for (int p = 0; p < parts; p++) {
			gt_dd_share own = t->whole;
			own.begin = t->whole.begin + (int)((long long)slices * p / parts);
			own.end = t->whole.begin + (int)((long long)slices * (p + 1) / parts);
			own.part = p;
			own.parts = parts;
			own.at = *counters;
			to[shares++] = own;
		}
		*counters += parts > 1;
	}
	qsort(to, (size_t)shares, sizeof *to, longest_first);
	return shares;
}

/* Counts all blocks; places: minimum number of resident blocks per multiprocessor. */
static double count_blocks(const gt_dd *d, const gt_dd_fast *f, int *places)
{
	double all = 0;
	*places = PLACES;
	for (int i = 0; i < 2 * GT_DD_SHAPES; i++) {
		const int shape = i / 2, axis = i % 2;
		if (!f->run[axis][shape].groups)
			continue;
		const int own = gt_dd_forward_tile(f, shape).blocks;
		all += gt_dd_forward_blocks(d, f, axis, shape);
		*places = own < *places ? own : *places;
	}
	return all;
}

/* Divides the tiles; max: parts of a tile. Returns 0 if memory is short. */
static int divide(gt_pool *pool, const gt_dd *d, const gt_dd_fast *f, const gt_dd_fast_tables *h, int max, gt_dd_shares *to)
{
	int tiles = 0, shares = 0, places;
	const double blocks = count_blocks(d, f, &places);
	struct shared_tile *tile = (struct shared_tile *)malloc((size_t)blocks * sizeof *tile);
	struct trials a = { f, tile, 0, max, places, (size_t)blocks * max, NULL, NULL, { 0 } };
	to->share = (gt_dd_share *)malloc((size_t)blocks * max * sizeof *to->share);
	a.cost = (double *)malloc(TRIALS * a.room * sizeof *a.cost);
	a.p = (struct processor *)malloc(TRIALS * (size_t)f->processors * sizeof *a.p);
	if (!tile || !to->share || !a.cost || !a.p) {
		free(tile);
		free(to->share);
		free(a.cost);
		free(a.p);
		to->share = NULL;
		return 0;
	}
	for (int i = 0; i < 2 * GT_DD_SHAPES; i++)
		if (f->run[i % 2][i / 2].groups)
			tiles += add_tiles(d, f, h, i % 2, i / 2, tile + tiles);
	for (int i = 0; i < tiles; i++)
		tile[i].whole.at = i;
	qsort(tile, (size_t)tiles, sizeof *tile, dearest_first);
	a.tiles = tiles;
	const double quantum = quantum_of(pool, &a);
	to->parts = 1;
	to->counters = 0;
	for (int shape = 0; shape < GT_DD_SHAPES; shape++) {
		to->shares[shape] = shares;
		shares += split(tile, tiles, shape, quantum, max, to->share + shares, &to->counters);
	}
	to->shares[GT_DD_SHAPES] = shares;
	for (int i = 0; i < shares; i++)
		to->parts = to->share[i].parts > to->parts ? to->share[i].parts : to->parts;
	gt_dd_share *smaller = (gt_dd_share *)realloc(to->share, (size_t)shares * sizeof *smaller);
	to->share = smaller ? smaller : to->share;
	free(tile);
	free(a.cost);
	free(a.p);
	return 1;
}

/* Returns the maximum number of parts of a tile; 0: blocks are not few. */
static int max_parts(const gt_dd *d, const gt_dd_fast *f)
{
	const size_t pixels = d->views * d->rows * d->columns * sizeof(float);
	size_t room;
	int places;
	if (!(count_blocks(d, f, &places) > 0) || gt_dd_forward_waves(d, f) > GT_DD_FORWARD_FEW || !gt_dd_forward_is_whole(d, f, &room))
		return 0;
	return room / pixels < 7 ? (int)(room / pixels) + 1 : 8;
}

/* Sets *s, or finds that it is valid. Returns 0 if memory is short. */
static int share_out(gt_pool *pool, const gt_dd *d, const gt_dd_fast *f, const gt_dd_fast_tables *h, int max, gt_dd_shares *s)
{
	if (s->share && s->max == max && s->processors == f->processors && !memcmp(s->run, f->run, sizeof s->run))
		return 1;
	free(s->share);
	s->max = max;
	s->processors = f->processors;
	memcpy(s->run, f->run, sizeof s->run);
	return divide(pool, d, f, h, max, s);
}

/* h: of a gt_dd_fast_host. */
extern "C" int gt_dd_forward_share(gt_backend *be, const gt_dd *d, gt_dd_fast *f, const gt_dd_fast_tables *h, size_t bytes[2])
{
	gt_dd_shares *s = &static_cast<const gt_dd_fast_host *>(h)->shares;
	const int max = gt_dd_fast_forward_fits(d, f) ? max_parts(d, f) : 0;
	if (!max)
		return 1;
	if (!share_out(gt_backend_pool(be), d, f, h, max, s))
		return 0;
	unsigned *none = (unsigned *)calloc((size_t)s->counters + 1, sizeof *none);
	f->parts = s->parts;
	memcpy(f->shares, s->shares, sizeof f->shares);
	bytes[0] = s->shares[GT_DD_SHAPES] * sizeof *s->share;
	bytes[1] = ((size_t)s->counters + 1) * sizeof *none;
	if (none) {
		f->share = (const gt_dd_share *)gt_dd_upload(be, s->share, bytes[0]);
		f->done = (unsigned *)gt_dd_upload(be, none, bytes[1]);
	}
	free(none);
	return f->share && f->done;
}
