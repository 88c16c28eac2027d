/* Help on commands and on modules, printed from their tables. */
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include <gantry/recon.h>
#include <gantry/regularizer.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "core/module.h"
#include "core/params.h"

/* Width of the column of names. */
enum { MODULE_WIDTH = 12 };

static void print_module(const char *option, const gt_module *m)
{
	printf("%s %s: %s\n", option, m->name, m->about);
	if (!m->params) {
		printf("\n  no parameters\n");
		return;
	}
	printf("\n  %s:key=value,...\n\n", m->name);
	gt_params_help(m->params, m->defaults, stdout);
	char *example = gt_module_print(m, NULL), *second = example ? strchr(example, ',') : NULL,
	     *end = second ? strchr(second + 1, ',') : NULL;
	if (end)
		*end = 0;
	printf("\n  as in  --%s %s\n", option, example ? example : m->name);
	gt_free(example);
}

static const gt_module *find_module(const char *kind, const char *name)
{
	const gt_module *m;
	for (size_t i = 0; (m = gt_modules(kind, i)) && strcmp(m->name, name);)
		i++;
	return m;
}

/* Prints all modules of a kind, or one by its name; `option` takes such modules. */
static gt_status help_modules(const char *kind, const char *option, const char *name)
{
	const gt_module *m = NULL;
	void *options = NULL;
	gt_status st = GT_OK;
	for (size_t i = 0; !name && (m = gt_modules(kind, i)); i++)
		printf("%-*s %s\n", MODULE_WIDTH, m->name, m->about);
	if (name) {
		GT_TRY(gt_module_parse(kind, name, &m, &options));
		print_module(option, m);
	}
done:
	gt_free(options);
	return st;
}

static gt_status help_solver(const char *name) { return help_modules("method", "solver", name); }
static gt_status help_projector(const char *name) { return help_modules("projector", "projector", name); }
static gt_status help_format(const char *name) { return help_modules("format", "format", name); }

static gt_status help_penalty(const char *name)
{
	const gt_status st = help_modules("regularizer", "penalty", name);
	const gt_regularizer *r = name ? gt_regularizer_find(name) : NULL;
	if (st == GT_OK && r && r->no_automatic_strength)
		printf("\nThe noise of the data does not determine its strength: gantry recon needs strength=NUMBER.\n");
	else if (st == GT_OK)
		printf("\ngantry recon also accepts%s: strength=auto (default: from the noise of the data), strength=1.5x (times that),\n"
		       "noise=10HU (target noise), auto as threshold (c, delta: 3 times the target noise, at least 10 HU), and\n"
		       "kappa=yes (uniform resolution) or kappa=noise (uniform noise) for MRF penalties.\n",
		       r ? "" : ", unless the page of the penalty states otherwise");
	return st;
}

static gt_status help_step(const char *name) { return help_modules("preparation", "step", name); }
static gt_status help_grid(const char *name)
{
	if (name)
		return gt_fail(GT_ERR_ARG, "help grid: expected no further argument, found '%s'", name);
	printf("The volume of gantry recon, project and backproject (default: the field of view of the scan).\n\n"
	       "  --grid NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ]   numbers and size (mm) of the voxels, and centre of the volume (default 0,0,0)\n"
	       "  --grid N          recon: N x N voxels over the field of view, and all measured slices\n"
	       "  --voxel LENGTH    recon: voxels of this size (10um, 0.5mm) over the field of view\n"
	       "  --slice K|A:B     recon: slice K of the grid alone, or slices A to B-1, from 0 (below 0: from the end)\n"
	       "  --like FILE       use the grid of this volume\n\n"
	       "  gantry recon scan.nc -o vol.nc --grid 512x512x64@0.5x0.5x0.625\n"
	       "  gantry recon scan.nc -o vol.nc --voxel 10um --slice 40\n");
	return GT_OK;
}

static gt_status help_weights(const char *name) { return gt_recon_help("weights", name, stdout); }
static gt_status help_preset(const char *name) { return gt_recon_help("preset", name, stdout); }

/* Topics besides the commands. kind: modules of this kind are topics too; also: other names of the topic, or NULL. */
static const struct {
	const char *name, *kind, *also[2];
	gt_status (*help)(const char *name);
} topics[] = {
	{ .name = "solver", .also = { "solvers" }, .kind = "method", .help = help_solver },
	{ .name = "projector", .also = { "projectors" }, .kind = "projector", .help = help_projector },
	{ .name = "penalty", .also = { "penalties" }, .kind = "regularizer", .help = help_penalty },
	{ .name = "step", .also = { "steps" }, .kind = "preparation", .help = help_step },
	{ .name = "weights", .help = help_weights },
	{ .name = "grid", .also = { "voxel" }, .help = help_grid },
	{ .name = "window", .also = { "windows" }, .help = cli_help_window },
	{ .name = "preset", .also = { "presets", "quality" }, .help = help_preset },
	{ .name = "format", .also = { "formats" }, .kind = "format", .help = help_format },
};
enum { TOPICS = sizeof topics / sizeof *topics };

static int is_called(const char *name, const char *title) { return title && !strcmp(name, title); }

/* Returns the index of the topic; TOPICS without one. */
static size_t topic_called(const char *name)
{
	size_t i = 0;
	while (i < TOPICS && !is_called(name, topics[i].name) && !is_called(name, topics[i].also[0]) && !is_called(name, topics[i].also[1]))
		i++;
	return i;
}

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

typedef struct {
	int man, markdown, complete;
} help_options;
static const char *const shells[] = { "bash", NULL };
static const help_options defaults = { .complete = -1 };
/* clang-format off */
static const cli_option options[] = {
	{ .name = "man", .kind = CLI_FLAG, .help = "print the manual page of a command, or of all, in troff",
	  .at = offsetof(help_options, man) },
	{ .name = "markdown", .kind = CLI_FLAG, .help = "print the reference page of a command, or of a topic as solver NAME, in Markdown",
	  .at = offsetof(help_options, markdown) },
	{ .name = "complete", .kind = CLI_CHOICE, .help = "print a script that completes commands and options in this shell",
	  .at = offsetof(help_options, complete), .names = shells },
	{ 0 },
};
/* clang-format on */

/* Prints the help of a topic as a page in Markdown. */
static gt_status topic_markdown(size_t topic, const char *name)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const real = stdout, *page = open_memstream(&text, &size);
	if (!page)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	stdout = page;
	const gt_status st = topics[topic].help(name);
	stdout = real;
	const int failed = fclose(page) != 0;
	if (st == GT_OK && !failed)
		printf("# gantry help %s%s%s\n\n```text\n%s```\n", topics[topic].name, name ? " " : "", name ? name : "", text);
	free(text);
	return st == GT_OK && failed ? gt_fail(GT_ERR_MEMORY, "out of memory") : st;
}

static int for_installation(const cli_call *call, const help_options *o)
{
	const cli_command *c = call->files ? cli_command_find(call->file[0]) : NULL;
	const size_t topic = call->files ? topic_called(call->file[0]) : TOPICS;
	gt_status st = GT_OK;
	if (o->man + o->markdown + (o->complete >= 0) > 1)
		st = gt_fail(GT_ERR_ARG, "--man, --markdown and --complete cannot be combined");
	else if (o->complete >= 0 && call->files)
		st = gt_fail(GT_ERR_ARG, "--complete: found '%s', expected no argument: the script covers all commands", call->file[0]);
	else if (o->markdown && topic < TOPICS)
		st = topic_markdown(topic, call->files > 1 ? call->file[1] : NULL);
	else if ((o->man || o->markdown) && (call->files > 1 || (call->files && !c)))
		st = gt_fail(GT_ERR_ARG, "--%s: '%s' is not a command", o->man ? "man" : "markdown", call->file[call->files - 1]);
	else if (o->markdown && !c)
		st = gt_fail(GT_ERR_ARG, "--markdown: expected a command, as in gantry help recon --markdown");
	else if (o->man)
		cli_print_manual(c);
	else if (o->markdown)
		cli_print_markdown(c);
	else
		cli_print_completion();
	return cli_exit(call, st);
}

static int run(const cli_call *call, const void *given)
{
	const char *topic = call->files ? call->file[0] : "help", *name = call->files > 1 ? call->file[1] : NULL;
	const cli_command *c = cli_command_find(topic);
	const help_options *o = given;
	if (o->man || o->markdown || o->complete >= 0)
		return for_installation(call, o);
	if (topic_called(topic) < TOPICS)
		return cli_exit(call, topics[topic_called(topic)].help(name));
	for (size_t i = 0; i < TOPICS && !c && !name; i++)
		if (topics[i].kind && find_module(topics[i].kind, topic))
			return cli_exit(call, topics[i].help(topic));
	if (!c)
		return cli_exit(call, gt_unknown("topic", topic, nth_topic, count_commands() + TOPICS));
	cli_print_help(c, stdout);
	return CLI_DONE;
}

const cli_command cli_help = {
	.name = "help",
	.about = "print help on a command or on the arguments of options",
	.synopsis = "[COMMAND | solver [NAME] | projector [NAME] | penalty [NAME] "
		    "| step [NAME] | weights [NAME] | preset [NAME] | format [NAME] | grid | window]",
	.notes =
		"  gantry help recon\n  gantry help simulate         (scanners and phantoms too)\n  gantry help solver os-sart\n  gantry help projector dd\n"
		"  gantry help preset\n  gantry help recon --man | man -l -     (installed as gantry-recon.1)\n",
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.max_files = 2,
	.run = run
};
