/* A folder that appears when it is complete, with the figures that gnuplot draws in it. */
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include "apps/study/study.h"
#include "io/tmp_list.h"

/* Paths that a signal must remove: all files, then the folder. They are added before the files are made. */
typedef struct made {
	char *path;
	struct made *volatile next;
} made;
static made *volatile files;
static const char *volatile folder;
static char *volatile arrays; /* a folder in it; NULL: not made */

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
enum { NSIGNALS = sizeof signals / sizeof *signals };

/* Only async-signal-safe calls. */
static void remove_all(void)
{
	for (made *m = files; m; m = m->next)
		unlink(m->path);
	if (arrays)
		rmdir(arrays);
	if (folder)
		rmdir(folder);
}

static void remove_and_die(int number)
{
	gt_tmp_remove();
	remove_all();
	if (number == SIGINT) {
		cli_interrupt(number);
		return;
	}
	signal(number, SIG_DFL);
	raise(number);
}

static struct sigaction before[NSIGNALS];

static void watch(void)
{
	struct sigaction action = { .sa_handler = remove_and_die };
	sigemptyset(&action.sa_mask);
	for (int i = 0; i < NSIGNALS; i++)
		if (sigaction(signals[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

static void forget(void)
{
	for (int i = 0; i < NSIGNALS; i++)
		sigaction(signals[i], &before[i], NULL);
	folder = NULL;
	free(arrays);
	arrays = NULL;
	while (files) {
		made *m = files;
		files = m->next;
		free(m->path);
		free(m);
	}
}

gt_status study_folder_new(const char *path, study_folder *f)
{
	struct stat there;
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	f->path = strndup(path, n);
	const char *slash = f->path ? strrchr(f->path, '/') : NULL, *name = slash ? slash + 1 : f->path;
	f->tmp = f->path ? cli_text("%.*s.%s.%ld.tmp", (int)(name - f->path), f->path, name, (long)getpid()) : NULL;
	if (!f->tmp)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	if (lstat(f->path, &there) == 0)
		return gt_fail(GT_ERR_ARG, "--output=%s: already exists: expected the name of a new folder", path);
	watch();
	folder = f->tmp;
	if (mkdir(f->tmp, 0777) != 0) {
		const int why = errno;
		forget();
		return gt_fail(GT_ERR_IO, "%s: cannot make the folder: %s", path, strerror(why));
	}
	return GT_OK;
}

gt_status study_folder_commit(study_folder *f)
{
	struct stat there;
	if (lstat(f->path, &there) == 0)
		return gt_fail(GT_ERR_IO, "%s: exists now: another process made it", f->path);
	if (rename(f->tmp, f->path) != 0)
		return gt_fail(GT_ERR_IO, "%s: cannot be renamed from its temporary name: %s", f->path, strerror(errno));
	forget();
	return GT_OK;
}

void study_folder_drop(study_folder *f)
{
	if (folder) {
		remove_all();
		forget();
	}
	free(f->path);
	free(f->tmp);
	*f = (study_folder){ 0 };
}

gt_status study_file(const study_folder *f, const char *name, const char **path)
{
	made *m = calloc(1, sizeof *m);
	if (!m || !(m->path = cli_text("%s/%s", f->tmp, name))) {
		free(m);
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	}
	m->next = files;
	files = m;
	*path = m->path;
	return GT_OK;
}

gt_status study_open(const study_folder *f, const char *name, FILE **out)
{
	const char *path;
	GT_OR_RETURN(study_file(f, name, &path));
	*out = fopen(path, "w");
	return *out ? GT_OK : gt_fail(GT_ERR_IO, "%s/%s: cannot be written: %s", f->path, name, strerror(errno));
}

gt_status study_close(const char *name, FILE *out)
{
	const int bad = ferror(out);
	return fclose(out) || bad ? gt_fail(GT_ERR_IO, "%s: cannot be written: %s", name, strerror(errno)) : GT_OK;
}

gt_status study_arrays(const study_folder *f)
{
	if (arrays)
		return GT_OK;
	if (!(arrays = cli_text("%s/%.*s", f->tmp, (int)strlen(STUDY_ARRAYS) - 1, STUDY_ARRAYS)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	return mkdir(arrays, 0777) == 0 ? GT_OK : gt_fail(GT_ERR_IO, "%s: cannot make the folder: %s", arrays, strerror(errno));
}

int study_has_arrays(void) { return arrays != NULL; }

gt_status study_floats(const study_folder *f, const char *name, const double *x, size_t n)
{
	const char *path = FORMAT(STUDY_ARRAYS "%s.f32", name);
	FILE *out = NULL;
	GT_OR_RETURN(study_arrays(f));
	GT_OR_RETURN(study_open(f, path, &out));
	for (size_t i = 0; i < n; i++) {
		const float y = (float)x[i];
		fwrite(&y, sizeof y, 1, out);
	}
	return study_close(path, out);
}

gt_status study_draw(const study_folder *f, const char *name)
{
	const char *picture = FORMAT("%s.png", name), *log = FORMAT("%s.log", name);
	const char *log_path, *path;
	char message[256];
	GT_OR_RETURN(study_file(f, log, &log_path));
	GT_OR_RETURN(study_file(f, picture, &path));
	if (app_gnuplot(f->tmp, log, NULL, FORMAT("%s.gp", name)) != 0 || access(path, R_OK) != 0) {
		app_gnuplot_message(log_path, message, sizeof message);
		return gt_fail(GT_ERR_UNSUPPORTED, "gnuplot could not draw %s: %s", picture, message);
	}
	unlink(log_path);
	return GT_OK;
}
