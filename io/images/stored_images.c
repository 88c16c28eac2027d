/* Images as they are stored, before their geometry is known, and the vendor's file next to them. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <gantry/array.h>
#include "core/arguments.h"
#include "core/text.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "io/dispatch.h"
#include "io/external.h"
#include "io/file_lock.h"
#include "io/frames/frame_folder.h"
#include "io/frames/frame_lists.h"
#include "io/geometry/geometry_files.h"
#include "io/table.h"
#include "io/view_reader.h"

/* Omits fields, angles and geometry. */
static gt_status without_geometry(const char *path, const gt_read_options *given, gt_frames_options *frames, gt_read_options *o)
{
	gt_status st = gt_complete_read_options(path, given, o);
	if (st == GT_OK)
		st = gt_frames_complete(path, o->frames, frames);
	frames->values = GT_FRAMES_LINE_INTEGRALS;
	frames->flat = frames->dark = "none";
	frames->flat_after = frames->flat_at = frames->angles = frames->geometry = frames->air = NULL;
	frames->white = frames->source_to_axis = frames->source_to_detector = 0;
	frames->gaps = 1;
	o->frames = frames;
	return st;
}

/* A stack of images: views without angles, pixels of 1 mm. */
static gt_status new_stack(size_t images, const size_t size[3], gt_projections **out)
{
	gt_projections *p = gt_projections_blank();
	gt_status st = p ? gt_scan_new(GT_PARALLEL, images, size[1], size[2], &p->scan) : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	GT_TRY(gt_host_has_memory((double)images * (double)(size[1] * size[2]) * sizeof *p->data, "the images"));
	p->scan->column_pitch = p->scan->row_pitch = 1;
	p->scan->column_center = (double)(size[2] - 1) / 2;
	p->scan->row_center = (double)(size[1] - 1) / 2;
	for (size_t i = 0; i < images; i++) {
		gt_view *v = &p->scan->view[i];
		*v = (gt_view){
			.angle = NAN, .source = { 0, -1, 0 }, .detector = { 0, 1, 0 }, .column_axis = { 1, 0, 0 }, .row_axis = { 0, 0, -1 }
		};
	}
	if (!(p->data = malloc(images * size[1] * size[2] * sizeof *p->data)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory for %zu images", images));
	*out = p;
	return GT_OK;
done:
	gt_projections_free(p);
	return st;
}

/* Reads every each-th image. */
static gt_status fill(gt_view_reader *v, const gt_read_options *o, size_t each, const gt_projections *p)
{
	const size_t images = p->scan->views, pixels = v->size[1] * v->size[2];
	gt_status st = GT_OK;
	for (size_t i = 0; i < images && st == GT_OK; i++) {
		st = gt_view_reader_read(v, i * each, 1, 0, v->size[1], p->data + i * pixels);
		if (st == GT_OK && o->progress && o->progress(o->progress_self, (double)i / (double)images))
			st = gt_fail(GT_STOPPED, "%s: stopped", v->path);
	}
	return st;
}

static gt_status read_images(const char *path, const gt_read_options *given, size_t max, gt_projections **out, size_t *each)
{
	const gt_format *format = NULL;
	gt_frames_options frames;
	gt_read_options o;
	gt_view_reader *v = NULL;
	gt_status st = without_geometry(path, given, &frames, &o);
	if (st == GT_OK)
		st = gt_format_of(path, &format);
	if (st == GT_OK && format->open_scan != gt_format_frames.open_scan)
		st = gt_fail(GT_ERR_UNSUPPORTED, "%s: is a %s file: expected images", path, format->about);
	if (st == GT_OK)
		st = format->open_views(path, &o, NULL, &v);
	if (st != GT_OK)
		return st;
	const size_t pixels = v->size[1] * v->size[2], fit = max / pixels ? max / pixels : 1;
	const size_t step = max && v->size[0] > fit ? (v->size[0] + fit - 1) / fit : 1;
	st = gt_fail_in(new_stack((v->size[0] + step - 1) / step, v->size, out), "%s", path);
	if (st == GT_OK && (st = fill(v, &o, step, *out)) != GT_OK) {
		gt_projections_free(*out);
		*out = NULL;
	}
	if (st == GT_OK)
		*each = step;
	gt_view_reader_close(v);
	return st;
}

gt_status gt_read_images(const char *path, const gt_read_options *o, size_t max, gt_projections **p, size_t *each)
{
	GT_NEED(path);
	GT_NEED(p);
	GT_NEED(each);
	GT_FILE_LOCKED(read_images(path, o, max, p, each));
}

/* Folder of path: itself, or its part before the last slash. */
static char *folder_of(const char *path)
{
	struct stat s;
	const char *slash = strrchr(path, '/');
	if (stat(path, &s) == 0 && S_ISDIR(s.st_mode))
		return gt_text("%s", path);
	return slash ? gt_text("%.*s", (int)(slash - path), path) : gt_text(".");
}

/* Files opened at most: a folder of a scan holds few files other than images. */
enum { MAX_TRIED = 256 };

typedef struct {
	char *name;
	size_t alike; /* files with the same extension */
} other_file;

typedef struct {
	other_file *list;
	size_t n, size;
} other_files;

static const char *extension_of(const other_file *x) { return strrchr(x->name, '.'); }

static int by_extension(const void *a, const void *b)
{
	const int order = strcmp(extension_of(a), extension_of(b));
	return order ? order : strcmp(((const other_file *)a)->name, ((const other_file *)b)->name);
}

static int by_rarity(const void *a, const void *b)
{
	const other_file *x = a, *y = b;
	return x->alike != y->alike ? (x->alike > y->alike) - (x->alike < y->alike) : by_extension(a, b);
}

/* NumPy files are fields or angles as often as vectors. */
static int may_be_geometry(const char *name)
{
	const char *dot = strrchr(name, '.');
	return name[0] != '.' && dot && !gt_is_image_name(name) && strcasecmp(dot, ".npy") != 0;
}

static int add_other(other_files *l, const char *name)
{
	if (l->n == l->size) {
		const size_t size = l->size ? 2 * l->size : 64;
		other_file *more = realloc(l->list, size * sizeof *more);
		if (!more)
			return 0;
		l->list = more;
		l->size = size;
	}
	l->list[l->n] = (other_file){ .name = strdup(name) };
	return l->list[l->n].name && ++l->n;
}

/* Sorts the files: those of rare extensions first, since one geometry file describes many other files. */
static void sort_others(other_files *l)
{
	if (!l->n)
		return;
	qsort(l->list, l->n, sizeof *l->list, by_extension);
	for (size_t i = 0, end; i < l->n; i = end) {
		for (end = i + 1; end < l->n && !strcmp(extension_of(&l->list[i]), extension_of(&l->list[end]));)
			end++;
		for (size_t k = i; k < end; k++)
			l->list[k].alike = end - i;
	}
	qsort(l->list, l->n, sizeof *l->list, by_rarity);
}

static int is_geometry(const char *folder, const char *file)
{
	struct stat s;
	return stat(file, &s) == 0 && S_ISREG(s.st_mode) && gt_external_entry(folder, file) == GT_OK && gt_geometry_probe(file);
}

char *gt_find_geometry_file(const char *path)
{
	char *folder = path ? folder_of(path) : NULL, *found = NULL;
	DIR *dir = folder ? opendir(folder) : NULL;
	other_files all = { .n = 0 };
	int ok = 1;
	for (const struct dirent *d; dir && ok && (d = readdir(dir));)
		ok = !may_be_geometry(d->d_name) || add_other(&all, d->d_name);
	if (dir)
		closedir(dir);
	sort_others(&all);
	for (size_t i = 0; i < all.n && i < MAX_TRIED && !found; i++) {
		char *file = gt_text("%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", all.list[i].name);
		if (file && is_geometry(folder, file))
			found = file;
		else
			free(file);
	}
	for (size_t i = 0; i < all.n; i++)
		free(all.list[i].name);
	free(all.list);
	free(folder);
	return found;
}
