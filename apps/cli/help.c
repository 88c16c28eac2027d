/* Help on commands and on modules, printed from their tables. */
#include <string.h>
#include <gantry/projector.h>
#include <gantry/regularizer.h>
#include "apps/cli/cli.h"
#include "recon/data_weights.h"
#include "recon/method.h"
#include "recon/penalty_spec.h"
#include "recon/preset.h"

static void print_module(const char *kind, const char *name, const char *about, const gt_param *params, const void *defaults)
{
	printf("%s %s: %s\n", kind, name, about);
	if (!params) {
		printf("\n  no parameters\n");
		return;
	}
	printf("\n  %s:key=value,...\n\n", name);
	gt_params_help(params, defaults, stdout);
	char values[256];
	gt_params_print(params, defaults, values, sizeof values);
	char *second = strchr(values, ','), *end = second ? strchr(second + 1, ',') : NULL;
	if (end)
		*end = 0;
	printf("\n  as in  --%s %s:%s\n", kind, name, values);
}

static gt_status help_solver(const char *name)
{
	const gt_solver *s = name ? gt_solver_find(name) : NULL;
	const gt_analytic *a = name && !s ? gt_analytic_find(name) : NULL;
	for (size_t i = 0; !name && gt_solvers[i]; i++)
		printf("%-10s %s\n", gt_solvers[i]->name, gt_solvers[i]->about);
	for (size_t i = 0; !name && gt_analytics[i]; i++)
		printf("%-10s %s\n", gt_analytics[i]->name, gt_analytics[i]->about);
	if (s)
		print_module("solver", s->name, s->about, s->params, s->defaults);
	else if (a)
		print_module("solver", a->name, a->about, a->params, a->defaults);
	else if (name)
		return gt_method_unknown(name);
	return GT_OK;
}

static gt_status help_projector(const char *name)
{
	const gt_projector *p = name ? gt_projector_find(name) : NULL;
	for (size_t i = 0; !name && gt_projectors[i]; i++)
		printf("%-10s %s\n", gt_projectors[i]->name, gt_projectors[i]->about);
	if (p)
		print_module("projector", p->name, p->about, p->params, p->defaults);
	else if (name)
		return gt_projector_check(name);
	return GT_OK;
}

static gt_status help_penalty(const char *name)
{
	const gt_regularizer *r = name ? gt_regularizer_find(name) : NULL;
	for (size_t i = 0; !name && gt_regularizers[i]; i++)
		printf("%-10s %s\n", gt_regularizers[i]->name, gt_regularizers[i]->about);
	if (r)
		print_module("penalty", r->name, r->about, r->params, r->defaults);
	else if (name)
		return gt_penalty_spec_check(name);
	printf("\ngantry recon also takes, of any of them: strength=auto (the default: from the noise of the data), strength=1.5x (of that),\n"
	       "noise=10HU (what is to be left), kappa=yes (even resolution; not tv)\n");
	return GT_OK;
}

static gt_status help_weights(const char *name) { return gt_weights_spec_help(name, stdout); }
static gt_status help_quality(const char *name) { return gt_preset_help(name, stdout); }

/* Beside the commands. */
static const struct {
	const char *name;
	gt_status (*help)(const char *name);
} topics[] = {
	{ "solver", help_solver },   { "projector", help_projector }, { "penalty", help_penalty },
	{ "weights", help_weights }, { "quality", help_quality },
};
enum { TOPICS = sizeof topics / sizeof *topics };

static size_t count_commands(void)
{
	size_t n = 0;
	while (cli_commands[n])
		n++;
	return n;
}

static const char *nth_topic(size_t i)
{
	const size_t n = count_commands();
	return i < n ? cli_commands[i]->name : topics[i - n].name;
}

static int run(const cli_call *call, const void *options)
{
	const char *topic = call->files ? call->file[0] : "help", *name = call->files > 1 ? call->file[1] : NULL;
	const cli_command *c = cli_command_find(topic);
	(void)options;
	for (size_t i = 0; i < TOPICS; i++)
		if (!strcmp(topic, topics[i].name))
			return cli_exit(call, topics[i].help(name));
	if (!c && !name && (gt_solver_find(topic) || gt_analytic_find(topic)))
		return cli_exit(call, help_solver(topic));
	if (!c && !name && gt_projector_find(topic))
		return cli_exit(call, help_projector(topic));
	if (!c && !name && gt_regularizer_find(topic))
		return cli_exit(call, help_penalty(topic));
	if (!c)
		return cli_exit(call, gt_unknown("topic", topic, nth_topic, count_commands() + TOPICS));
	cli_print_help(c, stdout);
	return CLI_DONE;
}

const cli_command cli_help = {
	.name = "help",
	.about = "help on a command, or on what its options take",
	.synopsis = "[COMMAND | solver [NAME] | projector [NAME] | penalty [NAME] | weights [NAME] | quality [NAME]]",
	.notes =
		"  gantry help recon\n  gantry help simulate         (scanners and phantoms too)\n  gantry help solver os-sart\n  gantry help projector dd\n"
		"  gantry help quality\n",
	.most_files = 2,
	.run = run
};
