/* Evaluates candidates of a source file: writes the program into a temporary folder and runs the user's command on it.
 * Runs in a child process (tuner/child.h). The command has a process group of its own, which a timeout kills. Another
 * process, the cleaner, removes the folder when all others have ended, even if a signal killed them. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/clock.h"
#include "core/files/opener.h"
#include "core/order_statistics.h"
#include "core/text.h"
#include "core/try.h"
#include "tuner/source.h"

enum { MAX_OUTPUT = 1 << 20, MAX_PAIRS = 32 };

struct gt_source_check {
	gt_source *source;
	const char *command; /* {} is the file of the candidate */
	char folder[256];
	char *program, *line;  /* file of the candidate; the command with its name */
	char *output, *errors; /* files of the streams */
	double limit;
	int pairs;
	pid_t cleaner;  /* 0: none */
	int to_cleaner; /* end of the pipe that keeps the cleaner waiting */
};

static gt_status make_folder(gt_source_check *c)
{
	const char *tmp = getenv("TMPDIR");
	if (gt_snprintf(c->folder, sizeof c->folder, "%s/gantry-tune-XXXXXX", tmp && *tmp ? tmp : "/tmp") >= (int)sizeof c->folder ||
	    !mkdtemp(c->folder)) {
		c->folder[0] = 0;
		return gt_fail(GT_ERR_IO, "TMPDIR: no temporary folder can be made (%s)", strerror(errno));
	}
	return GT_OK;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *walk)
{
	(void)s;
	(void)kind;
	(void)walk;
	return remove(path);
}

/* Waits until all writers of the pipe have ended, kills the group of the command that still runs, and removes the
 * folder. Repeats a failed removal, because killed processes can add a last file. */
static void clean_up(const char *folder, int in)
{
	pid_t group = 0, next;
	setsid(); /* signals of the terminal do not reach it */
	while (read(in, &next, sizeof next) == sizeof next)
		group = next;
	if (group > 0)
		kill(-group, SIGKILL);
	for (int i = 0; i < 50 && nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0; i++)
		usleep(20000);
	_exit(0);
}

static gt_status start_cleaner(gt_source_check *c)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return gt_fail(GT_ERR_IO, "no pipe to a process that removes %s: %s", c->folder, strerror(errno));
	const pid_t process = fork();
	if (process == 0) {
		close(ends[1]);
		clean_up(c->folder, ends[0]);
	}
	close(ends[0]);
	if (process < 0) {
		close(ends[1]);
		return gt_fail(GT_ERR_IO, "no process that removes %s: %s", c->folder, strerror(errno));
	}
	c->cleaner = process;
	c->to_cleaner = ends[1];
	return GT_OK;
}

/* Sends the process group of the running command to the cleaner; 0: none. */
static void report_group(const gt_source_check *c, pid_t group)
{
	if (write(c->to_cleaner, &group, sizeof group) != sizeof group)
		_exit(1);
}

/* The command with every {} replaced by the file, quoted for the shell. */
static char *fill_in(const char *command, const char *file)
{
	char quoted[4096], *text = strdup(""); /* four bytes for each of a folder and a name of 255 bytes each */
	const char *name = gt_shell_word(file, quoted, sizeof quoted);
	for (const char *at = command; text && *at;) {
		const char *place = strstr(at, "{}");
		char *more = gt_text("%s%.*s%s", text, (int)(place ? (size_t)(place - at) : strlen(at)), at, place ? name : "");
		free(text);
		text = more;
		at = place ? place + 2 : at + strlen(at);
	}
	return text;
}

gt_status gt_source_check_new(const gt_tune_options *o, gt_source *source, gt_source_check **out)
{
	const char *slash = strrchr(o->source, '/');
	gt_source_check *c = NULL;
	gt_status st = GT_OK;
	if (!o->check || !strstr(o->check, "{}"))
		return gt_fail(GT_ERR_ARG, "--check: expected a command with {} for the file of a candidate, found \"%s\"",
		               o->check ? o->check : "");
	if (!(c = calloc(1, sizeof *c)))
		return gt_fail(GT_ERR_MEMORY, "no memory for a check");
	c->source = source;
	c->command = o->check;
	c->limit = o->limit;
	GT_TRY(make_folder(c));
	GT_TRY(start_cleaner(c));
	c->program = gt_text("%s/%s", c->folder, slash ? slash + 1 : o->source);
	c->output = gt_text("%s/.output", c->folder);
	c->errors = gt_text("%s/.errors", c->folder);
	c->line = c->program ? fill_in(c->command, c->program) : NULL;
	if (!c->line || !c->output || !c->errors)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a check"));
	*out = c;
done:
	if (st != GT_OK)
		gt_source_check_free(c);
	return st;
}

void gt_source_check_free(gt_source_check *c)
{
	if (!c)
		return;
	if (c->cleaner) {
		close(c->to_cleaner);
		while (waitpid(c->cleaner, NULL, 0) < 0 && errno == EINTR)
			;
	} else if (*c->folder) {
		rmdir(c->folder);
	}
	free(c->program);
	free(c->output);
	free(c->errors);
	free(c->line);
	free(c);
}

void gt_source_check_pairs(gt_source_check *c, int pairs) { c->pairs = pairs < MAX_PAIRS ? pairs : MAX_PAIRS; }

static void run_shell(const gt_source_check *c)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_DFL);
	if (freopen("/dev/null", "r", stdin) && freopen(c->output, "w", stdout) && freopen(c->errors, "w", stderr))
		execl("/bin/sh", "sh", "-c", c->line, (char *)NULL);
	_exit(127);
}

/* Runs the command. Returns its exit code, 128 + N for signal N, -1 after the time limit. */
static int run_command(const gt_source_check *c)
{
	int status = 0;
	pid_t ended = 0;
	const double until = gt_seconds() + c->limit;
	const pid_t process = fork();
	if (process == 0)
		run_shell(c);
	if (process < 0)
		return 127;
	setpgid(process, process);
	report_group(c, process);
	for (useconds_t wait = 200; (ended = waitpid(process, &status, WNOHANG)) == 0 && gt_seconds() < until;) {
		usleep(wait);
		wait = wait < 20000 ? 2 * wait : wait;
	}
	kill(-process, SIGKILL); /* and its remaining processes */
	if (ended == 0)
		waitpid(process, &status, 0);
	report_group(c, 0);
	return ended == 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The last line that is not empty. */
static void last_line(const char *path, char *line, size_t size)
{
	char text[512];
	FILE *f = NULL;
	*line = 0;
	if (gt_file_text(path, MAX_OUTPUT, &f) != GT_OK)
		return;
	while (fgets(text, sizeof text, f)) {
		text[strcspn(text, "\r\n")] = 0;
		if (text[strspn(text, " \t")])
			gt_utf8_shown(text, strlen(text), line, size);
	}
	fclose(f);
}

/* Times one candidate. Returns 0 and sets t->verdict and t->why on failure. */
static int time_one(const gt_source_check *c, size_t candidate, double *ms, gt_tune_evaluation *t)
{
	char line[300] = "", *end = line;
	if (gt_source_write(c->source, candidate, c->program) != GT_OK) {
		t->verdict = GT_TUNE_NOT_BUILT;
		gt_snprintf(t->why, sizeof t->why, "%s", gt_error());
		return 0;
	}
	const int code = run_command(c);
	last_line(code ? c->errors : c->output, line, sizeof line);
	*ms = gt_strtod(line, &end);
	end += strspn(end, " \t");
	if (code == 0 && end != line && (!*end || !strcmp(end, "ms")) && *ms > 0 && isfinite(*ms))
		return 1;
	t->verdict = code < 0 ? GT_TUNE_ENDED : GT_TUNE_WRONG;
	if (code < 0)
		gt_snprintf(t->why, sizeof t->why, "the check did not end within %g s", c->limit);
	else if (code > 0)
		gt_snprintf(t->why, sizeof t->why, "the check ended with %d: %s", code, *line ? line : "no message");
	else
		gt_snprintf(t->why, sizeof t->why, "the check printed \"%s\" last: expected a time in ms", line);
	return 0;
}

/* Times the baseline and the candidate alternately. */
static int time_pairs(const gt_source_check *c, size_t candidate, gt_tune_evaluation *t)
{
	double own[MAX_PAIRS], first[MAX_PAIRS];
	for (int i = 0; i < c->pairs; i++)
		if (!time_one(c, 0, &first[i], t) || !time_one(c, candidate, &own[i], t))
			return 0;
	t->ms = gt_upper_median(own, (size_t)c->pairs);
	t->built_in_ms = gt_upper_median(first, (size_t)c->pairs);
	return 1;
}

void gt_source_check_try(void *self, const char *variant, gt_tune_evaluation *t)
{
	const gt_source_check *c = self;
	const gt_space *s = gt_source_space(c->source);
	uint8_t pick[GT_MAX_LAYERS];
	const size_t candidate = !*variant ? 0 : gt_space_parse(s, variant, pick) ? gt_space_find(s, pick) : SIZE_MAX;
	memset(t, 0, sizeof *t);
	t->size = sizeof *t;
	t->pairs = c->pairs > 1 ? c->pairs : 1;
	if (candidate == SIZE_MAX) {
		t->verdict = GT_TUNE_NOT_LEGAL;
		gt_snprintf(t->why, sizeof t->why, "no candidate of the source");
	} else if (*variant && c->pairs > 0) {
		time_pairs(c, candidate, t);
	} else if (time_one(c, candidate, &t->ms, t) && !*variant) {
		char text[400];
		gt_space_text(s, 0, text, sizeof text);
		t->built_in_ms = t->ms;
		gt_snprintf(t->why, sizeof t->why, "%zu candidates|%s|a check command|0|-|0", s->count, text);
	}
}
