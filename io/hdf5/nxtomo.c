/* NXtomo (Konnecke et al., J. Appl. Cryst. 48 (2015) 301) and similar files: one data set of frames, and a key of each
 * frame: projection (0), flat field (1), dark field (2), invalid (3) or alignment (-1). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/author/constants.h>
#include "core/try.h"
#include "io/external.h"
#include "io/frames/view_angles.h"
#include "io/hdf5/hdf5_data.h"
#include "io/hdf5/hdf5_file.h"
#include "io/hdf5/nxtomo.h"
#include "io/hdf5/nxtomo_layout.h"
#include "io/write_kit/volume_units.h"

int gt_is_nxtomo(const char *path)
{
	gt_nxtomo_layout l;
	if (!gt_hdf5_is(path))
		return 0;
	gt_hdf5_quiet quiet = gt_hdf5_hush();
	const hid_t file = gt_external_hdf5(path) == GT_OK ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
	const int found = file >= 0 && gt_nxtomo_find(file, NULL, &l);
	if (file >= 0)
		H5Fclose(file);
	gt_hdf5_unhush(&quiet);
	return found;
}

/* Names an external link without a target, since the library only reports a failure. */
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
		return gt_fail(GT_ERR_FORMAT, "%s: %s: the link has no target", path, name);
	const char *slash = strrchr(path, '/');
	const size_t folder = slash && target[0] != '/' ? (size_t)(slash - path) + 1 : 0, size = folder + strlen(target) + 1;
	char *beside = malloc(size);
	if (!beside)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	snprintf(beside, size, "%.*s%s", (int)folder, path, target);
	const int there = stat(beside, &s) == 0;
	const gt_status st = there ? gt_fail(GT_ERR_FORMAT, "%s: %s: %s exists, but has no %s", path, name, beside, object)
	                           : gt_fail(GT_ERR_IO, "%s: %s: its data are in %s, which does not exist", path, name, beside);
	free(beside);
	return st;
}

static gt_status check_links(const gt_hdf5_shared *f, const char *path, const gt_nxtomo_layout *l, int with_angles)
{
	gt_status st = GT_OK;
	GT_TRY(check_link(gt_hdf5_id(f), path, l->data));
	if (l->key[0])
		GT_TRY(check_link(gt_hdf5_id(f), path, l->key));
	st = with_angles && l->angle[0] ? check_link(gt_hdf5_id(f), path, l->angle) : GT_OK;
done:
	return st;
}

/* Kinds of frames are never guessed: flat fields among the views would cause white projections, dark fields black
 * ones. */
static gt_status without_keys(const char *path, const gt_nxtomo_layout *l, const gt_read_options *o)
{
	const gt_frames_options *g = o->frames;
	if (g && (g->flat || g->white > 0 || g->values == GT_FRAMES_LINE_INTEGRALS)) {
		gt_read_note(o, "%s: no image_key: all frames of %s are taken as views", path, l->data);
		return GT_OK;
	}
	return gt_fail(GT_ERR_FORMAT,
	               "%s: no image_key that distinguishes views, flat and dark fields in %s: expected one in the detector's "
	               "group; if all are views, set --flat FILE|none, --white COUNTS or --values line-integrals",
	               path, l->data);
}

static gt_status frames_of(gt_hdf5_shared *f, const char *path, const char *name, const double *key, size_t keys, int wanted,
                           gt_frame_source **s)
{
	size_t n = 0, *frame = malloc(keys * sizeof *frame);
	if (!frame)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	for (size_t i = 0; i < keys; i++)
		if (key[i] == wanted)
			frame[n++] = i;
	const gt_status st = gt_hdf5_frames(f, name, 3, frame, n, s);
	free(frame);
	return st;
}

static gt_status sort_frames(gt_hdf5_shared *f, const char *path, const gt_nxtomo_layout *l, const gt_read_options *o, gt_hdf5_scan *x)
{
	const gt_frames_options *g = o->frames;
	double *key = NULL;
	size_t keys = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_hdf5_numbers(f, l->key, &key, &keys, NULL, 0));
	if (keys != x->scan->frames)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: has %zu keys, expected %zu, one for each frame", path, l->key, keys,
		               x->scan->frames));
	gt_frame_source_free(x->scan);
	x->scan = NULL;
	GT_TRY(frames_of(f, path, l->data, key, keys, 0, &x->scan));
	if (!x->scan)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: none of %zu frames has the key 0, of a projection", path, l->key, keys));
	if (!g || !g->flat)
		GT_TRY(frames_of(f, path, l->data, key, keys, 1, &x->flat));
	if (!g || !g->dark)
		GT_TRY(frames_of(f, path, l->data, key, keys, 2, &x->dark));
	gt_read_note(o, "frames from %s, keys from %s", l->data, l->key);
done:
	free(key);
	return st;
}

/* One angle for each frame or for each view. */
static gt_status read_angles(const gt_hdf5_shared *f, const char *path, const gt_nxtomo_layout *l, size_t frames, const gt_read_options *o,
                             gt_hdf5_scan *x)
{
	const size_t views = x->scan->frames;
	char units[32] = "";
	size_t n = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_hdf5_numbers(f, l->angle, &x->angle, &n, units, sizeof units));
	if (n != frames && n != views)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: %s: has %zu angles, expected %zu, one for each frame, or %zu, one for each view", path,
		               l->angle, n, frames, views));
	for (size_t v = 0; v < views; v++)
		x->angle[v] = x->angle[n == frames ? gt_hdf5_frame_number(x->scan, v) : v];
	const double first = x->angle[0], last = x->angle[views - 1];
	GT_TRY(gt_angles_of_file(path, l->angle, units, views, o, x->angle));
	gt_read_note(o, "%zu views from %.6g to %.6g %s from %s%s", views, first, last,
	             fabs(x->angle[0] - first) + fabs(x->angle[views - 1] - last) > 0 ? "degrees" : "rad", l->angle,
	             *units ? "" : ", which states no unit");
done:
	return st;
}

/* Number of views before each field, with a note "50 before and 50 after the views". out NULL: only the note. */
static gt_status count_before(const gt_read_options *o, const char *what, const gt_frame_source *set, const gt_frame_source *scan,
                              size_t **out)
{
	size_t first = 0, last = 0, views = 0, *before = set ? malloc(set->frames * sizeof *before) : NULL;
	if (!set)
		return GT_OK;
	if (!before)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", set->name(set, 0));
	for (size_t i = 0; i < set->frames; i++) {
		while (views < scan->frames && gt_hdf5_frame_number(scan, views) < gt_hdf5_frame_number(set, i))
			views++;
		before[i] = views;
		first += views == 0;
		last += views == scan->frames;
	}
	gt_read_note(o, "%zu %s fields by the keys: %zu before, %zu after and %zu between the views", set->frames, what, first, last,
	             set->frames - first - last);
	if (out)
		*out = before;
	else
		free(before);
	return GT_OK;
}

/* longest name of a group */
enum { GROUP = GT_NXTOMO_NAME + 31 };

/* Takes the first pitches of the file, and notes others that contradict them. *at_object 1: they are divided by the
 * magnification. */
static gt_status read_pitches(const gt_hdf5_shared *f, const char *group, const gt_read_options *o, gt_hdf5_scan *x, int *at_object)
{
	static const char *const kinds[] = { "magnified_pixel_size", "pixel_size" };
	char across[GT_NXTOMO_NAME + 64], along[GT_NXTOMO_NAME + 64];
	const double used = fmax(x->column_pitch, x->row_pitch);
	double columns = 0, rows = 0;
	gt_status st = GT_OK;
	for (int k = 0; k < 2 && columns == 0 && rows == 0; k++) {
		snprintf(across, sizeof across, "%.*s/x_%s", GROUP, group, kinds[k]);
		GT_TRY(gt_hdf5_other_length(f, across, used, o, &columns));
		snprintf(along, sizeof along, "%.*s/y_%s", GROUP, group, kinds[k]);
		GT_TRY(gt_hdf5_other_length(f, along, used, o, &rows));
		*at_object = k == 0 && (columns > 0 || rows > 0);
	}
	if (used > 0) {
		gt_hdf5_note_pitch(f, across, columns, x->column_pitch, o);
		gt_hdf5_note_pitch(f, along, rows, x->row_pitch, o);
	} else {
		x->column_pitch = columns;
		x->row_pitch = rows;
	}
done:
	return st;
}

/* The pitch of the detector is that at the object only without magnification. */
static gt_status note_magnification(const gt_hdf5_shared *f, const char *path, const char *group, const gt_read_options *o)
{
	char name[GT_NXTOMO_NAME + 64], units[32];
	double factor;
	int found;
	snprintf(name, sizeof name, "%.*s/magnification", GROUP, group);
	const gt_status st = gt_hdf5_number(gt_hdf5_id(f), path, name, &factor, units, sizeof units, &found);
	if (st == GT_OK && found && factor != 1)
		gt_read_note(o, "%s: %s is %g and is not used: --pixel sets the pitch at the object", path, name, factor);
	return st;
}

/* Length of a name without its last component; 0: it has one component. */
static int folder_of(const char *name, int length)
{
	while (length > 0 && name[--length] != '/')
		;
	return length;
}

/* Pitches at the object, next to the angles, replace those of the detector, which differ by the magnification. The
 * latter are next to the keys, next to the images, or in the group instrument/detector next to the group of the
 * images. */
static gt_status read_pixel(const gt_hdf5_shared *f, const char *path, const gt_nxtomo_layout *l, const gt_read_options *o, gt_hdf5_scan *x)
{
	const char *const beside[] = { l->angle, l->key, l->data };
	const int entry = folder_of(l->data, folder_of(l->data, (int)strlen(l->data)));
	char group[4][GROUP + 1];
	int at_object = 0;
	gt_status st = GT_OK;
	for (int g = 0; g < 4 && !at_object; g++) {
		const int before = x->column_pitch > 0 || x->row_pitch > 0;
		int repeated = 0;
		if (g < 3)
			snprintf(group[g], sizeof group[g], "%.*s", folder_of(beside[g], (int)strlen(beside[g])), beside[g]);
		else
			snprintf(group[g], sizeof group[g], "%.*s/instrument/detector", entry, l->data);
		for (int i = 0; i < g; i++)
			repeated |= !strcmp(group[i], group[g]);
		if (!*group[g] || repeated)
			continue;
		GT_TRY(read_pitches(f, group[g], o, x, &at_object));
		at_object |= g == 0 && (x->column_pitch > 0 || x->row_pitch > 0);
		if (!at_object && !before && (x->column_pitch > 0 || x->row_pitch > 0))
			GT_TRY(note_magnification(f, path, group[g], o));
	}
done:
	return st;
}

/* Pixels by which rays of a cone beam may miss their position in a parallel beam, at the edge of the object. */
#define MAX_DISPLACED 1

/* Notes the distances of a cone beam, whose rays are read as parallel. At synchrotrons they are nearly parallel. */
static gt_status note_cone(const gt_hdf5_shared *f, const char *path, const gt_nxtomo_layout *l, const gt_read_options *o,
                           const gt_hdf5_scan *x)
{
	const int entry = folder_of(l->data, folder_of(l->data, (int)strlen(l->data)));
	const double pitch = isnan(o->pixel) ? x->column_pitch : o->pixel, columns = (double)x->scan->columns;
	char name[GT_NXTOMO_NAME + 64];
	double source, detector;
	gt_status st = GT_OK;
	snprintf(name, sizeof name, "%.*s/instrument/source/distance", entry, l->data);
	GT_TRY(gt_hdf5_distance(f, name, o, &source));
	snprintf(name, sizeof name, "%.*s/instrument/detector/distance", entry, l->data);
	GT_TRY(gt_hdf5_distance(f, name, o, &detector));
	if (source > 0 && columns / 2 * (columns / 2 * pitch / (source + detector)) > MAX_DISPLACED)
		gt_read_note(
			o,
			"%s: the source is %.6g mm and the detector %.6g mm from the object, so rays diverge by up to %.3g degrees; they "
			"are taken as parallel, expected a cone beam: set its geometry (--geometry)",
			path, source, detector, columns / 2 * pitch / (source + detector) * 180 / GT_PI);
done:
	return st;
}

/* The only scan of the file, or the one that the options name. */
static gt_status find_scan(hid_t file, const char *path, const char *entry, gt_nxtomo_layout *l)
{
	gt_nxtomo_layout all;
	if (gt_nxtomo_find(file, entry, l))
		return entry || l->scans < 2
		               ? GT_OK
		               : gt_fail(GT_ERR_FORMAT,
		                         "%s: holds %zu scans, %s: expected the name of one of them (--entry of import, prepare and recon)",
		                         path, l->scans, l->names);
	if (!entry || !gt_nxtomo_find(file, NULL, &all))
		return gt_fail(GT_ERR_FORMAT, "%s: has no frames with keys and angles", path);
	return gt_fail(GT_ERR_FORMAT, "%s: has no scan in a group '%s'%s%s", path, entry, all.scans ? ": expected one of " : "", all.names);
}

static gt_status read_scan(gt_hdf5_shared *f, const char *path, const gt_read_options *o, gt_hdf5_scan *x)
{
	const gt_frames_options *g = o->frames;
	gt_nxtomo_layout l;
	gt_status st = GT_OK;
	GT_TRY(find_scan(gt_hdf5_id(f), path, g ? g->entry : NULL, &l));
	const int with_angles = !g || !(g->angles || g->geometry);
	GT_TRY(check_links(f, path, &l, with_angles));
	GT_TRY(gt_hdf5_frames(f, l.data, 3, NULL, 0, &x->scan));
	const size_t frames = x->scan->frames;
	if (l.key[0])
		GT_TRY(sort_frames(f, path, &l, o, x));
	else
		GT_TRY(without_keys(path, &l, o));
	if (with_angles) {
		if (!l.angle[0])
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: no rotation_angle next to %s: expected the angles there, or --angles", path,
			               l.data));
		GT_TRY(read_angles(f, path, &l, frames, o, x));
	}
	GT_TRY(count_before(o, "flat", x->flat, x->scan, &x->before));
	GT_TRY(count_before(o, "dark", x->dark, x->scan, NULL));
	if (isnan(o->pixel))
		GT_TRY(read_pixel(f, path, &l, o, x));
	if (!g || !g->geometry)
		GT_TRY(note_cone(f, path, &l, o, x));
done:
	return st;
}

gt_status gt_nxtomo_open(const char *path, const gt_read_options *o, gt_hdf5_scan *x) { return gt_hdf5_read_scan(path, o, read_scan, x); }
