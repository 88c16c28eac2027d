/* Bounding volume hierarchy over the solids of a phantom, split by the surface area heuristic (MacDonald and Booth,
 * "Heuristics for ray tracing using space subdivision", The Visual Computer 6, 1990). A line is tested only against
 * nearby solids. */
#include <math.h>
#include <stdlib.h>
#include "phantoms/solids.h"

enum { LEAF = 2, DEEP = 40 }; /* solids of a leaf; below depth DEEP nodes are halved, to bound the recursion */

typedef struct {
	double lo[3], hi[3], centre[3];
	size_t solid;
} item;
typedef struct {
	item *items;
	double *area;
	gt_tree_node *node;
	size_t nodes;
} builder;

/* Ties follow the order of the list, because qsort is not stable. */
static int by(const item *p, const item *q, int axis)
{
	if (p->centre[axis] != q->centre[axis])
		return p->centre[axis] < q->centre[axis] ? -1 : 1;
	return p->solid < q->solid ? -1 : p->solid > q->solid;
}

static int by_x(const void *p, const void *q) { return by(p, q, 0); }
static int by_y(const void *p, const void *q) { return by(p, q, 1); }
static int by_z(const void *p, const void *q) { return by(p, q, 2); }
static int (*const by_axis[3])(const void *, const void *) = { by_x, by_y, by_z };

static void grow(double lo[3], double hi[3], const item *i)
{
	for (int a = 0; a < 3; a++) {
		lo[a] = fmin(lo[a], i->lo[a]);
		hi[a] = fmax(hi[a], i->hi[a]);
	}
}

static void empty(double lo[3], double hi[3])
{
	for (int a = 0; a < 3; a++) {
		lo[a] = INFINITY;
		hi[a] = -INFINITY;
	}
}

static double half_area(const double lo[3], const double hi[3])
{
	const double x = hi[0] - lo[0], y = hi[1] - lo[1], z = hi[2] - lo[2];
	return x * y + y * z + z * x;
}

/* Best split of items [first, first+count) sorted along one axis: the number of items on the left. */
static size_t best_split(builder *b, size_t first, size_t count, double *cost)
{
	double lo[3], hi[3];
	size_t best = count / 2;
	*cost = INFINITY;
	empty(lo, hi);
	for (size_t i = count; i-- > 1;) {
		grow(lo, hi, &b->items[first + i]);
		b->area[i] = half_area(lo, hi);
	}
	empty(lo, hi);
	for (size_t i = 1; i < count; i++) {
		grow(lo, hi, &b->items[first + i - 1]);
		const double c = half_area(lo, hi) * (double)i + b->area[i] * (double)(count - i);
		if (c < *cost) {
			*cost = c;
			best = i;
		}
	}
	return best;
}

static size_t split(builder *b, size_t first, size_t count, int depth)
{
	double min = INFINITY, cost;
	size_t best = count / 2;
	int axis = 0;
	for (int a = 0; a < 3; a++) {
		qsort(b->items + first, count, sizeof *b->items, by_axis[a]);
		const size_t at = best_split(b, first, count, &cost);
		if (cost < min) {
			min = cost;
			best = at;
			axis = a;
		}
	}
	if (axis != 2)
		qsort(b->items + first, count, sizeof *b->items, by_axis[axis]);
	return depth < DEEP ? best : count / 2;
}

static void build(builder *b, size_t first, size_t count, int depth)
{
	const size_t me = b->nodes++;
	gt_tree_node *n = &b->node[me];
	empty(n->lo, n->hi);
	for (size_t i = 0; i < count; i++)
		grow(n->lo, n->hi, &b->items[first + i]);
	n->first = first;
	n->count = count <= LEAF ? count : 0;
	if (count > LEAF) {
		const size_t left = split(b, first, count, depth);
		build(b, first, left, depth + 1);
		build(b, first + left, count - left, depth + 1);
	}
	n->skip = b->nodes;
}

gt_status gt_solids_tree(gt_phantom *p)
{
	const size_t n = p->solids;
	builder b = { .items = malloc(n * sizeof *b.items), .area = malloc(n * sizeof *b.area) };
	gt_solid *ordered = malloc(n * sizeof *ordered);
	b.node = malloc(2 * n * sizeof *b.node);
	if (!b.items || !b.area || !ordered || !b.node) {
		free(b.items);
		free(b.area);
		free(ordered);
		free(b.node);
		return gt_fail(GT_ERR_MEMORY, "no memory for a phantom of %zu shapes", n);
	}
	for (size_t i = 0; i < n; i++) {
		b.items[i].solid = i;
		for (int a = 0; a < 3; a++) {
			b.items[i].lo[a] = p->solid[i].lo[a];
			b.items[i].hi[a] = p->solid[i].hi[a];
			b.items[i].centre[a] = 0.5 * (p->solid[i].lo[a] + p->solid[i].hi[a]);
		}
	}
	build(&b, 0, n, 0);
	for (size_t i = 0; i < n; i++)
		ordered[i] = p->solid[b.items[i].solid];
	free(p->solid);
	p->solid = ordered;
	p->room = n;
	p->node = b.node;
	p->nodes = b.nodes;
	free(b.items);
	free(b.area);
	return GT_OK;
}
