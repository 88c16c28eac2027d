/* Checkpoints of a run: when they are written, and whether one is of this run. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "apps/checkpoint.h"
#include "core/hash.h"

/* The file's lines. What has no words for a difference is there to be read only. */
enum { SCAN, DATA, GRID, SOLVER, PARAMETERS, PROJECTOR, WEIGHTS, WEIGHT_VALUES, PENALTY, START, PRECISION, BACKEND, COMMAND, LINES };
static const struct {
	const char *name, *difference;
} lines[LINES] = {
	[SCAN] = { "scan_hash", "the scan's geometry has the hash" },
	[DATA] = { "data_hash", "the measured data have the hash" },
	[GRID] = { "grid", "the grid is" },
	[SOLVER] = { "solver", "the solver is" },
	[PARAMETERS] = { "parameters", "the solver has" },
	[PROJECTOR] = { "projector", "the projector is" },
	[WEIGHTS] = { "weights", "the weights are" },
	[WEIGHT_VALUES] = { "weights_hash", "the values of the weights have the hash" },
	[PENALTY] = { "penalty", "the penalty is" },
	[START] = { "start", "the start is" },
	[PRECISION] = { "precision", "the precision is" },
	[BACKEND] = { "backend", NULL },
	[COMMAND] = { "command", NULL },
};

struct spec {
	int every;
};
static const gt_param params[] = {
	{ .key = "every", .help = "iterations", .kind = GT_INT, .at = offsetof(struct spec, every), .least = 1, .most = 1e6 },
	{ .key = NULL },
};

/* "FILE" or "FILE:every=10"; a colon without an = behind it is the file's. */
static gt_status parse(const char *spec, char **path, int *every)
{
	struct spec s = { .every = 10 };
	const char *colon = strrchr(spec, ':');
	if (colon && !strchr(colon, '='))
		colon = NULL;
	const gt_status st = gt_fail_in(gt_params_parse(params, colon ? colon + 1 : NULL, &s), "--checkpoint");
	*every = s.every;
	*path = NULL;
	if (st != GT_OK)
		return st;
	*path = colon ? strndup(spec, (size_t)(colon - spec)) : strdup(spec);
	return *path ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
}

gt_status app_checkpoint_check(const app_checkpoint *c, const char *const *others)
{
	char *path = NULL;
	int every;
	gt_checkpoint *from = NULL;
	gt_status st = GT_OK;
	if (c->spec) {
		GT_TRY(parse(c->spec, &path, &every));
		GT_TRY(gt_fail_in(gt_can_write(path), "--checkpoint"));
		for (; *others; others++)
			if (cli_same_file(path, *others))
				GT_TRY(gt_fail(GT_ERR_ARG,
				               "--checkpoint=%s: is the same file as %s, which would be lost: expected another name", path,
				               *others));
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
	return values ? cli_text("%016" PRIx64, gt_hash(0, values, bytes)) : cli_text("none");
}

static char *parameters_of(const app_method *m)
{
	char *text = app_method_print(m);
	const char *colon = text ? strchr(text, ':') : NULL;
	if (colon)
		memmove(text, colon + 1, strlen(colon));
	else if (text)
		*text = 0;
	return text;
}

/* Without how its strength was found, which is told in HU of the water that is asked for. */
static char *penalty_of(const char *penalty)
{
	const char *found = penalty ? strstr(penalty, " strength_from=") : NULL;
	return cli_text("%.*s", penalty ? found ? (int)(found - penalty) : (int)strlen(penalty) : 4, penalty ? penalty : "none");
}

static gt_status describe(app_checkpoint *c, const app_run *r)
{
	char grid[256];
	const size_t bytes = gt_scan_cells(r->p->scan) * sizeof *r->p->data;
	gt_grid_print(r->grid, grid, sizeof grid);
	if (!(c->run = calloc(LINES + 1, sizeof *c->run)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	char *const text[LINES] = {
		[SCAN] = cli_text("%016" PRIx64, gt_scan_hash(r->p->scan)),
		[DATA] = hash_text(r->p->data, bytes),
		[GRID] = cli_text("%s", grid),
		[SOLVER] = cli_text("%s", app_method_name(r->method)),
		[PARAMETERS] = parameters_of(r->method),
		[PROJECTOR] = cli_text("%s", r->projector),
		[WEIGHTS] = cli_text("%s", r->weights),
		[WEIGHT_VALUES] = hash_text(r->w, bytes),
		[PENALTY] = penalty_of(r->penalty),
		[START] = cli_text("%s", r->start),
		[PRECISION] = cli_text("%s", gt_type_name(cli_type(r->call))),
		[BACKEND] = cli_text("%s", r->backend),
		[COMMAND] = cli_text("%s", r->call->line),
	};
	int all = 1;
	for (size_t i = 0; i < LINES; i++) {
		c->run[i] = (gt_checkpoint_line){ lines[i].name, text[i] };
		all = all && text[i];
	}
	return all ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
}

/* The first "key=value" of two lists that differs, but for that of `iterations`; 0: there is none. */
static int differing_item(const char *found, const char *expected, char f[128], char e[128])
{
	for (;;) {
		const size_t nf = strcspn(found, ","), ne = strcspn(expected, ",");
		const int same = nf == ne && !strncmp(found, expected, nf);
		if (!same && (strncmp(found, "iterations=", 11) || strncmp(expected, "iterations=", 11))) {
			snprintf(f, 128, "%.*s", (int)nf, found);
			snprintf(e, 128, "%.*s", (int)ne, expected);
			return 1;
		}
		if (!found[nf] && !expected[ne])
			return 0;
		found += nf + (found[nf] == ',');
		expected += ne + (expected[ne] == ',');
	}
}

static gt_status check_iterations(const app_checkpoint *c, const app_method *m, const char *found, const char *expected)
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
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: has done %d iterations, expected at most the %d that iterations= asks for",
		               c->resume, gt_checkpoint_iteration(c->from), have);
	return GT_OK;
}

static gt_status check_line(const app_checkpoint *c, const app_method *m, int which)
{
	char f[128], e[128];
	const char *found = gt_checkpoint_text(c->from, lines[which].name), *expected = c->run[which].text;
	if (!lines[which].difference || (found && !strcmp(found, expected)))
		return GT_OK;
	if (!found)
		return gt_fail(GT_ERR_FORMAT, "%s: attribute run_%s is missing", c->resume, lines[which].name);
	if (which == PARAMETERS && !differing_item(found, expected, f, e))
		return check_iterations(c, m, found, expected);
	return gt_fail(GT_ERR_UNSUPPORTED, "%s: is of another run: %s %s, expected %s", c->resume, lines[which].difference,
	               which == PARAMETERS ? f : found, which == PARAMETERS ? e : expected);
}

/* Is --resume of this run? */
static gt_status compare(const app_checkpoint *c, const app_run *r)
{
	gt_status st = GT_OK;
	for (int i = 0; i < LINES; i++)
		GT_TRY(check_line(c, r->method, i));
	const char *backend = gt_checkpoint_text(c->from, lines[BACKEND].name);
	if (backend && strncmp(backend, r->backend, 4))
		cli_note(r->call, "%s was written on %s: the result is the same but for rounding", c->resume, backend);
done:
	return st;
}

gt_status app_checkpoint_open(app_checkpoint *c, const app_run *r)
{
	gt_status st = GT_OK;
	c->call = r->call;
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

/* The solver's, and then the caller's own. */
static void join(const gt_kept *kept, const gt_kept *own, gt_kept all[GT_KEPT_MOST + APP_OWN_KEPT + 1])
{
	size_t n = 0;
	while (kept->name && n < GT_KEPT_MOST)
		all[n++] = *kept++;
	while (own->name && n < GT_KEPT_MOST + APP_OWN_KEPT)
		all[n++] = *own++;
	all[n] = (gt_kept){ NULL, NULL, NULL };
}

gt_status app_checkpoint_resume(app_checkpoint *c, const gt_kept *kept, const gt_kept *own, int *done)
{
	gt_kept all[GT_KEPT_MOST + APP_OWN_KEPT + 1];
	if (!c->from)
		return GT_OK;
	join(kept, own, all);
	const gt_status st = gt_fail_in(gt_checkpoint_fill(c->from, all), "--resume");
	if (st != GT_OK)
		return st;
	*done = gt_checkpoint_iteration(c->from);
	cli_note(c->call, "continuing after iteration %d (%s)", *done, c->resume);
	return GT_OK;
}

void app_checkpoint_save(app_checkpoint *c, const gt_progress *g, const gt_kept *own, int end)
{
	gt_kept all[GT_KEPT_MOST + APP_OWN_KEPT + 1];
	if (!c->path || !g->kept || (!end && g->iteration % c->every))
		return;
	join(g->kept, own, all);
	const gt_status st = gt_checkpoint_write(c->path, c->run, g->iteration, all);
	if (st != GT_OK)
		cli_note(c->call, "no checkpoint after iteration %d: %s", g->iteration, gt_error());
	else if (end)
		cli_note(c->call, "%s: checkpoint after iteration %d of %d", c->path, g->iteration, g->iterations);
}

gt_status app_checkpoint_has(const app_checkpoint *c, const char *name, int *has)
{
	*has = 0;
	return c->from ? gt_checkpoint_has(c->from, name, has) : GT_OK;
}

gt_status app_checkpoint_penalty(const char *path, char **text)
{
	gt_checkpoint *c = NULL;
	*text = NULL;
	gt_status st = gt_fail_in(gt_checkpoint_open(path, &c), "--resume");
	if (st != GT_OK)
		return st;
	const char *penalty = gt_checkpoint_text(c, lines[PENALTY].name);
	if (penalty && !(*text = cli_text("%s", penalty)))
		st = gt_fail(GT_ERR_MEMORY, "out of memory");
	gt_checkpoint_free(c);
	return st;
}

void app_checkpoint_free(app_checkpoint *c)
{
	for (size_t i = 0; c->run && i < LINES; i++)
		free((void *)c->run[i].text);
	free(c->run);
	free(c->path);
	gt_checkpoint_free(c->from);
}
