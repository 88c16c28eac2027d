/* Solids of a phantom: creation, and values at points and along lines. If shapes replace earlier ones, a line is
 * covered from the last shape to the first: each contributes the length that later ones leave free. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "phantoms/solids.h"

gt_status gt_solids_new(gt_phantom **p)
{
	*p = calloc(1, sizeof **p);
	return *p ? GT_OK : gt_fail(GT_ERR_MEMORY, "no memory for a phantom");
}

void gt_phantom_free(gt_phantom *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->solids; i++)
		gt_solid_free(&p->solid[i]);
	free(p->solid);
	free(p->node);
	free(p);
}

gt_status gt_solids_add(gt_phantom *p, gt_solid s)
{
	if (p->solids == p->room) {
		const size_t room = p->room ? 2 * p->room : 16;
		gt_solid *more = realloc(p->solid, room * sizeof *more);
		if (!more) {
			gt_solid_free(&s);
			return gt_fail(GT_ERR_MEMORY, "no memory for a phantom of %zu shapes", p->solids + 1);
		}
		p->solid = more;
		p->room = room;
	}
	s.rank = p->solids;
	p->solid[p->solids++] = s;
	return GT_OK;
}

gt_status gt_solids_finish(gt_phantom *p, const gt_phantom_options *o)
{
	for (size_t i = 0; i < p->solids; i++) {
		gt_solid *s = &p->solid[i];
		gt_solid_move(s, o->scale, o->rotate, o->shift);
		gt_solid_finish(s);
		if (!s->per_mm)
			s->density *= o->water;
		p->radius = fmax(p->radius, gt_solid_reach(s));
	}
	return gt_solids_tree(p);
}

double gt_phantom_radius(const gt_phantom *p) { return p->radius; }

double gt_phantom_value(const gt_phantom *p, const double x[3])
{
	double sum = 0;
	const gt_solid *last = NULL;
	for (size_t n = 0; n < p->nodes;) {
		const gt_tree_node *t = &p->node[n];
		if (x[0] < t->lo[0] || x[0] > t->hi[0] || x[1] < t->lo[1] || x[1] > t->hi[1] || x[2] < t->lo[2] || x[2] > t->hi[2]) {
			n = t->skip;
			continue;
		}
		for (size_t i = t->first; i < t->first + t->count; i++) {
			const gt_solid *s = &p->solid[i];
			if (!gt_solid_holds(s, x))
				continue;
			sum += s->density;
			if (!last || s->rank > last->rank)
				last = s;
		}
		n++;
	}
	return !p->replace ? sum : last ? last->density : 0;
}

static int box_is_met(const gt_tree_node *t, const double from[3], const double inverse[3], double lo, double hi)
{
	for (int a = 0; a < 3; a++) {
		const double u = (t->lo[a] - from[a]) * inverse[a], v = (t->hi[a] - from[a]) * inverse[a];
		const double in = u < v ? u : v, out = u < v ? v : u;
		lo = in > lo ? in : lo;
		hi = out < hi ? out : hi;
	}
	return lo <= hi;
}

static void sort_by_rank(gt_hit *hit, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const gt_hit h = hit[i];
		size_t j = i;
		for (; j > 0 && hit[j - 1].solid->rank > h.solid->rank; j--)
			hit[j] = hit[j - 1];
		hit[j] = h;
	}
}

size_t gt_solids_hits(const gt_phantom *p, const double from[3], const double direction[3], double lo, double hi, gt_hit *hit)
{
	double inverse[3];
	size_t hits = 0;
	/* A huge finite number instead of infinity: 0 times it is 0, and boxes have slack around their solids. */
	for (int a = 0; a < 3; a++)
		inverse[a] = fabs(direction[a]) > 1e-200 ? 1 / direction[a] : 1e200;
	for (size_t n = 0; n < p->nodes;) {
		const gt_tree_node *t = &p->node[n];
		if (!box_is_met(t, from, inverse, lo, hi)) {
			n = t->skip;
			continue;
		}
		for (size_t i = t->first; i < t->first + t->count; i++) {
			gt_hit *h = &hit[hits];
			h->solid = &p->solid[i];
			h->in = lo;
			h->out = hi;
			hits += gt_solid_cut(h->solid, from, direction, &h->in, &h->out) != 0;
		}
		n++;
	}
	if (p->replace)
		sort_by_rank(hit, hits);
	return hits;
}

/* Adds [in, out] to the n disjoint ascending intervals; *fresh is the length that they did not cover. */
static size_t cover(gt_hit *taken, size_t n, double in, double out, double *fresh)
{
	size_t first = 0, last;
	while (first < n && taken[first].out < in)
		first++;
	gt_hit whole = { NULL, in, out };
	double old = 0;
	for (last = first; last < n && taken[last].in <= out; last++) {
		old += fmin(out, taken[last].out) - fmax(in, taken[last].in);
		whole.in = fmin(whole.in, taken[last].in);
		whole.out = fmax(whole.out, taken[last].out);
	}
	*fresh = out - in - old;
	memmove(taken + first + 1, taken + last, (n - last) * sizeof *taken);
	taken[first] = whole;
	return n + 1 - (last - first);
}

static int is_within(const double band[2], double density) { return !band || (density >= band[0] && density < band[1]); }

/* taken: buffer for `hits` intervals. */
static double integral_of_last(const gt_hit *hit, size_t hits, const double band[2], gt_hit *taken)
{
	double sum = 0, fresh;
	size_t n = 0;
	for (size_t i = hits; i-- > 0;) {
		n = cover(taken, n, hit[i].in, hit[i].out, &fresh);
		sum += is_within(band, hit[i].solid->density) ? hit[i].solid->density * fresh : 0;
	}
	return sum;
}

/* Densities add, so the sum is constant between adjacent surfaces. at: buffer of 2 `hits` doubles. */
static double integral_of_sums(const gt_hit *hit, size_t hits, const double band[2], double *at)
{
	double sum = 0;
	for (size_t i = 0; i < 2 * hits; i++) {
		const double t = i % 2 ? hit[i / 2].out : hit[i / 2].in;
		size_t j = i;
		for (; j > 0 && at[j - 1] > t; j--)
			at[j] = at[j - 1];
		at[j] = t;
	}
	for (size_t i = 0; i + 1 < 2 * hits; i++) {
		const double centre = (at[i] + at[i + 1]) / 2;
		double density = 0;
		for (size_t k = 0; k < hits; k++)
			density += hit[k].in <= centre && centre <= hit[k].out ? hit[k].solid->density : 0;
		sum += is_within(band, density) ? density * (at[i + 1] - at[i]) : 0;
	}
	return sum;
}

double gt_solids_line(const gt_phantom *p, const double from[3], const double direction[3], int whole, const double band[2],
                      gt_hit *scratch)
{
	const double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
	if (!(length > 0))
		return 0;
	const size_t hits = gt_solids_hits(p, from, direction, whole ? -INFINITY : 0, INFINITY, scratch);
	if (p->replace)
		return length * integral_of_last(scratch, hits, band, scratch + hits);
	if (band)
		return length * integral_of_sums(scratch, hits, band, (double *)(void *)(scratch + hits));
	double sum = 0;
	for (size_t i = 0; i < hits; i++)
		sum += scratch[i].solid->density * (scratch[i].out - scratch[i].in);
	return length * sum;
}

double gt_phantom_line(const gt_phantom *p, const double from[3], const double direction[3], int whole)
{
	gt_hit *scratch = malloc(2 * p->solids * sizeof *scratch);
	const double sum = scratch ? gt_solids_line(p, from, direction, whole, NULL, scratch) : NAN;
	free(scratch);
	return sum;
}
