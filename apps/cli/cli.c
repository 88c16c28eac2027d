/* Option tables: parsing, help, and proposals for misspelt options. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <gantry/processes.h>
#include <gantry/recon.h>
#include "apps/cli/cli.h"
#include "core/module.h"
#include "core/params.h"
#include "core/text.h"

static const char *const precisions[] = { "single", "double", NULL };
/* clang-format off */
static const cli_option compute_options[] = {
	{ .name = "backend", .kind = CLI_TEXT, .value = "NAME",
	  .help = "auto, cpu, cpu:THREADS, cuda or cuda:NUMBER (default auto: a GPU if there is one)",
	  .at = offsetof(cli_common, backend) },
	{ .name = "precision", .kind = CLI_CHOICE,
	  .help = "arithmetic and storage while computing", .at = offsetof(cli_common, precision), .names = precisions },
	{ 0 },
};
static const cli_option report_options[] = {
	{ .name = "json", .kind = CLI_FLAG, .help = "print the result as JSON", .at = offsetof(cli_common, json) },
	{ 0 },
};
static const cli_option every_options[] = {
	{ .name = "quiet", .letter = 'q', .group = "General", .kind = CLI_FLAG,
	  .help = "no progress and no notes", .at = offsetof(cli_common, quiet) },
	{ .name = "timings", .kind = CLI_FLAG, .help = "print the time of each stage to the standard error at the end",
	  .at = offsetof(cli_common, timings) },
	{ .name = "help", .letter = 'h', .kind = CLI_FLAG, .help = "print this help", .at = offsetof(cli_common, help) },
	{ 0 },
};
/* clang-format on */
static const cli_option no_options[] = { { 0 } };

void cli_option_tables(const cli_command *c, const cli_option *table[CLI_TABLES])
{
	table[0] = c->options ? c->options : no_options;
	table[1] = c->traits & CLI_COMPUTES ? compute_options : no_options;
	table[2] = c->traits & CLI_REPORTS ? report_options : no_options;
	table[3] = every_options;
}

static int is_called(const char *name, const char *text, size_t n) { return name && strlen(name) == n && !strncmp(name, text, n); }

/* Finds an option by its letter if that is set, else by its current or previous name of length n. */
static const cli_option *find(const cli_command *c, const char *name, size_t n, char letter, int *common)
{
	const cli_option *table[CLI_TABLES];
	cli_option_tables(c, table);
	for (int t = 0; t < CLI_TABLES; t++)
		for (const cli_option *o = table[t]; o->name; o++)
			if (letter ? o->letter == letter : is_called(o->name, name, n) || is_called(o->was, name, n)) {
				*common = t > 0;
				return o;
			}
	return NULL;
}

/* "gantry import has it": lists the other commands with an option of this name; NULL if none has, or without memory. */
static char *commands_with(const char *name)
{
	char *text = NULL;
	for (const cli_command *const *c = cli_commands; *c; c++)
		for (const cli_option *o = (*c)->options ? (*c)->options : no_options; o->name; o++)
			if (!strcmp(o->name, name) || (o->was && !strcmp(o->was, name))) {
				char *more = text ? cli_text("%s, and gantry %s", text, (*c)->name)
				                  : cli_text("gantry %s has it", (*c)->name);
				free(text);
				text = more;
			}
	return text;
}

static gt_status unknown_option(const cli_command *c, const char *arg, size_t n)
{
	const cli_option *table[CLI_TABLES];
	const char *best = NULL;
	size_t far = (size_t)-1;
	char *name = strndup(arg, n);
	if (!name)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	for (const cli_hint *h = c->hints; h && h->name; h++)
		if (n > 2 && !strcmp(h->name, name + 2)) {
			free(name);
			return gt_fail(GT_ERR_ARG, "unknown option '--%s': use %s", h->name, h->use);
		}
	cli_option_tables(c, table);
	for (int t = 0; t < CLI_TABLES; t++)
		for (const cli_option *o = table[t]; o->name; o++)
			gt_nearer(name + strspn(name, "-"), o->name, &best, &far);
	char *others = !strncmp(name, "--", 2) ? commands_with(name + 2) : NULL;
	const gt_status st = others ? gt_fail(GT_ERR_ARG, "unknown option '%s': %s", name, others)
	                     : best ? gt_fail(GT_ERR_ARG, "unknown option '%s': did you mean '--%s'?", name, best)
	                            : gt_fail(GT_ERR_ARG, "unknown option '%s': 'gantry help %s' lists the options", name, c->name);
	free(others);
	free(name);
	return st;
}

static gt_status set_choice(const cli_option *o, const char *what, const char *text, int *value)
{
	char all[256] = "";
	for (int i = 0; o->names[i]; i++) {
		if (!strcmp(o->names[i], text)) {
			*value = i;
			return GT_OK;
		}
		const size_t used = strlen(all);
		snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", o->names[i]);
	}
	return gt_fail(GT_ERR_ARG, "%s=%s: expected one of %s", what, text, all);
}

static gt_status set_value(const cli_option *o, const char *text, void *options)
{
	char what[64], *field = (char *)options + o->at;
	snprintf(what, sizeof what, "--%s", o->name);
	switch (o->kind) {
	case CLI_TEXT:
	case CLI_INPUT:
	case CLI_OUTPUT:
		*(const char **)(void *)field = text;
		return GT_OK;
	case CLI_REAL:
		return gt_parse_real(what, text, o->min, o->max, (double *)(void *)field);
	case CLI_LENGTH:
		return gt_parse_length(what, text, o->min, o->max, (double *)(void *)field);
	case CLI_ANGLE:
		return gt_parse_angle(what, text, o->min, o->max, (double *)(void *)field);
	case CLI_INT:
		return gt_parse_int(what, text, o->min, o->max, (long long *)(void *)field);
	case CLI_CHOICE:
		return set_choice(o, what, text, (int *)(void *)field);
	case CLI_FLAG:
		*(int *)(void *)field = 1;
	}
	return GT_OK;
}

/* 1: an option of this command, which cannot be the value of the option before it. */
static int is_option(const cli_command *c, const char *text)
{
	int is_common = 0;
	if (!strncmp(text, "--", 2) && text[2])
		return find(c, text + 2, strcspn(text + 2, "="), 0, &is_common) != NULL;
	return text[0] == '-' && text[1] && !text[2] && find(c, "", 0, text[1], &is_common);
}

/* Parses the option at argv[*i], with its value in the same or the next argument; *taken is the option. */
static gt_status take_option(const cli_command *c, int argc, char **argv, int *i, void *options, cli_common *common,
                             const cli_option **taken)
{
	const char *arg = argv[*i], *value = NULL;
	const int is_long = arg[1] == '-';
	const size_t n = is_long ? strcspn(arg + 2, "=") : 1;
	int is_common = 0;
	const cli_option *o = find(c, arg + 2, n, is_long ? 0 : arg[1], &is_common);
	*taken = o;
	if (!o)
		return unknown_option(c, arg, is_long ? n + 2 : strlen(arg));
	if (is_long && arg[n + 2] == '=')
		value = arg + n + 3;
	else if (!is_long && arg[2])
		value = arg + 2;
	if (o->kind == CLI_FLAG && value)
		return gt_fail(GT_ERR_ARG, "--%s takes no value, found '%s'", o->name, value);
	if (o->kind != CLI_FLAG && !value) {
		if (*i + 1 >= argc)
			return gt_fail(GT_ERR_ARG, "--%s needs a value", o->name);
		value = argv[++*i];
		if (is_option(c, value))
			return gt_fail(GT_ERR_ARG, "--%s needs a value, found the option '%s'", o->name, value);
	}
	return set_value(o, value, is_common ? (void *)common : options);
}

/* Prints a note for each option that was given by its previous name. */
static void note_renamed(const cli_call *call, int argc, char **argv)
{
	for (const cli_option *o = call->command->options; o && o->name; o++)
		for (int i = 0; i < argc && o->was && strcmp(argv[i], "--"); i++)
			if (!strncmp(argv[i], "--", 2) && is_called(o->was, argv[i] + 2, strcspn(argv[i] + 2, "="))) {
				cli_note(call, "--%s is now --%s; the next version drops the old name", o->was, o->name);
				break;
			}
}

/* Prints a note for each option with a value that was given more than once: the last value counts. */
static void note_repeated(const cli_call *call, const cli_option *const *taken)
{
	for (size_t i = 0; taken[i]; i++) {
		size_t times = 0, later = 0;
		for (size_t k = 0; taken[k]; k++) {
			times += taken[k] == taken[i];
			later += k > i && taken[k] == taken[i];
		}
		if (times > 1 && !later && taken[i]->kind != CLI_FLAG)
			cli_note(call, "--%s is given %zu times: the last one is taken", taken[i]->name, times);
	}
}

/* taken: the given options in their order, at most argc, then NULL. */
static gt_status take_arguments(const cli_command *c, int argc, char **argv, void *options, cli_call *call, const cli_option **taken)
{
	int only_files = 0;
	for (int i = 0; i < argc; i++) {
		const char *arg = argv[i];
		if (only_files || arg[0] != '-' || !arg[1]) {
			call->file[call->files++] = arg;
		} else if (!strcmp(arg, "--")) {
			only_files = 1;
		} else {
			const gt_status st = take_option(c, argc, argv, &i, options, &call->common, taken);
			if (st != GT_OK)
				return st;
			taken++;
		}
	}
	return GT_OK;
}

gt_status cli_parse(const cli_command *c, int argc, char **argv, void *options, cli_call *call)
{
	const cli_option **taken = calloc((size_t)argc + 1, sizeof *taken);
	if (!taken)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	const gt_status st = take_arguments(c, argc, argv, options, call, taken);
	note_renamed(call, argc, argv);
	note_repeated(call, taken);
	free(taken);
	if (st != GT_OK || call->common.help)
		return st;
	if (call->files < c->min_files)
		return gt_fail(GT_ERR_ARG, "a file or name is missing: gantry %s %s", c->name, c->synopsis);
	int common = 0;
	const gt_status pattern = find(c, "flat", 4, 0, &common) ? cli_check_pattern(call) : GT_OK;
	if (pattern != GT_OK)
		return pattern;
	if (call->files > c->max_files)
		return gt_fail(GT_ERR_ARG, "'%s' is one argument too many: gantry %s %s", call->file[c->max_files], c->name, c->synopsis);
	return cli_check_files(call, options);
}

int cli_option_text(const cli_option *o, char *text, size_t size)
{
	char letter[8] = "    ", value[128] = "";
	if (o->letter)
		snprintf(letter, sizeof letter, "-%c, ", o->letter);
	if (o->kind == CLI_CHOICE) {
		for (int i = 0; o->names[i]; i++) {
			const size_t used = strlen(value);
			snprintf(value + used, sizeof value - used, "%s%s", i ? "|" : " ", o->names[i]);
		}
	} else if (o->kind != CLI_FLAG) {
		snprintf(value, sizeof value, " %s", o->value);
	}
	return snprintf(text, size, "  %s--%s%s", letter, o->name, value);
}

int cli_has_groups(const cli_command *c)
{
	for (const cli_option *o = c->options; o && o->name; o++)
		if (o->group)
			return 1;
	return 0;
}

void cli_print_help(const cli_command *c, FILE *out)
{
	const int groups = cli_has_groups(c);
	const cli_option *table[CLI_TABLES];
	cli_option_tables(c, table);
	fprintf(out, "gantry %s: %s\n\n  gantry %s %s\n\n", c->name, c->about, c->name, c->synopsis);
	for (int t = 0; t < CLI_TABLES; t++)
		for (const cli_option *o = table[t]; o->name; o++) {
			char name[192];
			if (groups && o->group)
				fprintf(out, "%s%s\n", t || o != table[0] ? "\n" : "", o->group);
			if (cli_option_text(o, name, sizeof name) < 32)
				fprintf(out, "%-32s%s\n", name, o->help);
			else
				fprintf(out, "%s\n%32s%s\n", name, "", o->help);
		}
	if (c->notes)
		fprintf(out, "\n%s", c->notes);
	if (c->list)
		c->list(out);
}

int cli_exit(const cli_call *call, gt_status st)
{
	int tells = 1;
	if (call->processes > 1)
		st = gt_processes_end(st, &tells);
	if (st == GT_OK)
		return CLI_DONE;
	if (tells)
		cli_print(stderr, "gantry %s: %s\n", call->command->name, gt_error());
	return st == GT_ERR_ARG || st == GT_ERR_UNKNOWN ? CLI_USAGE : CLI_FAILED;
}

gt_status cli_need(const char *option, const char *value) { return value ? GT_OK : gt_fail(GT_ERR_ARG, "%s is needed", option); }

gt_status cli_parse_names(const char *what, const char *text, const char *const *names, int count, unsigned *chosen)
{
	*chosen = 0;
	for (const char *at = text;; at++) {
		const size_t n = strcspn(at, ",");
		char name[32];
		int k = 0;
		snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), at);
		while (k < count && strcmp(name, names[k]))
			k++;
		if (k == count)
			return gt_unknown_of(what, name, names, count);
		if (*chosen & 1u << k)
			return gt_fail(GT_ERR_ARG, "%s=%s: %s is given twice", what, text, name);
		*chosen |= 1u << k;
		at += n;
		if (!*at)
			return GT_OK;
	}
}

char *cli_text(const char *format, ...)
{
	char *text = NULL;
	va_list args;
	va_start(args, format);
	const int n = vasprintf(&text, format, args);
	va_end(args);
	return n < 0 ? NULL : text;
}
