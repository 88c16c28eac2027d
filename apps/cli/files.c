/* Text files, and the check that no command overwrites its inputs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "io/same_file.h"

static const char *text_of(const cli_option *o, const void *options)
{
	return *(const char *const *)(const void *)((const char *)options + o->at);
}

/* GT_ERR_ARG if the output of option o is the path `other`, described by `what`, or the data file that a header
 * names. An existing output is replaced together with its own data file. */
static gt_status differs(const cli_option *o, const char *path, const char *other, const char *what)
{
	if (!other)
		return GT_OK;
	if (gt_same_file(path, other))
		return gt_fail(GT_ERR_ARG, "--%s=%s: is the same file as %s, which would be overwritten: expected another name", o->name,
		               path, what);
	char *data = gt_data_file(other), *old = data ? gt_data_file(path) : NULL;
	gt_status st = GT_OK;
	if (data && (gt_same_file(path, data) || (old && gt_same_file(old, data))))
		st = gt_fail(GT_ERR_ARG, "--%s=%s: %s %s, the data file of %s, which would be overwritten: expected another name", o->name,
		             path, old ? "names" : "is", data, what);
	free(data);
	free(old);
	return st;
}

/* The folder of a path; the caller frees it. */
static gt_status parent_of(const char *path, char **out)
{
	const char *slash = strrchr(path, '/');
	*out = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	return *out ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
}

/* 1: the name of an output that may also be an image of a scan. */
static int may_be_image(const char *path)
{
	static const char *const kinds[] = { ".tif", ".tiff", ".npy", ".raw" };
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && i < sizeof kinds / sizeof *kinds; i++)
		if (!strcasecmp(dot, kinds[i]))
			return 1;
	return 0;
}

/* GT_ERR_ARG if the output replaces what may be an image or a field of an input folder. */
static gt_status outside(const cli_option *o, const char *path, const char *folder)
{
	struct stat s, f, above;
	char *parent = NULL;
	gt_status st = GT_OK;
	if (!may_be_image(path) || lstat(path, &s) || S_ISDIR(s.st_mode) || stat(folder, &f) || !S_ISDIR(f.st_mode))
		return GT_OK;
	GT_TRY(parent_of(path, &parent));
	if (stat(parent, &above) == 0 && above.st_dev == f.st_dev && above.st_ino == f.st_ino)
		st = gt_fail(GT_ERR_ARG,
		             "--%s=%s: is a file of the input folder, which would be overwritten: expected another name, or "
		             "remove it first",
		             o->name, path);
done:
	free(parent);
	return st;
}

static gt_status check_output(const cli_call *call, const void *options, const cli_option *o)
{
	const char *path = text_of(o, options);
	gt_status st = GT_OK;
	if (!path)
		return GT_OK;
	for (size_t i = call->command->words; i < call->files; i++) {
		GT_TRY(differs(o, path, call->file[i], "the input"));
		GT_TRY(outside(o, path, call->file[i]));
	}
	for (const cli_option *p = call->command->options; p->name; p++)
		if (p != o && (p->kind == CLI_INPUT || p->kind == CLI_OUTPUT)) {
			char what[64];
			snprintf(what, sizeof what, "that of --%s", p->name);
			GT_TRY(differs(o, path, text_of(p, options), what));
		}
done:
	return st;
}

gt_status cli_check_files(const cli_call *call, const void *options)
{
	gt_status st = GT_OK;
	for (const cli_option *o = call->command->options; o && o->name && st == GT_OK; o++)
		if (o->kind == CLI_OUTPUT)
			st = check_output(call, options, o);
	return st;
}

/* Length of the part of a path up to its last slash. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash - path) + 1 : 0;
}

gt_status cli_check_pattern(const cli_call *call)
{
	enum { MIN_IMAGES = 3 };
	const gt_format *format = NULL;
	int projections = 0;
	const size_t n = call->files ? folder_length(call->file[0]) : 0;
	if (call->files < MIN_IMAGES)
		return GT_OK;
	for (size_t i = 0; i < call->files; i++) {
		const char *dot = strrchr(call->file[i], '.'), *first = strrchr(call->file[0], '.');
		if (!dot || !first || strcmp(dot, first) || folder_length(call->file[i]) != n || strncmp(call->file[i], call->file[0], n))
			return GT_OK;
	}
	if (gt_file_kind(call->file[0], &format, &projections) != GT_OK || strcmp(format->name, "frames"))
		return GT_OK;
	return gt_fail(GT_ERR_ARG, "%zu images of one folder: expected the folder as one argument: gantry %s %.*s", call->files,
	               call->command->name, n ? (int)n : 1, n ? call->file[0] : ".");
}

gt_status cli_write_text(const char *path, void (*write)(FILE *f, const void *self), const void *self)
{
	char *tmp = NULL;
	FILE *file = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_tmp_path(path, &tmp));
	if (!(file = fopen(tmp, "w")))
		GT_TRY(gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno)));
	write(file, self);
	const int failed = ferror(file);
	if (fclose(file) != 0 || failed)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno)));
	return gt_tmp_commit(tmp, path);
done:
	if (tmp)
		gt_tmp_drop(tmp);
	return st;
}
