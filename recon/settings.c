/* Settings of a reconstruction: a table of keys and their types. */
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include "core/module.h"
#include "core/params.h"
#include "core/text.h"
#include "core/try.h"
#include "geometry/grid_request.h"
#include "recon/modules.h"
#include "recon/outside/outside.h"
#include "recon/projector_spec.h"
#include "recon/settings.h"
#include "recon/team/team_split.h"
#include "recon/z_margin.h"

/* Type of a value: one of some names, a size of memory, or a text with its own parser. A key without any of them takes
 * any text. */
typedef struct {
	const char *name, *alias;
	const char *const *choices; /* NULL-terminated; the field at `at` is the index */
	size_t at;
	int is_size;                                                 /* the field at `at` is a number of bytes */
	gt_status (*parse)(gt_recon_settings *s, const char *value); /* leaves s unchanged on failure */
} key;

static gt_status parse_solver(gt_recon_settings *s, const char *value)
{
	gt_method m = { 0 };
	const gt_status st = gt_method_parse(value, &m);
	if (st == GT_OK) {
		gt_method_free(&s->method);
		s->method = m;
	}
	return st;
}

static gt_status check_projector(gt_recon_settings *s, const char *value)
{
	(void)s;
	return gt_projector_check(value);
}

static gt_status parse_penalty(gt_recon_settings *s, const char *value)
{
	gt_penalty_spec p;
	const gt_status st = gt_penalty_spec_parse(value, &p);
	if (st == GT_OK) {
		gt_penalty_spec_free(&s->penalty);
		s->penalty = p;
	}
	return st;
}

static gt_status parse_weights(gt_recon_settings *s, const char *value)
{
	gt_weights_spec w = { .kind = GT_WEIGHTS_AUTO };
	const gt_status st = gt_weights_spec_parse(value, &w);
	if (st == GT_OK)
		s->weights = w;
	return st;
}

static gt_status check_init(gt_recon_settings *s, const char *value)
{
	int projections = 0;
	gt_status st = GT_OK;
	(void)s;
	if (!gt_recon_starts_from_file(value))
		return GT_OK;
	GT_TRY(gt_fail_in(gt_file_kind(value, NULL, &projections), "--init"));
	if (projections)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: holds projections, expected a volume", value));
done:
	return st;
}

static gt_status parse_grid(gt_recon_settings *s, const char *value)
{
	gt_grid g = { .n = { 0, 0, 0 } };
	long long across = 0;
	const int bare = value[strspn(value, "0123456789")] == 0 && *value;
	const gt_status st = bare ? gt_parse_int("--grid", value, 1, 1e6, &across) : gt_grid_parse(value, &g);
	if (st == GT_OK) {
		s->grid = g;
		s->across = (size_t)across;
	}
	return st;
}

static gt_status parse_voxel(gt_recon_settings *s, const char *value) { return gt_parse_length("--voxel", value, 1e-9, 1e6, &s->voxel); }

static gt_status check_slice(gt_recon_settings *s, const char *value)
{
	gt_index_range r;
	(void)s;
	return gt_index_range_parse("--slice", value, &r);
}

static gt_status check_views(gt_recon_settings *s, const char *value)
{
	gt_index_range r;
	(void)s;
	return gt_view_range_parse("--views", value, &r);
}

static gt_status parse_stop(gt_recon_settings *s, const char *value)
{
	gt_stop_rule rule;
	const gt_status st = gt_stop_rule_parse(value, &rule);
	if (st == GT_OK)
		s->stop = rule;
	return st;
}

static gt_status check_checkpoint(gt_recon_settings *s, const char *value)
{
	static const char *const none[] = { NULL };
	(void)s;
	return gt_checkpointing_check(&(gt_checkpointing){ .spec = value }, none);
}

static gt_status check_resume(gt_recon_settings *s, const char *value)
{
	static const char *const none[] = { NULL };
	(void)s;
	return gt_checkpointing_check(&(gt_checkpointing){ .resume = value }, none);
}

static gt_status check_split(gt_recon_settings *s, const char *value)
{
	gt_split_spec split;
	(void)s;
	return gt_split_spec_parse(value, &split);
}

static gt_status check_output(gt_recon_settings *s, const char *value)
{
	(void)s;
	return gt_can_write_volume(value, NULL);
}

static gt_status parse_water(gt_recon_settings *s, const char *value) { return gt_parse_real("water", value, 1e-9, 1e3, &s->water); }

static const char *const precisions[] = { "single", "double", NULL }, *const answers[] = { "no", "yes", NULL },
			 *const slabs[] = { "auto", "yes", NULL }, *const balances[] = { "auto", "yes", "no", NULL },
			 *const units[] = { "mm-1", "HU", "auto", NULL };

#define AT(field) offsetof(gt_recon_settings, field)
static const key keys[GT_SETTINGS] = {
	[GT_SET_PRESET] = { .name = "preset", .alias = "quality", .choices = gt_preset_names, .at = AT(preset) },
	[GT_SET_SOLVER] = { .name = "solver", .parse = parse_solver },
	[GT_SET_PROJECTOR] = { .name = "projector", .parse = check_projector },
	[GT_SET_PENALTY] = { .name = "penalty", .parse = parse_penalty },
	[GT_SET_WEIGHTS] = { .name = "weights", .parse = parse_weights },
	[GT_SET_INIT] = { .name = "init", .parse = check_init },
	[GT_SET_GRID] = { .name = "grid", .parse = parse_grid },
	[GT_SET_LIKE] = { .name = "like" },
	[GT_SET_MARGIN] = { .name = "padding", .alias = "margin", .choices = gt_z_margin_names, .at = AT(margin) },
	[GT_SET_OUTSIDE] = { .name = "outside", .choices = gt_outside_names, .at = AT(outside) },
	[GT_SET_STOP] = { .name = "stop", .parse = parse_stop },
	[GT_SET_CHECKPOINT] = { .name = "checkpoint", .parse = check_checkpoint },
	[GT_SET_RESUME] = { .name = "resume", .parse = check_resume },
	[GT_SET_BACKEND] = { .name = "backend" },
	[GT_SET_PRECISION] = { .name = "precision", .choices = precisions, .at = AT(precision) },
	[GT_SET_DEVICE_MEMORY] = { .name = "device-memory", .is_size = 1, .at = AT(device_memory) },
	[GT_SET_HOST_MEMORY] = { .name = "host-memory", .is_size = 1, .at = AT(host_memory) },
	[GT_SET_KEEP] = { .name = "keep", .choices = gt_view_cache_places, .at = AT(keep) },
	[GT_SET_SCRATCH] = { .name = "scratch" },
	[GT_SET_OVERLAP] = { .name = "overlap", .choices = answers, .at = AT(overlap) },
	[GT_SET_SLABS] = { .name = "slabs", .choices = slabs, .at = AT(slabs) },
	[GT_SET_DATA] = { .name = "data" },
	[GT_SET_UNIT] = { .name = "unit", .choices = units, .at = AT(unit) },
	[GT_SET_WATER] = { .name = "water", .parse = parse_water },
	[GT_SET_COMMAND] = { .name = "command" },
	[GT_SET_CHECK] = { .name = "check", .choices = answers, .at = AT(check) },
	[GT_SET_FORCE] = { .name = "force", .choices = answers, .at = AT(force) },
	[GT_SET_SPLIT] = { .name = "split", .parse = check_split },
	[GT_SET_BALANCE] = { .name = "balance", .choices = balances, .at = AT(balance) },
	[GT_SET_REPRODUCIBLE] = { .name = "reproducible", .choices = answers, .at = AT(reproducible) },
	[GT_SET_VOXEL] = { .name = "voxel", .parse = parse_voxel },
	[GT_SET_SLICE] = { .name = "slice", .parse = check_slice },
	[GT_SET_VIEWS] = { .name = "views", .parse = check_views },
	[GT_SET_OUTPUT] = { .name = "output", .parse = check_output },
};

void gt_recon_settings_init(gt_recon_settings *s)
{
	*s = (gt_recon_settings){ .keep = GT_VIEW_CACHE_AUTO, .overlap = 1, .check = 1, .unit = GT_UNIT_AUTO };
	s->penalty.factor = 1;
}

void gt_recon_settings_free(gt_recon_settings *s)
{
	for (size_t i = 0; i < GT_SETTINGS; i++)
		free(s->text[i]);
	gt_method_free(&s->method);
	gt_penalty_spec_free(&s->penalty);
}

const char *gt_recon_settings_key(size_t i) { return i < GT_SETTINGS ? keys[i].name : NULL; }

static gt_status choose(const key *k, const char *value, int *index)
{
	char *all = NULL;
	for (int i = 0; k->choices[i]; i++)
		if (!strcmp(k->choices[i], value)) {
			*index = i;
			return GT_OK;
		}
	for (int i = 0; k->choices[i]; i++) {
		char *more = gt_text("%s%s%s", all ? all : "", all ? ", " : "", k->choices[i]);
		free(all);
		all = more;
	}
	const gt_status st = gt_fail(GT_ERR_ARG, "%s=%s: expected one of %s", k->name, value, all ? all : "its names");
	free(all);
	return st;
}

static gt_status parse(const key *k, const char *value, gt_recon_settings *s)
{
	void *field = (char *)s + k->at;
	if (k->choices)
		return choose(k, value, field);
	if (k->is_size) {
		char option[32];
		snprintf(option, sizeof option, "--%s", k->name);
		return gt_bytes_parse(option, value, field);
	}
	return k->parse ? k->parse(s, value) : GT_OK;
}

/* Resets the field of a key to its default. */
static void reset(gt_setting which, gt_recon_settings *s)
{
	gt_recon_settings initial;
	gt_recon_settings_init(&initial);
	switch (which) {
	case GT_SET_SOLVER:
		gt_method_free(&s->method);
		s->method = initial.method;
		break;
	case GT_SET_PENALTY:
		gt_penalty_spec_free(&s->penalty);
		s->penalty = initial.penalty;
		break;
	case GT_SET_WEIGHTS:
		s->weights = initial.weights;
		break;
	case GT_SET_STOP:
		s->stop = initial.stop;
		break;
	case GT_SET_GRID:
		s->across = 0;
		break;
	case GT_SET_VOXEL:
		s->voxel = 0;
		break;
	case GT_SET_WATER:
		s->water = 0;
		break;
	default:
		if (keys[which].choices)
			memcpy((char *)s + keys[which].at, (const char *)&initial + keys[which].at, sizeof(int));
		else if (keys[which].is_size)
			memcpy((char *)s + keys[which].at, (const char *)&initial + keys[which].at, sizeof(double));
	}
}

gt_status gt_recon_settings_set(gt_recon_settings *s, const char *name, const char *value)
{
	const char *names[GT_SETTINGS];
	size_t i = 0;
	while (i < GT_SETTINGS && strcmp(keys[i].name, name) && (!keys[i].alias || strcmp(keys[i].alias, name))) {
		names[i] = keys[i].name;
		i++;
	}
	if (i == GT_SETTINGS)
		return gt_unknown_of("setting", name, names, GT_SETTINGS);
	char *copy = value ? strdup(value) : NULL;
	if (value && !copy)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	const gt_status st = value ? parse(&keys[i], value, s) : GT_OK;
	if (st != GT_OK) {
		free(copy);
		return st;
	}
	if (!value)
		reset((gt_setting)i, s);
	free(s->text[i]);
	s->text[i] = copy;
	return GT_OK;
}
