/* Checkpoints of a run: when they are written, and whether one belongs to this run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/io.h>
#include "core/hash.h"
#include "core/log.h"
#include "core/spec.h"
#include "core/text.h"
#include "core/try.h"
#include "core/variant/variant.h"
#include "geometry/projections.h"
#include "io/checkpoint.h"
#include "io/same_file.h"
#include "recon/checkpointing.h"
#include "recon/modules.h"
#include "recon/team/team_checkpoint.h"
#include "team/team.h"

/* Lines of the file. A line without a text for a difference is a record alone and may differ. An option with the file's
 * value makes both equal. */
enum {
	SCAN,
	DATA,
	OUTSIDE,
	GRID,
	SOLVER,
	PARAMETERS,
	PROJECTOR,
	WEIGHTS,
	WEIGHT_VALUES,
	PENALTY,
	STRENGTH,
	START,
	PRECISION,
	BACKEND,
	KERNELS,
	COMMAND,
	LINES
};
static const struct {
	const char *name, *difference, *option;
} lines[LINES] = {
	[SCAN] = { "scan_hash", "the scan's geometry has the hash", NULL },
	[DATA] = { "data_hash", "the measured data have the hash", NULL },
	[OUTSIDE] = { "outside", "the mode of the object outside the grid is", "--outside" },
	[GRID] = { "grid", "the grid is", NULL },
	[SOLVER] = { "solver", "the solver is", "--solver" },
	[PARAMETERS] = { "parameters", "the solver has", NULL },
	[PROJECTOR] = { "projector", "the projector is", "--projector" },
	[WEIGHTS] = { "weights", "the weights are", NULL },
	[WEIGHT_VALUES] = { "weights_hash", "the values of the weights have the hash", NULL },
	[PENALTY] = { "penalty", "the penalty is", NULL },
	[STRENGTH] = { "strength_from", NULL, NULL },
	[START] = { "start", "the start is", NULL },
	[PRECISION] = { "precision", "the precision is", "--precision" },
	[BACKEND] = { "backend", NULL, NULL },
	[KERNELS] = { "kernels", NULL, NULL },
	[COMMAND] = { "command", NULL, NULL },
};

/* Also of files that lack the line. */
static const char no_mode[] = "no";

struct spec {
	int every;
};
static const gt_param params[] = {
	{ .key = "every", .help = "iterations", .kind = GT_INT, .at = offsetof(struct spec, every), .min = 1, .max = 1e6 },
	{ .key = NULL },
};

/* Splits "FILE" or "FILE:every=10"; a colon without a following = belongs to FILE. */
static gt_status parse(const char *spec, char **path, int *every)
{
	struct spec s = { .every = 10 };
	const gt_spec cut = gt_spec_cut_file(spec);
	const gt_status st = gt_fail_in(gt_params_parse(params, cut.values, &s), "--checkpoint");
	*every = s.every;
	*path = NULL;
	if (st != GT_OK)
		return st;
	*path = strndup(spec, cut.length);
	return *path ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
}

char *gt_checkpointing_path(const char *spec)
{
	char *path;
	int every;
	return parse(spec, &path, &every) == GT_OK ? path : NULL;
}

gt_status gt_checkpointing_check(const gt_checkpointing *c, const char *const *others)
{
	char *path = NULL;
	int every;
	gt_checkpoint *from = NULL;
	gt_status st = GT_OK;
	if (c->spec) {
		GT_TRY(parse(c->spec, &path, &every));
		GT_TRY(gt_fail_in(gt_can_write(path), "--checkpoint"));
		for (; *others; others++)
			if (gt_same_file(path, *others))
				GT_TRY(gt_fail(GT_ERR_ARG,
				               "--checkpoint=%s: is the same file as %s, which would be overwritten: expected another name",
				               path, *others));
	}
	if (c->resume)
		GT_TRY(gt_fail_in(gt_checkpoint_open(c->resume, &from), "--resume"));
done:
	gt_checkpoint_free(from);
	free(path);
	return st;
}

static char *hash_text(const void *values, size_t bytes)
{
	return values ? gt_text("%016" PRIx64, gt_hash(0, values, bytes)) : gt_text("none");
}

static char *text_of_scan(const gt_run_scan *s, int line)
{
	const size_t bytes = gt_scan_size(s->p->scan) * sizeof *s->p->data;
	return line == SCAN            ? gt_text("%016" PRIx64, gt_scan_hash(s->p->scan))
	       : line == DATA          ? hash_text(s->p->data, bytes)
	       : line == WEIGHT_VALUES ? hash_text(s->w, bytes)
	       : line == WEIGHTS       ? gt_text("%s", s->weights)
	                               : gt_text("%s", s->start);
}

/* One line of all joint scans, separated by spaces. */
static char *text_of_scans(const gt_run_identity *r, int line)
{
	char *all = text_of_scan(&r->scan[0], line);
	for (size_t i = 1; i < r->scans && all; i++) {
		char *one = text_of_scan(&r->scan[i], line), *more = one ? gt_text("%s %s", all, one) : NULL;
		free(one);
		free(all);
		all = more;
	}
	return all;
}

static char *parameters_of(const gt_method *m)
{
	char *text = gt_method_print(m);
	const char *values = text ? gt_spec_cut(text).values : NULL;
	if (values)
		memmove(text, values, strlen(values) + 1);
	else if (text)
		*text = 0;
	return text;
}

static const char origin[] = " strength_from=";

/* Omits how the strength was found, because that depends on the requested water. */
static char *penalty_of(const char *penalty)
{
	const char *found = penalty ? strstr(penalty, origin) : NULL;
	return gt_text("%.*s", penalty ? found ? (int)(found - penalty) : (int)strlen(penalty) : 4, penalty ? penalty : "none");
}

static char *strength_of(const char *penalty)
{
	const char *found = penalty ? strstr(penalty, origin) : NULL;
	return gt_text("%s", found ? found + strlen(origin) : "none");
}

static gt_status describe(gt_checkpointing *c, const gt_run_identity *r)
{
	char grid[256];
	gt_grid_print(r->grid, grid, sizeof grid);
	if (!(c->run = calloc(LINES + 1, sizeof *c->run)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	char *const text[LINES] = {
		[SCAN] = text_of_scans(r, SCAN),
		[DATA] = text_of_scans(r, DATA),
		[OUTSIDE] = gt_text("%s", r->outside ? r->outside : no_mode),
		[GRID] = gt_text("%s", grid),
		[SOLVER] = gt_text("%s", gt_method_name(r->method)),
		[PARAMETERS] = parameters_of(r->method),
		[PROJECTOR] = gt_text("%s", r->projector),
		[WEIGHTS] = text_of_scans(r, WEIGHTS),
		[WEIGHT_VALUES] = text_of_scans(r, WEIGHT_VALUES),
		[PENALTY] = penalty_of(r->penalty),
		[STRENGTH] = strength_of(r->penalty),
		[START] = text_of_scans(r, START),
		[PRECISION] = gt_text("%s", gt_type_name(r->type)),
		[BACKEND] = gt_text("%s", r->backend),
		[KERNELS] = gt_text("%s", *gt_variant_taken() ? gt_variant_taken() : "built-in"),
		[COMMAND] = gt_text("%s", r->command),
	};
	int all = 1;
	for (size_t i = 0; i < LINES; i++) {
		c->run[i] = (gt_checkpoint_line){ lines[i].name, text[i] };
		all = all && text[i];
	}
	return all ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
}

/* Returns 0 if the parameters of a file's solver are those of this run. */
static int differing_parameters(const gt_method *m, const char *found, const char *expected, char f[128], char e[128])
{
	char standard[1024];
	const int length = gt_params_print(m->solver->params, m->solver->defaults, standard, sizeof standard);
	if (length < 0 || (size_t)length >= sizeof standard)
		standard[0] = 0;
	return gt_spec_difference(expected, found, standard, e, f) || gt_spec_difference(found, expected, "", f, e);
}

static gt_status check_iterations(const gt_checkpointing *c, const gt_method *m, const char *found, const char *expected)
{
	int had = 0, have = 0;
	const char *f = strstr(found, "iterations="), *e = strstr(expected, "iterations=");
	if (!f || !e || sscanf(f, "iterations=%d", &had) != 1 || sscanf(e, "iterations=%d", &have) != 1)
		return GT_OK;
	if (had != have && m->solver->traits & GT_PLANS_ITERATIONS)
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"%s: is of another run: the solver has iterations=%d, expected iterations=%d: '%s' plans its iterations by how many "
			"they will be",
			c->resume, had, have, m->solver->name);
	if (have < gt_checkpoint_iteration(c->from))
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: has done %d iterations, expected at most iterations=%d", c->resume,
		               gt_checkpoint_iteration(c->from), have);
	return GT_OK;
}

static gt_status check_line(const gt_checkpointing *c, const gt_method *m, int which)
{
	char f[128], e[128];
	const char *text = gt_checkpoint_text(c->from, lines[which].name), *expected = c->run[which].text;
	const char *found = !text && which == OUTSIDE ? no_mode : text;
	if (!lines[which].difference || (found && !strcmp(found, expected)))
		return GT_OK;
	if (!found)
		return gt_fail(GT_ERR_FORMAT, "%s: attribute run_%s is missing", c->resume, lines[which].name);
	if (which == PARAMETERS && !differing_parameters(m, found, expected, f, e))
		return check_iterations(c, m, found, expected);
	if (lines[which].option)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: is of another run: %s %s, expected %s; %s %s continues it", c->resume,
		               lines[which].difference, found, expected, lines[which].option, found);
	return gt_fail(GT_ERR_UNSUPPORTED, "%s: is of another run: %s %s, expected %s", c->resume, lines[which].difference,
	               which == PARAMETERS ? f : found, which == PARAMETERS ? e : expected);
}

/* Checks that --resume belongs to this run. */
static gt_status compare(const gt_checkpointing *c, const gt_run_identity *r)
{
	gt_status st = GT_OK;
	for (int i = 0; i < LINES; i++)
		GT_TRY(check_line(c, r->method, i));
	const char *backend = gt_checkpoint_text(c->from, lines[BACKEND].name);
	if (backend && strncmp(backend, r->backend, 4))
		gt_notify(r->log, GT_INFO, GT_ABOUT_CHECKPOINT, "%s was written on %s: the result is the same but for rounding", c->resume,
		          backend);
	const char *kernels = gt_checkpoint_text(c->from, lines[KERNELS].name);
	if (kernels && strcmp(kernels, c->run[KERNELS].text) != 0)
		gt_notify(r->log, GT_INFO, GT_ABOUT_CHECKPOINT,
		          "%s was written with other kernels (%s): the result is the same but for rounding", c->resume, kernels);
done:
	return st;
}

gt_status gt_checkpointing_open(gt_checkpointing *c, const gt_run_identity *r)
{
	gt_status st = GT_OK;
	c->log = r->log;
	if (!c->spec && !c->resume)
		return GT_OK;
	GT_TRY(describe(c, r));
	if (c->spec)
		GT_TRY(parse(c->spec, &c->path, &c->every));
	if (c->resume) {
		GT_TRY(gt_fail_in(gt_checkpoint_open(c->resume, &c->from), "--resume"));
		GT_TRY(compare(c, r));
	}
done:
	return st;
}

/* Concatenates the states of the solver and the caller. */
static void join(const gt_state_entry *state, const gt_state_entry *own, gt_state_entry all[GT_STATE_MAX + GT_RECON_STATE + 1])
{
	size_t n = 0;
	while (state->name && n < GT_STATE_MAX)
		all[n++] = *state++;
	while (own->name && n < GT_STATE_MAX + GT_RECON_STATE)
		all[n++] = *own++;
	all[n] = (gt_state_entry){ NULL, NULL, NULL };
}

/* One rank of a team writes the state that all ranks keep. */
static gt_status check_space(const gt_checkpointing *c, const gt_state_entry *kept)
{
	double bytes = 0;
	int writes = 1;
	if (!c->path)
		return GT_OK;
	for (; kept->name; kept++)
		if (kept->array) {
			bytes += (double)gt_array_size(kept->array) * (double)gt_type_size(gt_array_type(kept->array));
			writes = gt_rank(gt_array_backend(kept->array)) == 0;
		}
	return writes ? gt_fail_in(gt_checkpoint_has_space(c->path, bytes), "--checkpoint") : GT_OK;
}

gt_status gt_checkpointing_has_space(const char *spec, const gt_grid *grid)
{
	char *path = spec ? gt_checkpointing_path(spec) : NULL;
	const double bytes = (double)grid->n[0] * (double)grid->n[1] * (double)grid->n[2] * sizeof(float);
	const gt_status st = path ? gt_fail_in(gt_checkpoint_has_space(path, bytes), "--checkpoint") : GT_OK;
	free(path);
	return st;
}

gt_status gt_checkpointing_resume(gt_checkpointing *c, const gt_state_entry *state, const gt_state_entry *own, int *done)
{
	gt_state_entry all[GT_STATE_MAX + GT_RECON_STATE + 1];
	join(state, own, all);
	gt_status st = check_space(c, all);
	if (st != GT_OK || !c->from)
		return st;
	st = gt_fail_in(gt_checkpoint_fill(c->from, all), "--resume");
	if (st != GT_OK)
		return st;
	*done = gt_checkpoint_iteration(c->from);
	gt_notify(c->log, GT_INFO, GT_ABOUT_CHECKPOINT, "continuing after iteration %d (%s)", *done, c->resume);
	return GT_OK;
}

void gt_checkpointing_save(gt_checkpointing *c, const gt_progress *g, const gt_state_entry *own, int end)
{
	gt_state_entry all[GT_STATE_MAX + GT_RECON_STATE + 1];
	if (!c->path || !g->kept || (!end && g->iteration % c->every))
		return;
	join(g->kept, own, all);
	gt_backend *be = gt_array_backend(g->x);
	const gt_status st = gt_ranks(be) > 1 ? gt_team_checkpoint_write(be, c->path, c->run, g->iteration, all)
	                                      : gt_checkpoint_write(c->path, c->run, g->iteration, all);
	free(c->failed);
	c->failed = st == GT_OK ? NULL : gt_text("no checkpoint after iteration %d: %s", g->iteration, gt_error());
	if (st != GT_OK)
		gt_notify(c->log, GT_WARNING, GT_ABOUT_CHECKPOINT, "no checkpoint after iteration %d: %s", g->iteration, gt_error());
	else if (end)
		gt_notify(c->log, GT_INFO, GT_ABOUT_CHECKPOINT, "%s: checkpoint after iteration %d of %d", c->path, g->iteration,
		          g->iterations);
}

gt_status gt_checkpointing_has(const gt_checkpointing *c, const char *name, int *has)
{
	*has = 0;
	return c->from ? gt_checkpoint_has(c->from, name, has) : GT_OK;
}

static gt_status text_of(const char *path, int which, char **text)
{
	gt_checkpoint *c = NULL;
	*text = NULL;
	gt_status st = gt_fail_in(gt_checkpoint_open(path, &c), "--resume");
	if (st != GT_OK)
		return st;
	const char *found = gt_checkpoint_text(c, lines[which].name);
	if (found && !(*text = gt_text("%s", found)))
		st = gt_fail(GT_ERR_MEMORY, "out of memory");
	gt_checkpoint_free(c);
	return st;
}

gt_status gt_checkpointing_penalty(const char *path, char **text)
{
	char *penalty = NULL, *strength = NULL;
	gt_status st = GT_OK;
	*text = NULL;
	GT_TRY(text_of(path, PENALTY, &penalty));
	GT_TRY(text_of(path, STRENGTH, &strength));
	if (penalty && !(*text = strength ? gt_text("%s%s%s", penalty, origin, strength) : gt_text("%s", penalty)))
		st = gt_fail(GT_ERR_MEMORY, "out of memory");
done:
	free(penalty);
	free(strength);
	return st;
}

gt_status gt_checkpointing_kernels(const char *path, char **text) { return text_of(path, KERNELS, text); }

void gt_checkpointing_free(gt_checkpointing *c)
{
	for (size_t i = 0; c->run && i < LINES; i++)
		free((void *)c->run[i].text);
	free(c->run);
	free(c->path);
	free(c->failed);
	gt_checkpoint_free(c->from);
}
