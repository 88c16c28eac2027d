/* gantry COMMAND [options] [files]. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/processes.h>
#include <gantry/recon.h>
#include <gantry/message.h>
#include "apps/cli/cli.h"
#include "core/module.h"

#ifndef GANTRY_COMMIT
#define GANTRY_COMMIT "unknown"
#endif

static void print_version(void)
{
	gt_backend *be = NULL;
	const gt_status st = gt_backend_open("cuda", &be);
	printf("gantry %s\ncommit %s\nCUDA %s\nMPI %s\n", GANTRY_VERSION, GANTRY_COMMIT,
	       st == GT_OK            ? gt_backend_describe(be)
	       : st == GT_ERR_UNKNOWN ? "no"
	                              : "yes, but no device here",
	       gt_has_mpi() ? "yes" : "no");
	gt_backend_close(be);
}

static void print_commands(FILE *out)
{
	fprintf(out, "gantry COMMAND [options] [files]\n\n");
	const cli_command *const *c = cli_commands;
	for (const cli_command_group *g = cli_groups; g->title; g++) {
		fprintf(out, "%s%s\n", g == cli_groups ? "" : "\n", g->title);
		for (const cli_command *const *end = c + g->commands; c < end; c++)
			fprintf(out, "  %-12s %s\n", (*c)->name, (*c)->about);
	}
	fprintf(out, "\n'gantry help COMMAND' explains a command; 'gantry --version' prints the version and the options of the build.\n");
}

static const char *nth_command(size_t i) { return cli_commands[i]->name; }
static size_t count_commands(void)
{
	size_t n = 0;
	while (cli_commands[n])
		n++;
	return n;
}

/* Quotes text for a shell; a single quote becomes '\''. */
static char *quoted(const char *text)
{
	char *out = malloc(4 * strlen(text) + 3), *to = out;
	if (!out)
		return NULL;
	*to++ = '\'';
	for (; *text; text++) {
		const int quote = *text == '\'';
		memcpy(to, quote ? "'\\''" : text, quote ? 4 : 1);
		to += quote ? 4 : 1;
	}
	memcpy(to, "'", 2);
	return out;
}

/* Quotes arguments with special characters, so that the recorded command can be pasted into a shell. */
static char *command_line(int argc, char **argv)
{
	char *line = cli_text("gantry");
	for (int i = 1; i < argc && line; i++) {
		const int plain = *argv[i] &&
		                  !argv[i][strspn(argv[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%")];
		char *word = plain ? strdup(argv[i]) : quoted(argv[i]), *more = word ? cli_text("%s %s", line, word) : NULL;
		free(word);
		free(line);
		line = more;
	}
	return line;
}

/* Prints the stages since main(). The exit of the process, which frees the remaining memory, is not included. */
static void print_timings(void)
{
	const char *name;
	double seconds, all = 0;
	const size_t stages = gt_timings(0, &name, &seconds);
	for (size_t i = 0; i < stages; i++) {
		gt_timings(i, &name, &seconds);
		fprintf(stderr, "%9.3f s  %s\n", seconds, name);
		all += seconds;
	}
	fprintf(stderr, "%9.3f s  all\n", all);
}

static int run_command(const cli_command *c, int argc, char **argv)
{
	cli_call call = { .command = c, .log = cli_listener(&call) };
	int code = CLI_FAILED;
	void *options = calloc(1, c->options_size + 1);
	call.file = calloc((size_t)argc, sizeof *call.file);
	call.line = command_line(argc, argv);
	if (!options || !call.file || !call.line) {
		code = cli_exit(&call, gt_fail(GT_ERR_MEMORY, "out of memory"));
		goto done;
	}
	if (c->defaults)
		memcpy(options, c->defaults, c->options_size);
	gt_status st = c->traits & CLI_TEAMS ? gt_processes_begin(&call.process, &call.processes) : GT_OK;
	call.common.quiet = call.process > 0 ? CLI_QUIET_BESIDE : 0;
	if (st == GT_OK)
		st = cli_parse(c, argc - 2, argv + 2, options, &call);
	if (st != GT_OK) {
		code = cli_exit(&call, st);
	} else if (call.common.help) {
		if (!call.process)
			cli_print_help(c, stdout);
		code = cli_exit(&call, GT_OK);
	} else {
		code = c->run(&call, options);
	}
	if (call.common.timings)
		print_timings();
	if (code == CLI_DONE && cli_lost_output())
		code = cli_exit(&call, gt_fail(GT_ERR_MEMORY, "no memory to print the result"));
	if (code == CLI_DONE && (fflush(stdout) || ferror(stdout)))
		code = cli_exit(&call, gt_fail(GT_ERR_IO, "cannot write to the standard output"));
done:
	free(options);
	free(call.file);
	free(call.line);
	return code;
}

static int end_of_output(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return CLI_DONE;
	fprintf(stderr, "gantry: cannot write to the standard output: %s\n", strerror(errno));
	return CLI_USAGE;
}

int main(int argc, char **argv)
{
	gt_timings_start();
	signal(SIGXFSZ, SIG_IGN); /* beyond the file size limit a write fails with a message */
	if (argc < 2) {
		print_commands(stderr);
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		print_version();
		return end_of_output();
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || (!strcmp(argv[1], "help") && argc == 2)) {
		print_commands(stdout);
		return end_of_output();
	}
	const cli_command *c = cli_command_find(argv[1]);
	if (!c) {
		gt_unknown("command", argv[1], nth_command, count_commands());
		cli_print(stderr, "gantry: %s\n", gt_error());
		return CLI_USAGE;
	}
	gt_tmp_clean_on_signals();
	cli_begin_computing();
	const int code = run_command(c, argc, argv);
	fflush(NULL);
	gt_processes_leave(code);
	/* HDF5's exit handler crashes if a file could not be closed, for example on a full disk. */
	if (code == CLI_FAILED && !fflush(NULL))
		_exit(code);
	return code;
}
