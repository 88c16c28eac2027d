/* External data of HDF5 files: "HDF5 File Format Specification Version 3.0", IV.A.2.g "The Link Message", IV.A.2.h "The
 * Data Storage - External Data Files Message", IV.A.2.i "The Data Layout Message", class virtual. */
#include "core/files/opener.h"
#include "core/try.h"
#include "io/external.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/hdf5/hdf5_file.h"
#include "io/hdf5/hdf5_holes.h"
#include "io/hdf5/hdf5_source.h"
#include "io/netcdf/nc.h"
#include "io/probe.h"

enum { MAX_DEPTH = 64, MAX_LINKS = 1 << 20, MAX_NAME = 1024 };
/* libnetcdf takes 24 kB and 0.1 ms for each group or data set, needed or not. MIN_OBJECTS are taken in any case, and
 * one more for each BYTES_PER_OBJECT of the file. */
enum { MIN_OBJECTS = 2048, BYTES_PER_OBJECT = 1 << 16 };
/* Likewise attributes, for 0.1 ms each. */
enum { MIN_ATTRIBUTES = 8192, BYTES_PER_ATTRIBUTE = 1 << 13 };

typedef struct {
	char *path;
	int has_virtual, is_source; /* holds virtual data sets; virtual data sets read from it */
} linked_file;

typedef struct {
	unsigned long file;
	haddr_t address;
} object_id;

/* Files to walk: the user's first, then those that it refers to. */
typedef struct {
	linked_file *file;
	size_t files, links;
	size_t objects, max_objects, attributes, max_attributes; /* in the file that is being walked, once for each path */
	size_t current;                                          /* index of the file that is being walked */
	const char *path;                                        /* file of the group that is being walked, which a link may lead to */
	object_id above[MAX_DEPTH + 1];                          /* groups from the root down to this group */
	size_t depth;
	char name[MAX_NAME]; /* path of this group, for messages; truncated */
	gt_status status;
} walk;

static gt_status out_of_memory(const char *path) { return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path); }

static void add_limits(walk *w, const char *path)
{
	size_t size = 0;
	gt_file_size(path, &size);
	w->max_objects += size / BYTES_PER_OBJECT;
	w->max_attributes += size / BYTES_PER_ATTRIBUTE;
}

static gt_status add(walk *w, const char *file, int is_source)
{
	char *real = realpath(file, NULL);
	for (size_t i = 1; real && i < w->files; i++)
		if (!strcmp(w->file[i].path, real)) {
			w->file[i].is_source |= is_source;
			free(real);
			return GT_OK;
		}
	linked_file *more = real ? realloc(w->file, (w->files + 1) * sizeof *more) : NULL;
	if (more) {
		w->file = more;
		w->file[w->files++] = (linked_file){ real, 0, is_source };
		add_limits(w, real);
		return GT_OK;
	}
	free(real);
	return out_of_memory(w->file[0].path);
}

/* Checks the file if it exists; *found counts those that the library can open. */
static gt_status try_at(walk *w, const char *what, const char *file, int is_source, int *found)
{
	gt_status st = GT_OK;
	char *real = realpath(file, NULL);
	if (!real && errno == ENOMEM)
		GT_TRY(out_of_memory(w->path));
	if (!real)
		goto done;
	GT_TRY(gt_external_check(w->file[0].path, what, file));
	*found += gt_hdf5_is(file);
	st = add(w, file, is_source);
done:
	free(real);
	return st;
}

/* Checks every file that the library may open for this name. A name without a target is harmless until its data are
 * read (hdf5_holes.h). libhdf5 tries folders only if no absolute name exists. It tries the current directory only if no
 * folder has the file. */
static gt_status check_file(walk *w, const char *what, const char *name, int is_source)
{
	int found = 0;
	gt_hdf5_places p;
	gt_status st = gt_hdf5_source_places(w->path, name, &p);
	for (int i = 0; i < p.n && st == GT_OK; i++)
		if (!found || (i < p.n - 1 && !(name[0] == '/' && i == 1)))
			st = try_at(w, what, p.file[i], is_source, &found);
		else
			break;
	gt_hdf5_source_free(&p);
	return st;
}

static gt_status unreadable(const walk *w, const char *what)
{
	return gt_fail(GT_ERR_FORMAT, "%s: %s: cannot be read, damaged", w->path, what);
}

static gt_status check_link(walk *w, hid_t group, const char *name, size_t size)
{
	gt_status st = GT_OK;
	unsigned flags;
	const char *file, *object;
	char *value = malloc(size + 1);
	if (!value)
		return out_of_memory(w->path);
	if (H5Lget_val(group, name, value, size, H5P_DEFAULT) < 0 || H5Lunpack_elink_val(value, size, &flags, &file, &object) < 0)
		GT_TRY(unreadable(w, name));
	st = check_file(w, name, file, 0);
done:
	free(value);
	return st;
}

static gt_status check_source(walk *w, hid_t list, size_t i, const char *name)
{
	gt_status st = GT_OK;
	const ssize_t n = H5Pget_virtual_filename(list, i, NULL, 0);
	char *file = n >= 0 ? malloc((size_t)n + 1) : NULL;
	if (n >= 0 && !file)
		return out_of_memory(w->path);
	if (n < 0 || H5Pget_virtual_filename(list, i, file, (size_t)n + 1) < 0)
		GT_TRY(unreadable(w, name));
	if (strchr(file, '%') && !gt_external_allowed())
		GT_TRY(gt_fail(GT_ERR_FORMAT,
		               "%s: %s: its data lie in the files %s, a pattern that cannot be checked: set GANTRY_ALLOW_EXTERNAL=1 if you "
		               "trust this file",
		               w->path, name, file));
	if (!strcmp(file, "."))
		w->file[w->current].is_source = 1;
	else if (!strchr(file, '%'))
		st = check_file(w, name, file, 1);
done:
	free(file);
	return st;
}

static gt_status check_dataset(walk *w, hid_t id, const char *name)
{
	gt_status st = GT_OK;
	size_t sources = 0;
	const hid_t list = H5Dget_create_plist(id);
	const int stored = list < 0 ? -1 : H5Pget_external_count(list);
	const H5D_layout_t layout = list < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(list);
	if (stored < 0 || layout == H5D_LAYOUT_ERROR || (layout == H5D_VIRTUAL && H5Pget_virtual_count(list, &sources) < 0))
		GT_TRY(unreadable(w, name));
	if (stored > 0 && !gt_external_allowed())
		GT_TRY(gt_fail(
			GT_ERR_FORMAT,
			"%s: %s: its data lie in another file, by external storage: write them into the file (h5repack does), or set "
			"GANTRY_ALLOW_EXTERNAL=1 if you trust this file",
			w->path, name));
	w->file[w->current].has_virtual |= layout == H5D_VIRTUAL;
	for (size_t i = 0; i < sources; i++)
		GT_TRY(check_source(w, list, i, name));
done:
	if (list >= 0)
		H5Pclose(list);
	return st;
}

static object_id id_of(hid_t object)
{
	H5O_info_t info = { .fileno = 0 };
#if H5_VERSION_GE(1, 10, 3)
	H5Oget_info2(object, &info, H5O_INFO_BASIC);
#else
	H5Oget_info(object, &info);
#endif
	return (object_id){ info.fileno, info.addr };
}

static gt_status count_attributes(walk *w, hid_t object)
{
	const int n = H5Aget_num_attrs(object);
	w->attributes += n > 0 ? (size_t)n : 0;
	if (w->attributes > w->max_attributes)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: holds more than %zu attributes: expected a file of one scan or volume: copy those of the scan into a "
		               "file of their own (h5copy)",
		               w->path, w->max_attributes);
	return GT_OK;
}

static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *self);

static gt_status walk_members(walk *w, hid_t group)
{
	if (H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, visit, w) < 0 && w->status == GT_OK)
		w->status = gt_fail(GT_ERR_FORMAT, "%s: the groups in %s/ cannot be read, damaged", w->path, w->name);
	return w->status;
}

/* Walks a group that hard, soft or external links lead to, as libnetcdf does: it would follow a cycle until its stack
 * overflows. */
static gt_status walk_group(walk *w, hid_t group, const char *name)
{
	const object_id id = id_of(group);
	const size_t length = strlen(w->name);
	const char *path = w->path;
	char *file = NULL;
	gt_status st = GT_OK;
	for (size_t d = 0; d <= w->depth; d++)
		if (w->above[d].file == id.file && w->above[d].address == id.address)
			return gt_fail(GT_ERR_FORMAT,
			               "%s: the link %s/%.80s leads back to a group that contains it: expected groups without cycles: "
			               "remove the link, or copy the scan into a file of its own (h5copy)",
			               w->path, w->name, name);
	if (w->depth == MAX_DEPTH)
		return gt_fail(GT_ERR_FORMAT, "%s: damaged: more than %d groups in each other", w->path, MAX_DEPTH);
	if (id.file != w->above[w->depth].file) {
		const ssize_t n = H5Fget_name(group, NULL, 0);
		if (!(file = n > 0 ? calloc((size_t)n + 1, 1) : NULL))
			return out_of_memory(w->path);
		H5Fget_name(group, file, (size_t)n + 1);
		w->path = file;
	}
	snprintf(w->name + length, sizeof w->name - length, "/%s", name);
	w->above[++w->depth] = id;
	st = walk_members(w, group);
	w->depth--;
	w->name[length] = 0;
	w->path = path;
	free(file);
	return st;
}

static gt_status check_one(walk *w, hid_t group, const char *name, const H5L_info_t *info)
{
	gt_status st = GT_OK;
	if (++w->links > MAX_LINKS)
		return gt_fail(GT_ERR_FORMAT, "%s: damaged: more than %d links", w->path, MAX_LINKS);
	if (info->type == H5L_TYPE_EXTERNAL && (st = check_link(w, group, name, info->u.val_size)) != GT_OK)
		return st;
	/* other types are application-defined */
	if (info->type != H5L_TYPE_HARD && info->type != H5L_TYPE_SOFT && info->type != H5L_TYPE_EXTERNAL)
		return GT_OK;
	if (++w->objects > w->max_objects)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: holds more than %zu groups and data sets: expected a file of one scan or volume: copy those of the "
		               "scan into a file of their own (h5copy)",
		               w->path, w->max_objects);
	const hid_t id = H5Oopen(group, name, H5P_DEFAULT);
	if (id < 0) /* soft and external links may lead nowhere */
		return info->type == H5L_TYPE_HARD ? unreadable(w, name) : GT_OK;
	if ((st = count_attributes(w, id)) == GT_OK && H5Iget_type(id) == H5I_GROUP)
		st = walk_group(w, id, name);
	else if (st == GT_OK && H5Iget_type(id) == H5I_DATASET && w->above[w->depth].file == w->above[0].file &&
	         info->type == H5L_TYPE_HARD)
		st = check_dataset(w, id, name);
	H5Oclose(id);
	return st;
}

static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *self)
{
	walk *w = self;
	return (w->status = check_one(w, group, name, info)) != GT_OK;
}

/* The reader reports files that cannot be opened. */
static gt_status walk_file(walk *w, size_t i)
{
	const char *path = w->file[i].path;
	const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), root = file < 0 ? -1 : H5Gopen2(file, "/", H5P_DEFAULT);
	w->path = path;
	w->status = GT_OK;
	w->current = i;
	w->objects = w->attributes = w->depth = 0;
	w->name[0] = 0;
	w->max_objects = MIN_OBJECTS;
	w->max_attributes = MIN_ATTRIBUTES;
	add_limits(w, path);
	if (root >= 0) {
		w->above[0] = id_of(root);
		if ((w->status = count_attributes(w, root)) == GT_OK)
			walk_members(w, root);
		H5Gclose(root);
	}
	if (file >= 0)
		H5Fclose(file);
	return w->status;
}

static herr_t visit_virtual(hid_t group, const char *name, const H5L_info_t *info, void *self)
{
	walk *w = self;
	gt_hdf5_holes h = { .n = 0 };
	const hid_t data = info->type == H5L_TYPE_HARD ? H5Dopen2(group, name, H5P_DEFAULT) : -1;
	if (data >= 0) {
		w->status = gt_hdf5_find_holes(data, w->path, name, 1, &h);
		gt_hdf5_holes_free(&h);
		H5Dclose(data);
	}
	return w->status != GT_OK;
}

/* Virtual data sets that read from files of virtual data sets may read from themselves; libhdf5 would recurse until its
 * stack overflows. All their files have passed gt_external_check(). */
static gt_status check_virtual(walk *w)
{
	int nested = 0;
	w->status = GT_OK;
	for (size_t i = 0; i < w->files; i++)
		nested |= w->file[i].has_virtual && w->file[i].is_source;
	for (size_t i = 0; nested && i < w->files && w->status == GT_OK; i++) {
		const hid_t file = w->file[i].has_virtual ? H5Fopen(w->file[i].path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
		w->path = w->file[i].path;
		if (file >= 0) {
			H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit_virtual, w);
			H5Fclose(file);
		}
	}
	return w->status;
}

static gt_status check_all(const char *path)
{
	gt_status st = GT_OK;
	walk w = { .path = path };
	const gt_hdf5_quiet quiet = gt_hdf5_hush();
	w.file = calloc(1, sizeof *w.file);
	if (!w.file || !(w.file[0].path = strdup(path)))
		GT_TRY(out_of_memory(path));
	w.files = 1;
	for (size_t i = 0; i < w.files; i++)
		GT_TRY(walk_file(&w, i));
	st = check_virtual(&w);
done:
	for (size_t i = 0; i < w.files; i++)
		free(w.file[i].path);
	free(w.file);
	gt_hdf5_unhush(&quiet);
	return st;
}

/* In a child process: this walk, then the readers' own. */
static gt_status try_all(const char *path)
{
	const gt_status st = check_all(path);
	return st == GT_OK ? gt_nc_walk(path) : st;
}

gt_status gt_external_hdf5(const char *path)
{
	/* the libraries open the path again, and would block on a pipe */
	if (!gt_hdf5_is(path))
		return gt_file_check(path);
	const gt_status st = gt_probe(path, "HDF5's library", try_all);
	return st == GT_OK ? check_all(path) : st;
}
