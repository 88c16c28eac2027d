/* Detector lag, the signal carried over from earlier frames (Hsieh, Gurmen, King, Proc. SPIE 3977 (2000) 395). The
 * response to a flash is 1 + sum b in its own frame and sum b exp(-a k) in the k-th frame after it. Each exponential
 * and pixel has a state S. Before a frame S' = exp(-a) S. The intensity of a signal y is x = (y - sum b S')/(1 + sum
 * b), and S becomes x + S'. Views are frames in the order of acquisition, at constant source intensity. Flat fields
 * were measured at constant intensity, which reads 1 + sum b/(1 - exp(-a)) times too high. */
#include <math.h>
#include <string.h>
#include "prepare/step.h"

struct options {
	char rates[GT_PARAM_TEXT], amounts[GT_PARAM_TEXT];
	int lit;
};
static const struct options defaults = { "", "", 0 };
#define AT(field) offsetof(struct options, field)
static const gt_param params[] = {
	{ .key = "rates", .help = "A1:A2:...: part exp(-A) is left from frame to frame", .kind = GT_TEXT, .at = AT(rates) },
	{ .key = "amounts", .help = "B1:B2:...: of the signal, in its own frame, for each rate", .kind = GT_TEXT, .at = AT(amounts) },
	{ .key = "lit", .help = "the detector had seen the first view for long when it began", .kind = GT_FLAG, .at = AT(lit) },
	{ .key = NULL },
};
enum { MAX_TERMS = 8 };

typedef struct {
	size_t terms, views, columns;
	double kept[MAX_TERMS], amount[MAX_TERMS]; /* exp(-a), b */
	double all, steady;                        /* 1 + sum b; 1 + sum b/(1 - exp(-a)) */
	int lit;
} lag;

static gt_status inspect(gt_prepare_call *c, const void *options)
{
	const struct options *o = options;
	double rate[MAX_TERMS];
	size_t rates, amounts;
	gt_status st = gt_prepare_known(c, sizeof(lag));
	if (st != GT_OK)
		return st;
	lag *l = c->known;
	if (!*o->rates || !*o->amounts)
		return gt_fail(GT_ERR_ARG,
		               "rates=%s, amounts=%s: expected both, as measured of the detector (rates=0.7:0.1,amounts=0.003:0.0005)",
		               o->rates, o->amounts);
	if ((st = gt_prepare_numbers("rates", o->rates, MAX_TERMS, rate, &rates)) != GT_OK ||
	    (st = gt_prepare_numbers("amounts", o->amounts, MAX_TERMS, l->amount, &amounts)) != GT_OK)
		return st;
	if (rates != amounts)
		return gt_fail(GT_ERR_ARG, "%zu rates and %zu amounts: expected equal numbers", rates, amounts);
	l->terms = rates;
	l->lit = o->lit;
	l->all = l->steady = 1;
	for (size_t n = 0; n < rates; n++) {
		if (!(rate[n] > 0) || !(l->amount[n] >= 0 && l->amount[n] < 1))
			return gt_fail(GT_ERR_ARG, "rate %g, amount %g: expected a rate above 0 and an amount from 0 to below 1", rate[n],
			               l->amount[n]);
		l->kept[n] = exp(-rate[n]);
		l->all += l->amount[n];
		l->steady += l->amount[n] / -expm1(-rate[n]);
	}
	if (!(l->steady < 2))
		return gt_fail(GT_ERR_ARG, "lag: %.3g of the signal at constant intensity, expected less than half; rates are per frame",
		               1 - 1 / l->steady);
	l->views = c->source.scan->views;
	l->columns = c->source.scan->columns;
	return GT_OK;
}

/* scratch: [terms][columns], the states. */
static void work(void *self, size_t row, float *s, double *state)
{
	const lag *l = self;
	(void)row;
	/* At a constant intensity x a state is stationary: S = x + exp(-a) S. */
	for (size_t n = 0; n < l->terms; n++)
		for (size_t k = 0; k < l->columns; k++)
			state[n * l->columns + k] = l->lit ? exp(-(double)s[k]) / (1 - l->kept[n]) : 0;
	for (size_t v = 0; v < l->views; v++)
		for (size_t k = 0; k < l->columns; k++) {
			double x = exp(-(double)s[v * l->columns + k]) * l->steady;
			for (size_t n = 0; n < l->terms; n++) {
				double *one = &state[n * l->columns + k];
				*one *= l->kept[n];
				x -= l->amount[n] * *one;
			}
			x = fmax(x / l->all, GT_MIN_TRANSMISSION);
			for (size_t n = 0; n < l->terms; n++)
				state[n * l->columns + k] += x;
			s[v * l->columns + k] = (float)-log(x);
		}
}

static gt_status run(gt_prepare_call *c, const void *options)
{
	lag *l = c->known;
	(void)options;
	return gt_prepare_rows(c, work, l, l->terms * l->columns);
}

const gt_preparation gt_preparation_lag = {
	.name = "lag",
	.about = "detector lag: subtracts the signal carried over from earlier frames",
	GT_STEP_MEMBERS,
	.chunks = GT_BY_ROWS,
	.inspect = inspect,
};
