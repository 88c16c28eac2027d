/* Logs for `gantry study tuner`: from a folder, or by searches on a GPU. */
#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>
#include "apps/study/tuner/tuner.h"

extern char **environ;

static gt_status add_log(const char *path, tuner_findings *f)
{
	tuner_log *l = &f->log[f->logs];
	GT_OR_RETURN(gt_tune_log_open(path, &l->log));
	const char *name = strrchr(path, '/');
	gt_tune_log_describe(l->log, &l->facts);
	if (!l->facts.right) {
		gt_tune_log_close(l->log);
		l->log = NULL;
		return GT_OK;
	}
	snprintf(l->name, sizeof l->name, "%s", name ? name + 1 : path);
	char *end = strstr(l->name, ".txt");
	if (end && !end[4])
		*end = 0;
	f->logs++;
	return GT_OK;
}

static int is_text(const struct dirent *d)
{
	const size_t n = strlen(d->d_name);
	return n > 4 && !strcmp(d->d_name + n - 4, ".txt");
}

gt_status tuner_read_logs(const char *folder, tuner_findings *f)
{
	struct dirent **name = NULL;
	const int n = scandir(folder, &name, is_text, alphasort);
	if (n < 0)
		return gt_fail(GT_ERR_IO, "--logs=%s: cannot be read (%s)", folder, strerror(errno));
	gt_status st = GT_OK;
	for (int i = 0; i < n; i++) {
		if (f->logs < TUNER_MAX_LOGS)
			add_log(PATH("%s/%s", folder, name[i]->d_name), f); /* ignores other texts */
		else
			st = gt_fail(GT_ERR_ARG, "--logs=%s: more than %d logs", folder, TUNER_MAX_LOGS);
		free(name[i]);
	}
	free(name);
	if (st != GT_OK)
		return st;
	return f->logs ? GT_OK
	               : gt_fail(GT_ERR_ARG, "--logs=%s: expected logs of gantry tune (NAME.txt) with a candidate that was right", folder);
}

/* Searches: the kernels of the paper, and others. */
static const struct {
	const char *name, *kernel, *workload, *grid, *every;
} searches[] = {
	{ "fdk-256", "fdk-published", "rabbit512", "256x256x256@1x1x1", "1" },
	{ "fdk-512", "fdk-published", "rabbit512", NULL, "1" },
	{ "sf-256", "sf-back", "footprint256", NULL, "1" },
	{ "sf-512", "sf-back", "footprint512", NULL, "1" },
	{ "joseph-back-ge-hd", "joseph-back", "ge-hd", NULL, "1" },
	{ "joseph-forward-ge-hd", "joseph-forward", "ge-hd", NULL, "1" },
	{ "dd-forward-20-views", "dd-forward", "ge-hd", NULL, "49" },
	{ "dd-back-odd-101", "dd-back", "odd-101", NULL, "1" },
};
enum { SEARCHES = sizeof searches / sizeof *searches, QUICK_SECONDS = 60, SECONDS = 1200 };

static int run_self(char *const *arguments)
{
	pid_t child;
	int status = -1;
	if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, arguments, environ) == 0)
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static gt_status search_one(study *s, int i, const char *path, double seconds)
{
	const char *minutes = FORMAT("%.3f", seconds / 60);
	const char *const grid = searches[i].grid ? "--grid" : NULL;
	/* clang-format off */
	const char *const argument[] = {
		"gantry", "tune", "--kernel", searches[i].kernel, "--workload", searches[i].workload, "--every", searches[i].every,
		"--search", "random", "--no-keep", "--quiet", "--minutes", minutes, "--log", path, grid, searches[i].grid, NULL
	};
	/* clang-format on */
	study_step(s, "%s", searches[i].name);
	return run_self((char *const *)argument) == 0 ? GT_OK : gt_fail(GT_ERR_UNSUPPORTED, "gantry tune failed: see its message above");
}

gt_status tuner_search(study *s, tuner_findings *f)
{
	const double all = s->seconds >= 0 ? s->seconds : s->quick ? QUICK_SECONDS : SECONDS;
	s->steps = 1 + SEARCHES;
	for (int i = 0; i < SEARCHES; i++) {
		const char *path;
		GT_OR_RETURN(study_file(&s->folder, FORMAT("%s.txt", searches[i].name), &path));
		if (search_one(s, i, path, all / SEARCHES) != GT_OK || add_log(path, f) != GT_OK)
			study_leave_out(s, searches[i].kernel, searches[i].name);
	}
	return f->logs ? GT_OK : gt_fail(GT_ERR_UNSUPPORTED, "no kernel could be tuned: nothing to report");
}
