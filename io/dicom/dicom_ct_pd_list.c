/* Lists the files of a DICOM-CT-PD scan: selects the views and reads their headers. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/try.h"
#include "io/dicom/dicom_ct_pd.h"
#include "io/external.h"
#include "io/write_kit/volume_units.h"

enum { GRAIN = 16 };

void gt_ctpd_work_start(gt_ctpd_work *w, size_t all)
{
	w->all = all;
	w->done = w->failed = 0;
	w->st = GT_OK;
	w->why[0] = 0;
	pthread_mutex_init(&w->lock, NULL);
}

int gt_ctpd_work_wants(gt_ctpd_work *w, size_t i)
{
	pthread_mutex_lock(&w->lock);
	const int wants = w->st == GT_OK || i < w->failed;
	pthread_mutex_unlock(&w->lock);
	return wants;
}

static void failed(gt_ctpd_work *w, size_t i, gt_status st)
{
	if (w->st != GT_OK && i >= w->failed)
		return;
	w->st = st;
	w->failed = i;
	snprintf(w->why, sizeof w->why, "%s", gt_error());
}

void gt_ctpd_work_did(gt_ctpd_work *w, size_t i, gt_status st, int worker)
{
	pthread_mutex_lock(&w->lock);
	if (st != GT_OK)
		failed(w, i, st);
	const double done = w->from + (w->to - w->from) * (double)++w->done / (double)w->all;
	pthread_mutex_unlock(&w->lock);
	if (worker != 0 || !w->progress || !w->progress(w->self, done))
		return;
	pthread_mutex_lock(&w->lock);
	failed(w, 0, gt_fail(GT_STOPPED, "stopped"));
	pthread_mutex_unlock(&w->lock);
}

gt_status gt_ctpd_work_end(gt_ctpd_work *w)
{
	pthread_mutex_destroy(&w->lock);
	return w->st == GT_OK ? GT_OK : gt_fail(w->st, "%s", w->why);
}

/* Names --------------------------------------------------------------- */

static gt_status add_file(gt_ctpd_set *s, const char *folder, const char *name, size_t *room)
{
	if (s->files == *room) {
		const size_t more = *room ? 2 * *room : 1024;
		gt_ctpd_file *file = realloc(s->file, more * sizeof *file);
		if (!file)
			return gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->path);
		s->file = file;
		*room = more;
	}
	const size_t size = strlen(folder) + strlen(name) + 2;
	char *path = malloc(size);
	if (!path)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->path);
	snprintf(path, size, "%s%s%s", folder, *folder && folder[strlen(folder) - 1] != '/' ? "/" : "", name);
	s->file[s->files++] = (gt_ctpd_file){ .path = path };
	return GT_OK;
}

static int by_path(const void *a, const void *b) { return strcmp(((const gt_ctpd_file *)a)->path, ((const gt_ctpd_file *)b)->path); }

gt_status gt_ctpd_names(gt_ctpd_set *s)
{
	gt_status st = GT_OK;
	struct stat is;
	size_t room = 0;
	if (stat(s->path, &is) == 0 && !S_ISDIR(is.st_mode))
		return add_file(s, "", s->path, &room);
	DIR *dir = opendir(s->path);
	if (!dir)
		return gt_fail(GT_ERR_IO, "%s: cannot be listed", s->path);
	errno = 0;
	for (struct dirent *e; (e = readdir(dir)); errno = 0)
		if (e->d_name[0] != '.')
			GT_TRY(add_file(s, s->path, e->d_name, &room));
	if (errno)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be listed: %s", s->path, strerror(errno)));
	if (s->files)
		qsort(s->file, s->files, sizeof *s->file, by_path);
done:
	closedir(dir);
	return st;
}

void gt_ctpd_expect(const gt_ctpd_set *s, size_t begin, size_t end)
{
	const char **path = malloc((end - begin) * sizeof *path);
	for (size_t i = begin; path && i < end; i++)
		path[i - begin] = s->file[i].path;
	if (path)
		gt_dicom_expect(path, end - begin);
	free(path);
}

/* Headers --------------------------------------------------------------- */

static double or_zero(double x) { return isnan(x) ? 0 : x; }

static void take_view(const gt_ctpd_head *h, size_t file, size_t frame, gt_ctpd_view *v)
{
	const double *x = h->number;
	*v = (gt_ctpd_view){ .file = file,
		             .frame = frame,
		             .number = x[PD_NUMBER],
		             .time = x[PD_TIME],
		             .angle = x[PD_ANGLE],
		             .z = x[PD_HEIGHT],
		             .shift = { or_zero(x[PD_SHIFT_ANGLE]), or_zero(x[PD_SHIFT_R]), or_zero(x[PD_SHIFT_Z]) },
		             .slope = x[PD_SLOPE],
		             .intercept = x[PD_INTERCEPT] };
}

/* *d is NULL if the file is not DICOM-CT-PD. */
static gt_status open_projections(const char *path, gt_dicom **d)
{
	int is;
	*d = NULL;
	gt_status st = gt_dicom_probe(path, &is);
	if (st != GT_OK || !is)
		return st;
	st = gt_dicom_open(path, d);
	if (st == GT_OK)
		st = gt_dicom_frame(*d, 0);
	if (st == GT_OK && !gt_ctpd_is(*d)) {
		gt_dicom_close(*d);
		*d = NULL;
	}
	return st;
}

static gt_status read_views(const gt_ctpd_set *s, gt_dicom *d, size_t file)
{
	gt_ctpd_file *f = &s->file[file];
	gt_ctpd_head h;
	double frames = 1;
	gt_status st = GT_OK;
	if (gt_dicom_count(d, &gt_ctpd_number[PD_FRAMES]))
		GT_TRY(gt_dicom_numbers(d, &gt_ctpd_number[PD_FRAMES], 1, &frames));
	if (!(frames >= 1 && frames < 1e9))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: (0028,0008) Number of Frames is %g: expected 1 or more", f->path, frames));
	/* A damaged number of frames would take hours. */
	if (frames > 1)
		GT_TRY(gt_dicom_pixels_of(d, (size_t)frames, 0, (size_t)(s->head.number[PD_LINES] * s->head.number[PD_SAMPLES]), NULL));
	if (!(f->view = malloc((size_t)frames * sizeof *f->view)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory for %g frames", f->path, frames));
	for (size_t i = 0; i < (size_t)frames; i++) {
		GT_TRY(gt_ctpd_read_head(f->path, d, i, &h));
		GT_TRY(gt_ctpd_same_scan(f->path, &h, s->head_path, &s->head));
		take_view(&h, file, i, &f->view[i]);
	}
	f->frames = (size_t)frames;
done:
	return st;
}

static void read_heads(void *self, size_t begin, size_t end, int worker)
{
	gt_ctpd_set *s = self;
	for (size_t i = begin; i < end; i++) {
		gt_dicom *d = NULL;
		if (!gt_ctpd_work_wants(&s->work, i))
			continue;
		gt_status st = open_projections(s->file[i].path, &d);
		if (st == GT_OK && d)
			st = read_views(s, d, i);
		gt_dicom_close(d);
		gt_ctpd_work_did(&s->work, i, st, worker);
	}
}

/* The first header by file name is the reference for the others. */
static gt_status find_first(gt_ctpd_set *s)
{
	gt_dicom *d = NULL;
	gt_status st = GT_OK;
	size_t dicom = 0;
	for (size_t i = 0; i < s->files && !d; i++) {
		dicom += (size_t)gt_dicom_is(s->file[i].path);
		GT_TRY(open_projections(s->file[i].path, &d));
		s->head_path = s->file[i].path;
	}
	if (!d)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: of %zu files %zu are DICOM, and none of them holds projections", s->path, s->files,
		               dicom));
	st = gt_ctpd_read_head(s->head_path, d, 0, &s->head);
done:
	gt_dicom_close(d);
	return st;
}

/* Merges the views into one table; counts the files without any. */
static gt_status gather(gt_ctpd_set *s)
{
	size_t others = 0, at = 0;
	const char *other = NULL;
	for (size_t i = 0; i < s->files; i++) {
		s->views += s->file[i].frames;
		others += !s->file[i].frames;
		other = s->file[i].frames || other ? other : s->file[i].path;
	}
	if (!(s->view = malloc(s->views * sizeof *s->view)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory for %zu views", s->path, s->views);
	for (size_t i = 0; i < s->files; i++) {
		gt_ctpd_file *f = &s->file[i];
		if (f->frames)
			memcpy(s->view + at, f->view, f->frames * sizeof *f->view);
		at += f->frames;
		free(f->view);
		f->view = NULL;
	}
	if (others)
		gt_read_note(s->o, "files without projections, left out: %zu, such as %s", others, other);
	return GT_OK;
}

/* A link to a file that is not DICOM is skipped like any other file. */
static gt_status check_links(const gt_ctpd_set *s)
{
	gt_status st = GT_OK;
	for (size_t i = 0; st == GT_OK && i < s->files; i++)
		if (strcmp(s->file[i].path, s->path) != 0 && gt_dicom_is(s->file[i].path))
			st = gt_external_entry(s->path, s->file[i].path);
	return st;
}

gt_status gt_ctpd_list(gt_ctpd_set *s)
{
	gt_status st = GT_OK;
	GT_TRY(gt_ctpd_names(s));
	GT_TRY(check_links(s));
	/* Before any thread starts: a child of fork() inherits locked mutexes. */
	gt_ctpd_expect(s, 0, s->files);
	GT_TRY(gt_pool_new(0, &s->pool));
	GT_TRY(find_first(s));
	gt_ctpd_work_start(&s->work, s->files);
	gt_parallel(s->pool, s->files, GRAIN, read_heads, s);
	GT_TRY(gt_ctpd_work_end(&s->work));
	st = gather(s);
done:
	return st;
}

void gt_ctpd_set_clear(gt_ctpd_set *s)
{
	for (size_t i = 0; i < s->files; i++) {
		free(s->file[i].path);
		free(s->file[i].view);
	}
	free(s->file);
	free(s->view);
}
