/* Strategy "ants": the ant colony system of Dorigo and Gambardella, IEEE Trans. Evol. Comput. 1 (1997) 53, as applied
 * to programs by Papenhausen, Zheng, Mueller, Med. Phys. 40 (2013) 031110.
 * A path runs through layers of choices. Edges are chosen by pheromone alone (their eq. 6). An ant lowers the
 * pheromone of its edges (eq. 3); the best path of the iteration raises it (eq. 4).
 *
 * "ants:as-published" has 30 ants, 5 iterations, the best path of the iteration, and may walk paths that do not
 * compile. The paper gives no rates; 0.1 is assumed.
 * Its pheromone of a path is 1 / length. Here it is the first length divided by this one, which is unit-free and near
 * 1, the initial value of edges.
 * "ants" takes the best edge half of the time (q0 of Dorigo and Gambardella), keeps the best path of all iterations,
 * and walks valid paths only. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/random.h"
#include "core/text.h"
#include "tuner/search.h"

enum { MAX_ANTS = 256 };

struct rates {
	double ants, iterations, alpha, phi, rho, q0, ever, legal, hand;
};
static const struct rates usual = { 10, 0, 1, 0.1, 0.3, 0.5, 1, 1, 1 }, published = { 30, 5, 1, 0.1, 0.1, 0, 0, 0, 0 };
static const char *const keys[] = { "ants", "iterations", "alpha", "phi", "rho", "q0", "ever", "legal", "hand" };
static const double max[] = { MAX_ANTS, 1e9, 10, 1, 1, 1, 1, 1, 1 };
enum { KEYS = sizeof keys / sizeof *keys };

struct ants {
	const gt_space *space;
	struct rates rate;
	gt_random random;
	size_t first, walked, told, iteration;
	double reference; /* first length; 0: not known yet */
	double best_ms;
	int there; /* 1 if a best path exists */
	uint8_t best[GT_MAX_LAYERS], path[MAX_ANTS][GT_MAX_LAYERS];
	size_t candidate[MAX_ANTS];
	double ms[MAX_ANTS];
	double tau[GT_MAX_LAYERS][GT_MAX_VALUES][GT_MAX_VALUES]; /* [layer][previous choice][choice] */
};

static gt_status read_rates(const char *options, struct rates *r)
{
	double number[KEYS];
	*r = usual;
	if (!strncmp(options, "as-published", 12) && (!options[12] || options[12] == ',')) {
		*r = published;
		options += options[12] ? 13 : 12;
	}
	memcpy(number, r, sizeof number);
	while (*options) {
		const size_t n = strcspn(options, "=,");
		char *end = (char *)options;
		int k = 0;
		while (k < KEYS && (strlen(keys[k]) != n || strncmp(keys[k], options, n) != 0))
			k++;
		if (k < KEYS && options[n] == '=')
			number[k] = gt_strtod(options + n + 1, &end);
		if (end == options || (*end && *end != ',') || !(number[k] >= 0 && number[k] <= max[k]))
			return gt_fail(
				GT_ERR_ARG,
				"ants: expected as-published, or ants, iterations, alpha, phi, rho, q0, ever, legal or hand = a number, "
				"found \"%s\"",
				options);
		options = *end ? end + 1 : end;
	}
	if (number[0] < 1)
		return gt_fail(GT_ERR_ARG, "ants: expected at least 1 ant");
	memcpy(r, number, sizeof number);
	return GT_OK;
}

static gt_status make(const gt_search_task *t, const char *options, void **self)
{
	struct rates rate;
	const gt_status st = read_rates(options, &rate);
	struct ants *a = st == GT_OK ? calloc(1, sizeof *a) : NULL;
	if (!a)
		return st != GT_OK ? st : gt_fail(GT_ERR_MEMORY, "out of memory for a search");
	a->space = t->space;
	a->rate = rate;
	a->first = t->first;
	a->best_ms = INFINITY;
	gt_random_at(t->seed, 3, &a->random);
	for (int l = 0; l < GT_MAX_LAYERS; l++)
		for (int i = 0; i < GT_MAX_VALUES * GT_MAX_VALUES; i++)
			a->tau[l][i / GT_MAX_VALUES][i % GT_MAX_VALUES] = 1;
	*self = a;
	return GT_OK;
}

/* Chooses a value of a layer with probability proportional to pheromone^alpha; prefixes without candidates have
 * probability 0. */
static int choose(struct ants *a, uint8_t *path, int layer)
{
	const int n = a->space->layer[layer].n;
	const double *tau = a->tau[layer][layer ? path[layer - 1] : 0];
	double chance[GT_MAX_VALUES], sum = 0;
	int best = -1;
	for (int i = 0; i < n; i++) {
		size_t from = 0, end = 1;
		path[layer] = (uint8_t)i;
		if (a->rate.legal > 0)
			gt_space_prefix(a->space, path, layer + 1, &from, &end);
		chance[i] = from < end ? pow(tau[i], a->rate.alpha) : 0;
		sum += chance[i];
		if (chance[i] > 0 && (best < 0 || chance[i] > chance[best]))
			best = i;
	}
	if (a->rate.q0 > 0 && gt_uniform(&a->random) < a->rate.q0)
		return best;
	double at = gt_uniform(&a->random) * sum;
	for (int i = 0; i < n; i++)
		if (chance[i] > 0 && (at -= chance[i]) <= 0)
			return i;
	return best;
}

static gt_answer ask(void *self, size_t *candidate)
{
	struct ants *a = self;
	const size_t all = (size_t)a->rate.ants;
	if (a->rate.iterations > 0 && (double)a->iteration >= a->rate.iterations)
		return GT_NOTHING;
	if (a->walked == all)
		return GT_WAIT;
	uint8_t *path = a->path[a->walked];
	const int by_hand = a->rate.hand > 0 && a->iteration == 0 && a->walked == 0;
	for (int l = 0; l < a->space->layers; l++) {
		path[l] = by_hand ? gt_space_pick(a->space, a->first)[l] : (uint8_t)choose(a, path, l);
		double *tau = &a->tau[l][l ? path[l - 1] : 0][path[l]];
		*tau = (1 - a->rate.phi) * *tau + a->rate.phi;
	}
	*candidate = a->candidate[a->walked] = gt_space_find(a->space, path);
	a->ms[a->walked++] = NAN;
	return GT_ASKED;
}

/* Evaporates all pheromone after an iteration and reinforces the edges of the best path. */
static void evaporate(struct ants *a)
{
	for (int l = 0; l < a->space->layers; l++)
		for (int i = 0; i < GT_MAX_VALUES * GT_MAX_VALUES; i++) {
			const int before = i / GT_MAX_VALUES, choice = i % GT_MAX_VALUES;
			const int on = a->there && a->best[l] == choice && before == (l ? a->best[l - 1] : 0);
			double *tau = &a->tau[l][before][choice];
			*tau = (1 - a->rate.rho) * *tau + (on ? a->rate.rho * a->reference / a->best_ms : 0);
			if (a->rate.legal > 0)
				*tau = fmin(10, fmax(0.01, *tau));
		}
}

static void end_iteration(struct ants *a)
{
	if (!(a->rate.ever > 0)) {
		a->there = 0;
		a->best_ms = INFINITY;
	}
	for (size_t i = 0; i < a->walked; i++)
		if (a->ms[i] < a->best_ms) {
			a->best_ms = a->ms[i];
			a->there = 1;
			memcpy(a->best, a->path[i], sizeof a->best);
		}
	evaporate(a);
	a->walked = a->told = 0;
	a->iteration++;
}

static void tell(void *self, size_t candidate, double ms)
{
	struct ants *a = self;
	for (size_t i = 0; i < a->walked; i++)
		if (a->candidate[i] == candidate && isnan(a->ms[i])) {
			a->ms[i] = ms;
			a->told++;
			break;
		}
	if (a->reference == 0 && ms < INFINITY)
		a->reference = ms;
	if (a->told == (size_t)a->rate.ants)
		end_iteration(a);
}

const gt_strategy gt_search_ants = { "ants", "an ant colony; ants:as-published as in the paper", make, ask, tell, free };
