/* NXtomo (Konnecke et al., J. Appl. Cryst. 48 (2015) 301) and files like it: frames of one data set, and keys that
 * say which of them are projections (0), flat fields (1), dark fields (2) or not to be used (3). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/constants.h>
#include "core/try.h"
#include "io/external.h"
#include "io/hdf5/hdf5_data.h"
#include "io/hdf5/hdf5_file.h"
#include "io/hdf5/nxtomo.h"
#include "io/hdf5/nxtomo_layout.h"
#include "io/netcdf/nc.h"
#include "io/write_kit/volume_units.h"

int gt_is_nxtomo(const char *path)
{
	gt_nxtomo_layout l;
	if (!gt_hdf5_is(path))
		return 0;
	gt_hdf5_quiet quiet = gt_hdf5_hush();
	const hid_t file = gt_external_hdf5(path) == GT_OK ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
	const int found = file >= 0 && gt_nxtomo_find(file, &l);
	if (file >= 0)
		H5Fclose(file);
	gt_hdf5_unhush(&quiet);
	return found;
}

/* An external link whose file is not there is named: the library only says that something failed. */
static gt_status check_link(hid_t file, const char *path, const char *name)
{
	H5L_info_t about;
	char value[4096];
	const char *target, *object;
	unsigned flags;
	struct stat s;
	if (H5Oexists_by_name(file, name, H5P_DEFAULT) > 0)
		return GT_OK;
	if (H5Lget_info(file, name, &about, H5P_DEFAULT) < 0 || about.type != H5L_TYPE_EXTERNAL || about.u.val_size > sizeof value ||
	    H5Lget_val(file, name, value, sizeof value, H5P_DEFAULT) < 0 ||
	    H5Lunpack_elink_val(value, about.u.val_size, &flags, &target, &object) < 0)
		return gt_fail(GT_ERR_FORMAT, "%s: %s: leads to nothing", path, name);
	const char *slash = strrchr(path, '/');
	const size_t folder = slash && target[0] != '/' ? (size_t)(slash - path) + 1 : 0, size = folder + strlen(target) + 1;
	char *beside = malloc(size);
	if (!beside)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	snprintf(beside, size, "%.*s%s", (int)folder, path, target);
	const int there = stat(beside, &s) == 0;
	const gt_status st = there ? gt_fail(GT_ERR_FORMAT, "%s: %s: %s is there, but has no %s", path, name, beside, object)
	                           : gt_fail(GT_ERR_IO, "%s: %s: its data are in %s, which is not there", path, name, beside);
	free(beside);
	return st;
}

/* The file, which the sources share. */
typedef struct {
	char *path;
	gt_nxtomo_layout l;
	hid_t file;
	gt_hdf5_data data;
	size_t users;
} shared_file;

static void leave(shared_file *f)
{
	if (!f || --f->users)
		return;
	gt_nc_lock();
	gt_hdf5_close(&f->data);
	if (f->file >= 0)
		H5Fclose(f->file);
	gt_nc_unlock();
	free(f->path);
	free(f);
}

struct hdf5_source {
	gt_frame_source base;
	shared_file *file;
	size_t *frame;
};

static gt_status read_(const gt_frame_source *self, size_t frame, size_t row, size_t rows, float *out)
{
	const struct hdf5_source *s = (const struct hdf5_source *)self;
	const size_t columns = s->base.columns, all = s->base.rows * columns;
	float *whole = rows == s->base.rows ? out : malloc(all * sizeof *whole);
	if (!whole)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->file->path);
	gt_nc_lock();
	const gt_hdf5_quiet before = gt_hdf5_hush();
	const gt_status st = gt_hdf5_floats(&s->file->data, s->frame[frame], 1, whole);
	gt_hdf5_unhush(&before);
	gt_nc_unlock();
	if (whole != out) {
		if (st == GT_OK)
			memcpy(out, whole + row * columns, rows * columns * sizeof *out);
		free(whole);
	}
	return st;
}

static const char *name_(const gt_frame_source *self, size_t frame)
{
	(void)frame;
	return ((const struct hdf5_source *)self)->file->path;
}

static void free_(gt_frame_source *self)
{
	struct hdf5_source *s = (struct hdf5_source *)self;
	leave(s->file);
	free(s->frame);
	free(s);
}

/* The frames of that key; *out stays NULL where there are none. */
static gt_status make_source(shared_file *f, const double *key, int wanted, gt_frame_source **out)
{
	const size_t frames = f->data.size[0];
	struct hdf5_source *s = calloc(1, sizeof *s);
	*out = NULL;
	if (!s || !(s->frame = malloc(frames * sizeof *s->frame))) {
		free(s);
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path);
	}
	s->base = (struct gt_frame_source){
		.rows = f->data.size[1], .columns = f->data.size[2], .read = read_, .name = name_, .free = free_
	};
	s->base.bytes = s->base.rows * s->base.columns * sizeof(float);
	for (size_t i = 0; i < frames; i++)
		if (key[i] == wanted)
			s->frame[s->base.frames++] = i;
	if (!s->base.frames) {
		free(s->frame);
		free(s);
		return GT_OK;
	}
	s->file = f;
	f->users++;
	*out = &s->base;
	return GT_OK;
}

/* All numbers of a data set; *n of them. */
static gt_status numbers(const shared_file *f, const char *name, double **values, size_t *n, char *units, size_t size)
{
	gt_hdf5_data d;
	gt_status st = gt_hdf5_open(f->file, f->path, name, 1, &d);
	if (st == GT_OK) {
		*n = (size_t)(d.size[0] * d.size[1] * d.size[2]);
		*values = malloc(*n * sizeof **values);
		st = *values ? gt_hdf5_doubles(&d, *values) : gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path);
	}
	if (st == GT_OK && units)
		st = gt_hdf5_text(&d, "units", units, size);
	gt_hdf5_close(&d);
	return st;
}

static gt_status read_angles(const shared_file *f, const gt_nxtomo *x, size_t frames, const gt_read_options *o, double **angle)
{
	char units[32] = "";
	const struct hdf5_source *scan = (const struct hdf5_source *)x->scan;
	const size_t views = scan->base.frames;
	double *all = NULL, most = 0;
	size_t n = 0;
	gt_status st = GT_OK;
	GT_TRY(numbers(f, f->l.angle, &all, &n, units, sizeof units));
	if (n != frames && n != views)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: has %zu angles, expected %zu, one for each frame, or %zu, one for each view",
		               f->path, f->l.angle, n, frames, views));
	if (!(*angle = malloc(views * sizeof **angle)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path));
	for (size_t v = 0; v < views; v++) {
		(*angle)[v] = all[n == frames ? scan->frame[v] : v];
		if (!isfinite((*angle)[v]))
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: the angle of view %zu is %g, expected a finite number", f->path, f->l.angle,
			               v, (*angle)[v]));
		most = fmax(most, fabs((*angle)[v]));
	}
	if (*units && strncmp(units, "deg", 3) && strncmp(units, "rad", 3))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: units are '%s', expected degrees or radians", f->path, f->l.angle, units));
	const int radians = *units ? !strncmp(units, "rad", 3) : most <= 2 * GT_PI;
	gt_read_note(o, "%zu views from %.6g to %.6g %s from %s%s", views, (*angle)[0], (*angle)[views - 1], radians ? "rad" : "degrees",
	             f->l.angle, *units ? "" : ", which names no unit");
	for (size_t v = 0; v < views; v++)
		(*angle)[v] *= radians ? 1 : GT_PI / 180;
done:
	free(all);
	return st;
}

/* How many views come before each field, told as "50 before and 50 after the views". out NULL: only told. */
static gt_status count_before(const gt_read_options *o, const char *what, const gt_frame_source *set, const gt_frame_source *scan,
                              size_t **out)
{
	const struct hdf5_source *s = (const struct hdf5_source *)set, *v = (const struct hdf5_source *)scan;
	size_t first = 0, last = 0, views = 0, *before = s ? malloc(s->base.frames * sizeof *before) : NULL;
	if (!s)
		return GT_OK;
	if (!before)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->file->path);
	for (size_t i = 0; i < s->base.frames; i++) {
		while (views < v->base.frames && v->frame[views] < s->frame[i])
			views++;
		before[i] = views;
		first += views == 0;
		last += views == v->base.frames;
	}
	gt_read_note(o, "%zu %s fields by the keys: %zu before, %zu after and %zu between the views", s->base.frames, what, first, last,
	             s->base.frames - first - last);
	if (out)
		*out = before;
	else
		free(before);
	return GT_OK;
}

static gt_status open_file(const char *path, shared_file *f)
{
	gt_status st = GT_OK;
	GT_TRY(gt_hdf5_whole(path));
	GT_TRY(gt_external_hdf5(path));
	if (!(f->path = strdup(path)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	if ((f->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)) < 0 || !gt_nxtomo_find(f->file, &f->l))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: has no frames with keys and angles", path));
	GT_TRY(check_link(f->file, path, f->l.data));
	GT_TRY(check_link(f->file, path, f->l.key));
	GT_TRY(check_link(f->file, path, f->l.angle));
	st = gt_hdf5_open(f->file, f->path, f->l.data, 3, &f->data);
done:
	return st;
}

gt_status gt_nxtomo_open(const char *path, const gt_read_options *o, gt_nxtomo *x)
{
	double *key = NULL;
	size_t keys = 0;
	gt_status st = GT_OK;
	shared_file *f = calloc(1, sizeof *f);
	*x = (gt_nxtomo){ .scan = NULL };
	if (!f)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	f->users = 1;
	f->file = f->data.id = -1;
	gt_hdf5_quiet quiet = gt_hdf5_hush();
	GT_TRY(open_file(path, f));
	GT_TRY(numbers(f, f->l.key, &key, &keys, NULL, 0));
	if (keys != f->data.size[0])
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: has %zu keys, expected %zu, one for each frame", path, f->l.key, keys,
		               (size_t)f->data.size[0]));
	GT_TRY(make_source(f, key, 0, &x->scan));
	GT_TRY(make_source(f, key, 1, &x->flat));
	GT_TRY(make_source(f, key, 2, &x->dark));
	if (!x->scan)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: none of %zu frames has the key 0, of a projection", path, f->l.key, keys));
	gt_read_note(o, "frames from %s, keys from %s", f->l.data, f->l.key);
	GT_TRY(read_angles(f, x, keys, o, &x->angle));
	GT_TRY(count_before(o, "flat", x->flat, x->scan, &x->before));
	GT_TRY(count_before(o, "dark", x->dark, x->scan, NULL));
done:
	gt_hdf5_unhush(&quiet);
	free(key);
	leave(f);
	if (st != GT_OK) {
		gt_frame_source_free(x->scan);
		gt_frame_source_free(x->flat);
		gt_frame_source_free(x->dark);
		free(x->angle);
		free(x->before);
		*x = (gt_nxtomo){ .scan = NULL };
	}
	return st;
}
