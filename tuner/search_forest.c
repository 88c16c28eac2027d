/* The searcher "forest": bagged regression trees of the logarithm of times on the choices (Breiman, Machine Learning 24
 * (1996) 123), and of some hundred candidates the one from which the most improvement is expected (Jones, Schonlau,
 * Welch, J. Global Optim. 13 (1998) 455). What does not run counts as three times the slowest. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/random.h>
#include "tuner/search.h"

enum { TREES = 16, BEGIN = 20, AGAIN = 8, POOL = 400, NODES = 256, MAX_POINTS = 600, LEAF = 2 };

/* left, right: of choices up to `at` of a layer, and beyond; layer < 0: a leaf. */
struct node {
	int layer, at, left, right;
	double mean;
};
struct forest {
	const gt_space *space;
	gt_random random;
	size_t first, asked, told, fitted; /* fitted: told then */
	double min, max;                   /* logarithms of times that are finite */
	size_t point[MAX_POINTS];
	double value[MAX_POINTS], size[MAX_POINTS]; /* size: as fitted, failures too */
	size_t points;
	unsigned char *seen; /* by candidate */
	size_t left;         /* not asked yet */
	size_t best;
	int nodes[TREES];
	struct node node[TREES][NODES];
	size_t sample[MAX_POINTS];
};

static void release(void *self)
{
	struct forest *f = self;
	free(f->seen);
	free(f);
}

static gt_status make(const gt_search_task *t, const char *options, void **self)
{
	struct forest *f = *options ? NULL : calloc(1, sizeof *f);
	if (!f)
		return *options ? gt_fail(GT_ERR_ARG, "forest has no options, found \"%s\"", options)
		                : gt_fail(GT_ERR_MEMORY, "no memory for a searcher");
	f->space = t->space;
	f->first = t->first;
	f->best = SIZE_MAX;
	f->left = t->space->count;
	f->min = INFINITY;
	f->max = -INFINITY;
	gt_random_at(t->seed, 4, &f->random);
	if (!(f->seen = calloc(t->space->count, 1))) {
		release(f);
		return gt_fail(GT_ERR_MEMORY, "no memory for %zu candidates", t->space->count);
	}
	*self = f;
	return GT_OK;
}

static size_t below(struct forest *f, size_t n) { return (size_t)(gt_uniform(&f->random) * (double)n); }

/* Sum of squares from the means after the split, the less the better. */
static double cost_of(const struct forest *f, size_t from, size_t end, int layer, int at)
{
	double n[2] = { 0, 0 }, sum[2] = { 0, 0 }, square = 0;
	for (size_t i = from; i < end; i++) {
		const size_t p = f->sample[i];
		const int side = gt_space_pick(f->space, f->point[p])[layer] > at;
		n[side]++;
		sum[side] += f->size[p];
		square += f->size[p] * f->size[p];
	}
	if (n[0] < LEAF || n[1] < LEAF)
		return INFINITY;
	return square - sum[0] * sum[0] / n[0] - sum[1] * sum[1] / n[1];
}

/* Of two thirds of the layers. */
static double best_split(struct forest *f, size_t from, size_t end, int *layer, int *at)
{
	double min = INFINITY;
	for (int l = 0; l < f->space->layers; l++) {
		if (gt_uniform(&f->random) > 2. / 3)
			continue;
		for (int v = 0; v + 1 < f->space->layer[l].n; v++) {
			const double cost = cost_of(f, from, end, l, v);
			if (cost < min) {
				min = cost;
				*layer = l;
				*at = v;
			}
		}
	}
	return min;
}

/* Of the sample [from, end), which is put in order. Returns the node. */
static int grow(struct forest *f, int tree, size_t from, size_t end)
{
	const int k = f->nodes[tree]++;
	struct node n = { -1, 0, -1, -1, 0 };
	for (size_t i = from; i < end; i++)
		n.mean += f->size[f->sample[i]] / (double)(end - from);
	if (end - from >= 2 * LEAF && k < NODES / 2 && f->nodes[tree] + 2 < NODES && best_split(f, from, end, &n.layer, &n.at) < INFINITY) {
		size_t middle = from;
		for (size_t i = from; i < end; i++)
			if (gt_space_pick(f->space, f->point[f->sample[i]])[n.layer] <= n.at) {
				const size_t other = f->sample[middle];
				f->sample[middle++] = f->sample[i];
				f->sample[i] = other;
			}
		n.left = grow(f, tree, from, middle);
		n.right = grow(f, tree, middle, end);
	}
	f->node[tree][k] = n;
	return k;
}

static void fit(struct forest *f)
{
	for (size_t i = 0; i < f->points; i++)
		f->size[i] = isfinite(f->value[i]) ? f->value[i] : f->max + log(3);
	for (int t = 0; t < TREES; t++) {
		for (size_t i = 0; i < f->points; i++)
			f->sample[i] = below(f, f->points);
		f->nodes[t] = 0;
		grow(f, t, 0, f->points);
	}
	f->fitted = f->told;
}

static double expected_improvement(const struct forest *f, size_t candidate)
{
	const uint8_t *pick = gt_space_pick(f->space, candidate);
	double sum = 0, squares = 0;
	for (int t = 0; t < TREES; t++) {
		int k = 0;
		while (f->node[t][k].left >= 0)
			k = pick[f->node[t][k].layer] <= f->node[t][k].at ? f->node[t][k].left : f->node[t][k].right;
		sum += f->node[t][k].mean;
		squares += f->node[t][k].mean * f->node[t][k].mean;
	}
	const double mean = sum / TREES, spread = sqrt(fmax(squares / TREES - mean * mean, 1e-6)), z = (f->min - mean) / spread;
	return spread * (z * 0.5 * erfc(-z * M_SQRT1_2) + exp(-0.5 * z * z) * 0.3989422804014327);
}

/* One that was not asked; SIZE_MAX if some tries find none. */
static size_t any_unseen(struct forest *f)
{
	for (int i = 0; i < 50; i++) {
		const size_t c = below(f, f->space->count);
		if (!f->seen[c])
			return c;
	}
	for (size_t i = 0, c = below(f, f->space->count); f->space->count < 5000 && i < f->space->count; i++, c = (c + 1) % f->space->count)
		if (!f->seen[c])
			return c;
	return SIZE_MAX;
}

/* A neighbour of the best, one layer or two changed. */
static size_t near_best(struct forest *f)
{
	uint8_t pick[GT_MAX_LAYERS];
	if (f->best == SIZE_MAX)
		return SIZE_MAX;
	memcpy(pick, gt_space_pick(f->space, f->best), (size_t)f->space->layers);
	for (size_t changes = 1 + below(f, 2); changes; changes--) {
		const size_t l = below(f, (size_t)f->space->layers);
		pick[l] = (uint8_t)below(f, (size_t)f->space->layer[l].n);
	}
	return gt_space_find(f->space, pick);
}

static gt_answer ask(void *self, size_t *candidate)
{
	struct forest *f = self;
	size_t best = SIZE_MAX;
	double max = -1;
	if (f->left == 0)
		return GT_NOTHING;
	if (f->asked == 0) {
		best = f->first;
	} else if (f->told < BEGIN || !isfinite(f->min)) {
		best = any_unseen(f);
	} else {
		if (f->fitted == 0 || f->told >= f->fitted + AGAIN)
			fit(f);
		for (int i = 0; i < POOL; i++) {
			const size_t c = i % 2 ? near_best(f) : any_unseen(f);
			const double gain = c == SIZE_MAX || f->seen[c] ? -1 : expected_improvement(f, c);
			if (gain > max) {
				max = gain;
				best = c;
			}
		}
	}
	if (best == SIZE_MAX)
		best = any_unseen(f);
	if (best == SIZE_MAX)
		return GT_NOTHING;
	f->left -= !f->seen[best];
	f->seen[best] = 1;
	f->asked++;
	*candidate = best;
	return GT_ASKED;
}

static void tell(void *self, size_t candidate, double ms)
{
	struct forest *f = self;
	const double value = log(ms);
	f->told++;
	if (isfinite(value) && value < f->min) {
		f->min = value;
		f->best = candidate;
	}
	if (isfinite(value))
		f->max = fmax(f->max, value);
	if (f->points < MAX_POINTS) {
		f->point[f->points] = candidate;
		f->value[f->points++] = value;
	}
}

const gt_strategy gt_search_forest = { "forest", "regression trees and expected improvement", make, ask, tell, release };
