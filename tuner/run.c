/* gt_tune_search(): several processes compile candidates; one process checks and times them in sequence. The best are
 * timed again in a new process. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "core/clock.h"
#include "core/log.h"
#include "core/text.h"
#include "core/try.h"
#include "core/variant/sources.h"
#include "core/variant/store.h"
#include "tuner/check.h"
#include "tuner/kernels.h"
#include "tuner/log.h"
#include "tuner/search.h"
#include "tuner/source.h"
#include "tuner/tune.h"
#include "tuner/tuner.h"

enum { MAX_BUILDERS = 14, BEST = 3, LAST_PAIRS = 20, SOURCE_PAIRS = 3 };
static const double gain = 0.99; /* required time relative to the built-in kernel */

struct run {
	const gt_tune_options *o;
	const gt_tunable *kernel; /* NULL: a source of the user */
	gt_tune_outcome *out;
	gt_space *space;
	gt_check *check;
	gt_source *source;
	gt_source_check *source_check;
	gt_child *timer, *builder[MAX_BUILDERS];
	int builders, shared; /* shared: shared memory limit per block in bytes */
	gt_log_head head;
	FILE *log;
	double begin;
	size_t best[BEST];
	double ms[BEST];
};

static int time_is_up(const struct run *r) { return r->o->seconds > 0 && gt_seconds() - r->begin > r->o->seconds; }

static gt_status new_child(struct run *r, gt_child **child)
{
	if (r->check)
		return gt_child_new(gt_check_try, r->check, r->o->limit, GT_TUNE_START, child);
	return gt_child_new(gt_source_check_try, r->source_check, 2 * SOURCE_PAIRS * (r->o->limit + 1), 0, child);
}

static void set_pairs(struct run *r, int of_kernel, int of_source)
{
	if (r->check)
		gt_check_pairs(r->check, of_kernel);
	else
		gt_source_check_pairs(r->source_check, of_source);
}

/* The text of a variant for people: alternatives of a source by their names. */
static const char *shown(const struct run *r, const char *variant, char words[512])
{
	if (r->source)
		gt_source_words(r->source, variant, words, 512);
	return r->source ? words : variant;
}

static void describe_problem(struct run *r)
{
	const gt_scan *scan = r->o->scan;
	const size_t *n = r->o->grid->n;
	gt_snprintf(r->head.facts.problem, sizeof r->head.facts.problem, "%zu views of %zu x %zu, %zu x %zu x %zu voxels", scan->views,
	            scan->rows, scan->columns, n[0], n[1], n[2]);
	r->head.facts.updates = (double)scan->views * (double)gt_grid_voxels(r->o->grid);
}

/* Evaluates the built-in kernel first: it determines the class, the device and the bounds. */
static gt_status look_at_built_in(struct run *r)
{
	gt_tune_evaluation t;
	gt_child_try(r->timer, "", &t);
	if (t.verdict != GT_TUNE_OK && (r->source || t.verdict != GT_TUNE_ENDED)) {
		if (r->log)
			gt_log_failed(r->log, r->o->kernel, t.why);
		return r->source ? gt_fail(GT_ERR_UNSUPPORTED, "%s: the first program fails: %s", r->o->source, t.why)
		                 : gt_fail(GT_ERR_UNSUPPORTED, "%s cannot be tuned for this problem: %s", r->o->kernel, t.why);
	}
	if (t.verdict != GT_TUNE_OK)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "no kernel can be tuned here: needs an NVIDIA GPU and NVRTC (--replay needs neither): %s", t.why);
	char *rest = NULL, *about = strtok_r(t.why, "|", &rest), *built_in = strtok_r(NULL, "|", &rest),
	     *device = strtok_r(NULL, "|", &rest), *driver = strtok_r(NULL, "|", &rest), *bounds = strtok_r(NULL, "|", &rest),
	     *shared = strtok_r(NULL, "|", &rest);
	gt_snprintf(r->head.facts.kernel, sizeof r->head.facts.kernel, "%s", r->source ? gt_source_space(r->source)->kernel : r->o->kernel);
	gt_snprintf(r->head.facts.about, sizeof r->head.facts.about, "%s", about ? about : "");
	gt_snprintf(r->head.built_in, sizeof r->head.built_in, "%s", built_in ? built_in : "");
	gt_snprintf(r->head.facts.device, sizeof r->head.facts.device, "%s", device ? device : "");
	r->head.driver = driver ? (int)strtol(driver, NULL, 10) : 0;
	gt_snprintf(r->head.bounds, sizeof r->head.bounds, "%s", bounds ? bounds : "");
	r->shared = shared ? (int)strtol(shared, NULL, 10) : 0;
	r->head.facts.built_in_ms = t.built_in_ms;
	char words[512];
	if (!r->source)
		describe_problem(r);
	memcpy(r->out->about, r->head.facts.about, sizeof r->out->about);
	gt_snprintf(r->out->built_in, sizeof r->out->built_in, "%s", shown(r, r->head.built_in, words));
	return GT_OK;
}

static void remember(struct run *r, size_t candidate, double ms)
{
	for (int i = 0; i < BEST; i++)
		if (ms < r->ms[i]) {
			for (int k = BEST - 1; k > i; k--) {
				r->ms[k] = r->ms[k - 1];
				r->best[k] = r->best[k - 1];
			}
			r->ms[i] = ms;
			r->best[i] = candidate;
			return;
		}
}

static void send_to_builder(struct run *r, size_t i, size_t candidate)
{
	char text[560] = GT_CHECK_BUILD;
	gt_space_text(r->space, candidate, text + strlen(GT_CHECK_BUILD), sizeof text - strlen(GT_CHECK_BUILD));
	gt_child_send(r->builder[i % (size_t)r->builders], text);
}

static void note(struct run *r, size_t candidate, gt_tune_evaluation *t, const char *text, double *ms)
{
	char words[512];
	*ms = INFINITY;
	if (t->verdict == GT_TUNE_OK && !(t->built_in_ms > 0))
		t->built_in_ms = r->head.facts.built_in_ms; /* sources: the baseline is timed first and last */
	if (t->verdict == GT_TUNE_OK) {
		/* clock rates change, so only the ratio to the alternating built-in time counts */
		*ms = t->ms / t->built_in_ms * r->head.facts.built_in_ms;
		t->ms = *ms;
		remember(r, candidate, *ms);
	} else {
		r->out->failed++;
	}
	r->out->evaluations++;
	if (r->log)
		gt_log_line(r->log, text, t, gt_seconds() - r->begin);
	if (r->o->tried)
		r->o->tried(r->o->self, r->out->evaluations, shown(r, text, words), t);
}

/* Times a candidate as soon as it is compiled, while the following ones compile. */
static int evaluate(void *self, size_t n, const size_t *candidate, double *ms)
{
	struct run *r = self;
	const size_t builders = (size_t)r->builders;
	for (size_t i = 0; i < n && i < builders; i++)
		send_to_builder(r, i, candidate[i]);
	for (size_t i = 0; i < n; i++) {
		gt_tune_evaluation t = { .verdict = GT_TUNE_OK };
		char text[512];
		if (time_is_up(r)) /* pending work ends with its process */
			return 0;
		if (builders)
			gt_child_wait(r->builder[i % builders], &t);
		if (builders && i + builders < n)
			send_to_builder(r, i + builders, candidate[i + builders]);
		gt_space_text(r->space, candidate[i], text, sizeof text);
		if (t.verdict == GT_TUNE_OK)
			gt_child_try(r->timer, text, &t);
		note(r, candidate[i], &t, text, &ms[i]);
	}
	return !time_is_up(r);
}

/* The chosen time is the minimum of several, so it must be reproduced once. */
static int stands(struct run *r)
{
	gt_tune_evaluation t;
	gt_child_try(r->timer, r->out->variant, &t);
	if (t.verdict != GT_TUNE_OK)
		return 0;
	r->out->ms = t.ms;
	r->out->built_in_ms = t.built_in_ms;
	return t.ms < gain * t.built_in_ms;
}

/* Times the best candidates in a new process against the built-in kernel. */
static void decide(struct run *r)
{
	gt_child_free(r->timer);
	r->timer = NULL;
	set_pairs(r, LAST_PAIRS, SOURCE_PAIRS);
	double min = gain;
	for (int i = 0; i < BEST && r->ms[i] < INFINITY; i++) {
		gt_tune_evaluation t;
		char text[512];
		if (!r->timer && new_child(r, &r->timer) != GT_OK)
			return;
		gt_space_text(r->space, r->best[i], text, sizeof text);
		gt_child_try(r->timer, text, &t);
		if (t.verdict != GT_TUNE_OK)
			continue;
		if (i == 0 || t.ms < min * t.built_in_ms) {
			r->out->ms = t.ms;
			r->out->built_in_ms = t.built_in_ms;
		}
		if (t.ms < min * t.built_in_ms) {
			min = t.ms / t.built_in_ms;
			gt_snprintf(r->out->variant, sizeof r->out->variant, "%s", text);
		}
	}
	if (*r->out->variant && !stands(r))
		*r->out->variant = 0;
}

static const char *strategy_of(const gt_tune_options *o) { return o->strategy ? o->strategy : "climb"; }

static gt_status keep(const struct run *r)
{
	gt_store_entry e;
	const time_t now = time(NULL);
	struct tm day;
	memset(&e, 0, sizeof e);
	memcpy(e.kernel, r->head.facts.kernel, sizeof e.kernel);
	memcpy(e.device, r->head.facts.device, sizeof e.device);
	memcpy(e.about, r->head.facts.about, sizeof e.about);
	gt_snprintf(e.source, sizeof e.source, "%s", gt_kernel_hash_of(e.kernel));
	e.driver = r->head.driver;
	memcpy(e.variant, r->out->variant, sizeof e.variant);
	gt_snprintf(e.strategy, sizeof e.strategy, "%s", strategy_of(r->o));
	strftime(e.when, sizeof e.when, "%Y-%m-%d", gmtime_r(&now, &day));
	e.ms = r->out->ms;
	e.built_in_ms = r->out->built_in_ms;
	e.evaluations = (int)r->out->evaluations;
	return gt_store_put(&e);
}

static gt_status search(struct run *r)
{
	gt_search_result found;
	const gt_search_task task = { r->space, gt_space_near(r->space, r->head.built_in), r->o->seed, r->o->evaluations };
	return gt_search_run(strategy_of(r->o), &task, r->builders ? 2 * (size_t)r->builders : 1, evaluate, r, &found);
}

static gt_status make_children(struct run *r)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const int room = cpus > 3 ? (int)cpus - 2 : 1;
	r->builders = !r->kernel || r->kernel->at_run_time ? 0 : room < MAX_BUILDERS ? room : MAX_BUILDERS;
	gt_status st = new_child(r, &r->timer);
	for (int i = 0; i < r->builders && st == GT_OK; i++)
		st = new_child(r, &r->builder[i]);
	return st;
}

static void release(struct run *r)
{
	gt_child_free(r->timer);
	for (int i = 0; i < r->builders; i++)
		gt_child_free(r->builder[i]);
	gt_check_free(r->check);
	gt_source_check_free(r->source_check);
	if (!r->source)
		gt_space_free(r->space);
	gt_source_free(r->source);
	if (r->log)
		fclose(r->log);
}

static gt_status open_kernel(struct run *r)
{
	const gt_status st = gt_tune_ready(r->o);
	return st == GT_OK ? gt_tunable_find(r->o->kernel, &r->kernel) : st;
}

static gt_status open_source(struct run *r)
{
	const gt_status st = gt_source_read(r->o->source, &r->source);
	return st == GT_OK ? gt_source_check_new(r->o, r->source, &r->source_check) : st;
}

static gt_status read_space(struct run *r)
{
	char legal[560];
	if (r->source) {
		r->space = gt_source_space(r->source);
		return GT_OK;
	}
	gt_snprintf(legal, sizeof legal, "%s shared=%d", r->head.facts.about, r->shared);
	return gt_space_read(gt_kernel_file_of(r->o->kernel)->text, r->o->kernel, legal, &r->space);
}

/* Keeps the result: a kernel in the cache, a source as the file of the best program. */
static gt_status finish(struct run *r)
{
	char words[512];
	uint8_t pick[GT_MAX_LAYERS];
	gt_status st = GT_OK;
	if (!r->source)
		return r->o->keep && !r->kernel->at_run_time ? keep(r) : GT_OK;
	const int found = *r->out->variant && gt_space_parse(r->space, r->out->variant, pick);
	if (r->o->best)
		st = gt_source_write(r->source, found ? gt_space_find(r->space, pick) : 0, r->o->best);
	if (found)
		gt_snprintf(r->out->variant, sizeof r->out->variant, "%s", shown(r, r->out->variant, words));
	return st;
}

gt_status gt_tune_search(const gt_tune_options *o, gt_tune_outcome *out)
{
	struct run r = { .o = o, .out = out, .begin = gt_seconds(), .ms = { INFINITY, INFINITY, INFINITY } };
	const gt_strategy *strategy;
	const char *options;
	gt_status st = GT_OK;
	memset(out, 0, sizeof *out);
	out->size = sizeof *out;
	GT_TRY(gt_search_find(strategy_of(o), &strategy, &options));
	GT_TRY(o->source ? open_source(&r) : open_kernel(&r));
	if (o->log && !(r.log = fopen(o->log, "w")))
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be written (%s)", o->log, strerror(errno)));
	if (!o->source)
		GT_TRY(gt_check_new(o, &r.check));
	set_pairs(&r, 5, 0);
	GT_TRY(make_children(&r));
	GT_TRY(look_at_built_in(&r));
	GT_TRY(read_space(&r));
	out->candidates = r.space->count;
	if (r.log)
		gt_log_begin(r.log, &r.head, r.space);
	GT_TRY(search(&r));
	if (out->evaluations == 0)
		GT_TRY(gt_fail(GT_ERR_ARG, "the time limit is too short: %.1f s passed before the first candidate",
		               gt_seconds() - r.begin));
	decide(&r);
	out->seconds = gt_seconds() - r.begin;
	if (r.log)
		gt_log_end(r.log, out);
	GT_TRY(finish(&r));
done:
	release(&r);
	return st;
}
