/* Selects the views and the flat and dark fields of a folder by the names of its files. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "core/try.h"
#include "io/external.h"
#include "io/frames/file_names.h"
#include "io/frames/frame_folder.h"
#include "io/frames/frame_lists.h"
#include "io/frames/hnd_file.h"
#include "io/frames/ole2_file.h"
#include "io/write_kit/volume_units.h"

gt_status gt_frames_read(const gt_frame_source *s, size_t first, size_t n, float *out)
{
	gt_status st = GT_OK;
	for (size_t i = 0; i < n && st == GT_OK; i++)
		st = s->read(s, first + i, 0, s->rows, out + i * s->rows * s->columns);
	return st;
}

void gt_frame_source_free(gt_frame_source *s)
{
	if (s)
		s->free(s);
}

int gt_is_image_name(const char *name)
{
	const char *dot = strrchr(name, '.');
	static const char *const names[] = { ".tif", ".tiff", ".edf", ".raw", ".his", ".xim", ".hnd", ".hnc" };
	for (size_t i = 0; name[0] != '.' && dot && i < sizeof names / sizeof *names; i++)
		if (!strcasecmp(dot, names[i]))
			return 1;
	return 0;
}

static gt_status out_of_memory(const char *path) { return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path); }

static char *joined(const char *folder, const char *name)
{
	const size_t n = strlen(folder) + strlen(name) + 2;
	char *path = malloc(n);
	if (path)
		snprintf(path, n, "%s%s%s", folder, *folder && folder[strlen(folder) - 1] == '/' ? "" : "/", name);
	return path;
}

/* As gt_named_files_add(), of a file in another list. */
static gt_status add_again(const char *path, const gt_named_file *x, gt_named_files *l)
{
	const gt_status st = gt_named_files_add(path, x->name, l);
	if (st == GT_OK)
		l->list[l->n - 1].is_file = x->is_file;
	return st;
}

static gt_status add_entry(const char *path, const struct dirent *d, gt_named_files *l)
{
	const gt_status st = gt_named_files_add(path, d->d_name, l);
	if (st == GT_OK)
		l->list[l->n - 1].is_file = d->d_type == DT_REG;
	return st;
}

/* Lists the names in the folder by kind. */
static gt_status list(const char *path, gt_named_files kind[3], int *has_angles)
{
	gt_status st = GT_OK;
	DIR *folder = opendir(path);
	if (!folder)
		return gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno));
	for (struct dirent *d; st == GT_OK && (d = readdir(folder));) {
		*has_angles |= !strcmp(d->d_name, "angles.txt");
		if (gt_is_image_name(d->d_name))
			st = add_entry(path, d, &kind[gt_name_kind(d->d_name)]);
	}
	closedir(folder);
	for (int k = 0; k < 3 && st == GT_OK; k++)
		gt_named_files_sort(&kind[k]);
	return st;
}

char *gt_first_image(const char *path)
{
	gt_named_files first = { NULL, 0 };
	DIR *folder = opendir(path);
	gt_status st = folder ? GT_OK : GT_ERR_IO;
	for (struct dirent *d; st == GT_OK && (d = readdir(folder));) {
		const int is_image = gt_is_image_name(d->d_name), kind = is_image ? gt_name_kind(d->d_name) : 0;
		const int order = first.n && is_image ? kind - gt_name_kind(first.list[0].name) : 0;
		if (!is_image || order > 0)
			continue;
		if (order < 0)
			gt_named_files_free(&first);
		st = add_entry(path, d, &first);
		gt_named_files_sort(&first);
		for (; first.n > 1; first.n--)
			free(first.list[first.n - 1].name);
	}
	if (folder)
		closedir(folder);
	char *file = st == GT_OK && first.n ? joined(path, first.list[0].name) : NULL;
	if (file && !first.list[0].is_file && gt_external_entry(path, file) != GT_OK) {
		free(file);
		file = NULL;
	}
	gt_named_files_free(&first);
	return file;
}

static gt_status to_paths(const char *folder, const gt_named_file *x, size_t n, gt_file_list *l)
{
	if (!(l->path = calloc(n ? n : 1, sizeof *l->path)))
		return out_of_memory(folder);
	while (l->n < n) {
		const size_t i = l->n;
		if (!(l->path[i] = joined(folder, x[i].name)))
			return out_of_memory(folder);
		l->n++;
		const gt_status st = x[i].is_file ? GT_OK : gt_external_entry(folder, l->path[i]);
		if (st != GT_OK)
			return st;
	}
	return GT_OK;
}

static gt_status check_numbers(const char *path, const gt_named_file *x, size_t n, int gaps)
{
	for (size_t i = 1; i < n; i++) {
		if (x[i].number == x[i - 1].number)
			return gt_fail(GT_ERR_FORMAT, "%s: %s and %s have the same number: expected one file for each view", path,
			               x[i - 1].name, x[i].name);
		if (x[i].number != x[i - 1].number + 1 && !gaps)
			return gt_fail(GT_ERR_FORMAT, "%s: number %lld is missing: %s is followed by %s (--gaps accepts gaps)", path,
			               x[i - 1].number + 1, x[i - 1].name, x[i].name);
	}
	return GT_OK;
}

static gt_status take_scan(const char *path, gt_named_files *views, int gaps, const gt_read_options *o, gt_frame_folder *f)
{
	size_t first, n;
	const char *rival;
	gt_status st = GT_OK;
	gt_named_files_group(views, &first, &n, &rival);
	if (n == 0)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: holds no images but flat and dark fields by their names: if they are views, "
		               "set --flat and --dark (FILE or none)",
		               path);
	const gt_named_file *x = views->list + first;
	if (rival)
		return gt_fail(GT_ERR_FORMAT, "%s: %s and %s belong to groups of %zu file%s each: expected one scan in a folder", path,
		               x->name, rival, n, n == 1 ? "" : "s");
	GT_TRY(check_numbers(path, x, n, gaps));
	GT_TRY(to_paths(path, x, n, &f->scan));
	if (!(f->number = malloc(n * sizeof *f->number)))
		GT_TRY(out_of_memory(path));
	for (size_t i = 0; i < n; i++)
		f->number[i] = x[i].number < 0 ? 0 : x[i].number;
	f->numbers = n;
	f->first = f->number[0];
	f->last = f->number[n - 1];
	if (n < views->n)
		gt_read_note(o, "%s: %zu images of other names than %s are ignored", path, views->n - n, x->name);
done:
	return st;
}

/* With --flat or --dark, files named like these fields are views if no other files exist, or only one. */
static gt_status take_named_fields(const char *path, const gt_frames_options *g, gt_named_files kind[3])
{
	const int is_given[3] = { 0, g && g->flat, g && g->dark };
	gt_status st = GT_OK;
	if (kind[GT_NAME_VIEW].n > 1)
		return GT_OK;
	for (int k = GT_NAME_FLAT; k <= GT_NAME_DARK; k++) {
		for (size_t i = 0; is_given[k] && i < kind[k].n && st == GT_OK; i++)
			st = add_again(path, &kind[k].list[i], &kind[GT_NAME_VIEW]);
		if (is_given[k])
			gt_named_files_free(&kind[k]);
	}
	gt_named_files_sort(&kind[GT_NAME_VIEW]);
	return st;
}

gt_status gt_frame_folder_read(const char *path, int gaps, const gt_read_options *o, gt_frame_folder *f)
{
	gt_named_files kind[3] = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
	gt_status st = GT_OK;
	int has_angles = 0;
	*f = (gt_frame_folder){ .first = 0 };
	GT_TRY(list(path, kind, &has_angles));
	GT_TRY(take_named_fields(path, o->frames, kind));
	GT_TRY(take_scan(path, &kind[GT_NAME_VIEW], gaps, o, f));
	GT_TRY(to_paths(path, kind[GT_NAME_FLAT].list, kind[GT_NAME_FLAT].n, &f->flat));
	GT_TRY(to_paths(path, kind[GT_NAME_DARK].list, kind[GT_NAME_DARK].n, &f->dark));
	if (has_angles && !(f->angles = joined(path, "angles.txt")))
		GT_TRY(out_of_memory(path));
	if (has_angles)
		st = gt_external_entry(path, f->angles);
done:
	for (int k = 0; k < 3; k++)
		gt_named_files_free(&kind[k]);
	if (st != GT_OK)
		gt_frame_folder_free(f);
	return st;
}

void gt_frame_folder_free(gt_frame_folder *f)
{
	gt_file_list_free(&f->scan);
	gt_file_list_free(&f->flat);
	gt_file_list_free(&f->dark);
	free(f->number);
	free(f->angles);
	*f = (gt_frame_folder){ .first = 0 };
}

/* Selects the files of a folder that are named as the requested fields; if none is, all files with neutral names. */
static gt_status pick_fields(const char *path, gt_field_kind field, const gt_read_options *o, const gt_named_files kind[3], gt_file_list *l)
{
	const int wanted = field == GT_DARK_FIELD ? GT_NAME_DARK : GT_NAME_FLAT,
		  other = wanted == GT_NAME_DARK ? GT_NAME_FLAT : GT_NAME_DARK;
	gt_named_files all = { NULL, 0 };
	gt_status st = GT_OK;
	for (int k = 0; k < 3 && st == GT_OK; k++)
		for (size_t i = 0; i < kind[k].n && st == GT_OK; i++)
			if (field == GT_ANY_FIELD || k == wanted || (k == GT_NAME_VIEW && !kind[wanted].n))
				st = add_again(path, &kind[k].list[i], &all);
	if (st == GT_OK && all.n == 0)
		st = gt_fail(GT_ERR_FORMAT, "%s: holds no images%s", path,
		             kind[GT_NAME_FLAT].n + kind[GT_NAME_DARK].n == 0 ? ""
		             : wanted == GT_NAME_FLAT                         ? " but dark fields"
		                                                              : " but flat fields");
	if (st == GT_OK && o && field != GT_ANY_FIELD && kind[other].n)
		gt_read_note(o, "%s: %zu %s fields are excluded from the %s fields", path, kind[other].n,
		             wanted == GT_NAME_FLAT ? "dark" : "flat", wanted == GT_NAME_FLAT ? "flat" : "dark");
	if (st == GT_OK)
		st = to_paths(path, all.list, all.n, l);
	gt_named_files_free(&all);
	return st;
}

gt_status gt_file_list_of(const char *path, gt_field_kind field, const gt_read_options *o, gt_file_list *l)
{
	gt_named_files kind[3] = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
	struct stat s;
	gt_status st = GT_OK;
	int has_angles = 0;
	*l = (gt_file_list){ NULL, 0 };
	if (stat(path, &s) != 0)
		return gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(s.st_mode)) {
		if (!(l->path = calloc(1, sizeof *l->path)) || !(l->path[0] = strdup(path)))
			GT_TRY(out_of_memory(path));
		l->n = 1;
		return GT_OK;
	}
	GT_TRY(list(path, kind, &has_angles));
	if (has_angles && field != GT_ANY_FIELD && !kind[field == GT_DARK_FIELD ? GT_NAME_DARK : GT_NAME_FLAT].n)
		GT_TRY(gt_fail(GT_ERR_ARG, "%s: holds angles.txt, so its images are views: expected a folder of %s fields", path,
		               field == GT_DARK_FIELD ? "dark" : "flat"));
	st = pick_fields(path, field, o, kind, l);
done:
	for (int k = 0; k < 3; k++)
		gt_named_files_free(&kind[k]);
	if (st != GT_OK)
		gt_file_list_free(l);
	return st;
}

int gt_is_frames(const char *path)
{
	struct stat s;
	int found = 0;
	if (stat(path, &s) != 0)
		return 0;
	if (!S_ISDIR(s.st_mode))
		return gt_is_tiff(path) || gt_is_npy(path) || gt_is_ole2(path) || gt_is_edf(path) || gt_is_raw_name(path) ||
		       gt_is_his(path) || gt_is_xim(path) || gt_is_hnd(path);
	DIR *folder = opendir(path);
	for (struct dirent *d; folder && !found && (d = readdir(folder));)
		found = gt_is_image_name(d->d_name);
	if (folder)
		closedir(folder);
	return found;
}
