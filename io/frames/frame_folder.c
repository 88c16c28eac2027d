/* Which files of a folder are the views of a scan. Files are numbered: scan_9.tif comes before scan_10.tif, whatever
 * the order of letters. The names of flat and dark fields are those that programs at scanners and beamlines give. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include "core/try.h"
#include "io/external.h"
#include "io/frames/frame_folder.h"
#include "io/frames/frame_lists.h"
#include "io/frames/hnd_file.h"
#include "io/frames/ole2_file.h"
#include "io/write_kit/volume_units.h"

void gt_file_list_free(gt_file_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->path[i]);
	free(l->path);
	*l = (gt_file_list){ NULL, 0 };
}

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

/* A file, and its name around its last number. */
typedef struct {
	char *name;
	size_t digits, end; /* of the number, in the name */
	long long number;   /* -1: none */
} named_file;
typedef struct {
	named_file *list;
	size_t n;
} named_files;

static void free_items(named_files *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->list[i].name);
	free(l->list);
	*l = (named_files){ NULL, 0 };
}

/* Eighteen digits at most: what is longer is a date or a hash and not told apart from others. */
static void find_number(named_file *x)
{
	const char *dot = strrchr(x->name, '.');
	size_t end = dot ? (size_t)(dot - x->name) : strlen(x->name);
	while (end && !isdigit((unsigned char)x->name[end - 1]))
		end--;
	size_t begin = end;
	while (begin && isdigit((unsigned char)x->name[begin - 1]) && end - begin < 18)
		begin--;
	x->digits = begin;
	x->end = end;
	x->number = end > begin ? strtoll(x->name + begin, NULL, 10) : -1;
}

/* Before the number, after it, the number. */
static int group_order(const named_file *a, const named_file *b)
{
	const size_t shared = a->digits < b->digits ? a->digits : b->digits;
	const int before = strncmp(a->name, b->name, shared);
	if (before || a->digits != b->digits)
		return before ? before : a->digits < b->digits ? -1 : 1;
	return strcmp(a->name + a->end, b->name + b->end);
}

static int by_number(const void *a, const void *b)
{
	const named_file *x = a, *y = b;
	const int group = group_order(x, y);
	if (group)
		return group;
	return x->number != y->number ? (x->number < y->number ? -1 : 1) : strcmp(x->name, y->name);
}

static int is_one_of(const char *word, size_t n, const char *const *list)
{
	for (; *list; list++)
		if (strlen(*list) == n && !strncasecmp(word, *list, n))
			return 1;
	return 0;
}

enum { VIEW, FLAT, DARK };

/* Long words anywhere in the name, short ones at its start alone. */
static int kind_of(const char *name)
{
	static const char *const flats[] = { "flat", "flats", "flatfield", "white", "whites", "bright", "bak", NULL };
	static const char *const darks[] = { "dark", "darks", "darkfield", "drk", NULL };
	static const char *const first_flats[] = { "ff", "io", "ref", "gain", "open", NULL };
	static const char *const first_darks[] = { "df", "di", "offset", NULL };
	const char *at = name, *dot = strrchr(name, '.');
	while (at < dot) {
		size_t n = 0;
		while (at + n < dot && isalpha((unsigned char)at[n]))
			n++;
		if (is_one_of(at, n, flats) || (at == name && is_one_of(at, n, first_flats)))
			return FLAT;
		if (is_one_of(at, n, darks) || (at == name && is_one_of(at, n, first_darks)))
			return DARK;
		at += n ? n : 1;
	}
	return VIEW;
}

static gt_status out_of_memory(const char *path) { return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path); }

static gt_status add_item(const char *path, const char *name, named_files *l)
{
	if ((l->n & (l->n - 1)) == 0) {
		named_file *more = realloc(l->list, (l->n ? 2 * l->n : 1) * sizeof *more);
		if (!more)
			return out_of_memory(path);
		l->list = more;
	}
	named_file *x = &l->list[l->n];
	if (!(x->name = strdup(name)))
		return out_of_memory(path);
	find_number(x);
	l->n++;
	return GT_OK;
}

static char *joined(const char *folder, const char *name)
{
	const size_t n = strlen(folder) + strlen(name) + 2;
	char *path = malloc(n);
	if (path)
		snprintf(path, n, "%s%s%s", folder, *folder && folder[strlen(folder) - 1] == '/' ? "" : "/", name);
	return path;
}

/* The names in the folder, by what they are; names may be NULL. */
static gt_status list(const char *path, named_files kind[3], int *has_angles)
{
	gt_status st = GT_OK;
	DIR *folder = opendir(path);
	if (!folder)
		return gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno));
	for (struct dirent *d; st == GT_OK && (d = readdir(folder));) {
		*has_angles |= !strcmp(d->d_name, "angles.txt");
		if (gt_is_image_name(d->d_name))
			st = add_item(path, d->d_name, &kind[kind_of(d->d_name)]);
	}
	closedir(folder);
	for (int k = 0; k < 3 && st == GT_OK; k++)
		if (kind[k].n)
			qsort(kind[k].list, kind[k].n, sizeof *kind[k].list, by_number);
	return st;
}

static gt_status to_paths(const char *folder, const named_file *x, size_t n, gt_file_list *l)
{
	if (!(l->path = calloc(n ? n : 1, sizeof *l->path)))
		return out_of_memory(folder);
	for (l->n = 0; l->n < n;) {
		if (!(l->path[l->n] = joined(folder, x[l->n].name)))
			return out_of_memory(folder);
		const gt_status st = gt_external_entry(folder, l->path[l->n++]);
		if (st != GT_OK)
			return st;
	}
	return GT_OK;
}

/* The group with most files; *rival: the first of another one that has as many. */
static void largest_group(const named_files *l, size_t *first, size_t *n, const char **rival)
{
	*first = *n = 0;
	*rival = NULL;
	for (size_t i = 0, end; i < l->n; i = end) {
		for (end = i + 1; end < l->n && !group_order(&l->list[i], &l->list[end]);)
			end++;
		if (end - i == *n)
			*rival = l->list[i].name;
		if (end - i > *n) {
			*first = i;
			*n = end - i;
			*rival = NULL;
		}
	}
}

static gt_status check_numbers(const char *path, const named_file *x, size_t n, int gaps)
{
	for (size_t i = 1; i < n; i++) {
		if (x[i].number == x[i - 1].number)
			return gt_fail(GT_ERR_FORMAT, "%s: %s and %s have the same number: expected one file for each view", path,
			               x[i - 1].name, x[i].name);
		if (x[i].number != x[i - 1].number + 1 && !gaps)
			return gt_fail(GT_ERR_FORMAT,
			               "%s: number %lld is missing: %s is followed by %s (gaps are taken where that is asked for: --gaps)",
			               path, x[i - 1].number + 1, x[i - 1].name, x[i].name);
	}
	return GT_OK;
}

static gt_status take_scan(const char *path, const named_files *views, int gaps, const gt_read_options *o, gt_frame_folder *f)
{
	size_t first, n;
	const char *rival;
	gt_status st = GT_OK;
	largest_group(views, &first, &n, &rival);
	if (n == 0)
		return gt_fail(GT_ERR_FORMAT, "%s: holds no images but flat and dark fields", path);
	const named_file *x = views->list + first;
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
		gt_read_note(o, "%s: %zu images of other names than %s are left out", path, views->n - n, x->name);
done:
	return st;
}

gt_status gt_frame_folder_read(const char *path, int gaps, const gt_read_options *o, gt_frame_folder *f)
{
	named_files kind[3] = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
	gt_status st = GT_OK;
	int has_angles = 0;
	*f = (gt_frame_folder){ .first = 0 };
	GT_TRY(list(path, kind, &has_angles));
	GT_TRY(take_scan(path, &kind[VIEW], gaps, o, f));
	GT_TRY(to_paths(path, kind[FLAT].list, kind[FLAT].n, &f->flat));
	GT_TRY(to_paths(path, kind[DARK].list, kind[DARK].n, &f->dark));
	if (has_angles && !(f->angles = joined(path, "angles.txt")))
		GT_TRY(out_of_memory(path));
	if (has_angles)
		st = gt_external_entry(path, f->angles);
done:
	for (int k = 0; k < 3; k++)
		free_items(&kind[k]);
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

/* Of a folder's files those that are the fields asked for, by their names: others where none is named so. */
static gt_status pick_fields(const char *path, gt_field_kind field, const gt_read_options *o, const named_files kind[3], gt_file_list *l)
{
	const int wanted = field == GT_DARK_FIELD ? DARK : FLAT, other = wanted == DARK ? FLAT : DARK;
	named_files all = { NULL, 0 };
	gt_status st = GT_OK;
	for (int k = 0; k < 3 && st == GT_OK; k++)
		for (size_t i = 0; i < kind[k].n && st == GT_OK; i++)
			if (field == GT_ANY_FIELD || k == wanted || (k == VIEW && !kind[wanted].n))
				st = add_item(path, kind[k].list[i].name, &all);
	if (st == GT_OK && all.n == 0)
		st = gt_fail(GT_ERR_FORMAT, "%s: holds no images%s", path,
		             kind[FLAT].n + kind[DARK].n == 0 ? ""
		             : wanted == FLAT                 ? " but dark fields"
		                                              : " but flat fields");
	if (st == GT_OK && o && field != GT_ANY_FIELD && kind[other].n)
		gt_read_note(o, "%s: %zu %s fields are left out of the %s fields", path, kind[other].n, wanted == FLAT ? "dark" : "flat",
		             wanted == FLAT ? "flat" : "dark");
	if (st == GT_OK)
		st = to_paths(path, all.list, all.n, l);
	free_items(&all);
	return st;
}

gt_status gt_file_list_of(const char *path, gt_field_kind field, const gt_read_options *o, gt_file_list *l)
{
	named_files kind[3] = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
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
	if (has_angles && field != GT_ANY_FIELD && !kind[field == GT_DARK_FIELD ? DARK : FLAT].n)
		GT_TRY(gt_fail(GT_ERR_ARG, "%s: holds angles.txt, so its images are views: expected a folder of %s fields", path,
		               field == GT_DARK_FIELD ? "dark" : "flat"));
	st = pick_fields(path, field, o, kind, l);
done:
	for (int k = 0; k < 3; k++)
		free_items(&kind[k]);
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
