/* Finds frames, keys and angles by the names that beamline programs use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/hdf5/nxtomo_layout.h"

enum { NAME = GT_NXTOMO_NAME, MAX_MEMBERS = 10000 };
typedef gt_nxtomo_layout layout;

/* %E: a group of the root; %D: a group within it. */
static const char *const data_names[] = { "%E/tomo_entry/data/data",
	                                  "%E/tomo_entry/instrument/detector/data",
	                                  "%E/instrument/detector/data",
	                                  "%E/data/data",
	                                  "%E/%D/data",
	                                  NULL };
/* image_key_control first: it marks alignment frames as -1, which image_key may declare as projections (nxtomomill). */
static const char *const key_names[] = { "%E/tomo_entry/instrument/detector/image_key_control",
	                                 "%E/instrument/detector/image_key_control",
	                                 "%E/tomo_entry/data/image_key_control",
	                                 "%E/data/image_key_control",
	                                 "%E/instrument/%D/image_key_control",
	                                 "%E/tomo_entry/instrument/detector/image_key",
	                                 "%E/instrument/detector/image_key",
	                                 "%E/tomo_entry/data/image_key",
	                                 "%E/data/image_key",
	                                 "%E/instrument/%D/image_key",
	                                 NULL };
static const char *const angle_names[] = { "%E/tomo_entry/sample/rotation_angle",
	                                   "%E/sample/rotation_angle",
	                                   "%E/tomo_entry/data/rotation_angle",
	                                   "%E/data/rotation_angle",
	                                   "%E/%D/gts_theta_value",
	                                   NULL };

/* 1: all parent groups exist and the last part is a link, with or without a target. */
static int has_link(hid_t file, const char *name)
{
	char part[NAME];
	for (size_t n = 1; n < sizeof part; n++)
		if (!name[n] || name[n] == '/') {
			snprintf(part, sizeof part, "%.*s", (int)n, name);
			if (H5Lexists(file, part, H5P_DEFAULT) <= 0)
				return 0;
			if (!name[n])
				return 1;
			if (H5Oexists_by_name(file, part, H5P_DEFAULT) <= 0)
				return 0;
		}
	return 0;
}

static void fill_in(const char *pattern, const char *entry, const char *detector, char name[NAME])
{
	size_t n = 0;
	for (; *pattern && n + 1 < NAME; pattern++) {
		const char *what = *pattern != '%' ? NULL : pattern[1] == 'E' ? entry : detector;
		if (!what) {
			name[n++] = *pattern;
			continue;
		}
		n += (size_t)snprintf(name + n, NAME - n, "%s", what);
		n = n < NAME ? n : NAME - 1;
		pattern++;
	}
	name[n] = 0;
}

static int find_name(hid_t file, const char *const *patterns, const char *entry, const char *detector, char name[NAME])
{
	for (; *patterns; patterns++) {
		if (!detector && strstr(*patterns, "%D"))
			continue;
		fill_in(*patterns, entry, detector, name);
		if (has_link(file, name))
			return 1;
	}
	name[0] = 0;
	return 0;
}

typedef struct {
	char (*name)[NAME];
	size_t n, room;
} members;

static herr_t add_member(hid_t group, const char *name, const H5L_info_t *info, void *self)
{
	members *m = self;
	(void)group, (void)info;
	if (m->n == m->room)
		return 1;
	if (strlen(name) < NAME)
		strcpy(m->name[m->n++], name);
	return 0;
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

/* Lists members in native order and sorts them here. Access by number in name order rebuilds a table each time, and
 * libhdf5 1.10.8 crashes if it cannot read all members. An unreadable group has no members. */
static void members_of(hid_t file, const char *group, members *m)
{
	H5G_info_t about;
	*m = (members){ NULL, 0, 0 };
	if (H5Gget_info_by_name(file, group, &about, H5P_DEFAULT) < 0 || about.nlinks == 0)
		return;
	m->room = about.nlinks < MAX_MEMBERS ? about.nlinks : MAX_MEMBERS;
	m->name = malloc(m->room * sizeof *m->name);
	if (m->name && H5Literate_by_name(file, group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, add_member, m, H5P_DEFAULT) < 0)
		m->n = 0;
	if (m->n)
		qsort(m->name, m->n, sizeof *m->name, by_name);
}

/* At least `min` of key and angle data sets must accompany the data. */
static int find_all(hid_t file, const char *entry, const char *detector, int min, layout *l)
{
	const int key = find_name(file, key_names, entry, detector, l->key),
		  angle = find_name(file, angle_names, entry, detector, l->angle);
	return find_name(file, data_names, entry, detector, l->data) && key + angle >= min;
}

/* 1: an existing data set of images: three dimensions, and more than one pixel in each frame. */
static int holds_images(hid_t file, const char *name)
{
	const hid_t data = H5Oexists_by_name(file, name, H5P_DEFAULT) > 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
	const hid_t space = data >= 0 ? H5Dget_space(data) : -1;
	hsize_t size[H5S_MAX_RANK] = { 0 };
	const int found = space >= 0 && H5Sget_simple_extent_ndims(space) == 3 && H5Sget_simple_extent_dims(space, size, NULL) == 3 &&
	                  size[1] * size[2] > 1;
	if (space >= 0)
		H5Sclose(space);
	if (data >= 0)
		H5Dclose(data);
	return found;
}

/* Takes the found layout if it has images. Otherwise keeps the first layout with missing data for the error message,
 * but prefers usual names of image detectors. */
static int is_better(hid_t file, const layout *found, layout *l)
{
	const int images = holds_images(file, found->data);
	if (images || !l->data[0] || (strstr(found->data, "imag") && !strstr(l->data, "imag")))
		*l = *found;
	return images;
}

/* Tries the group itself, and each of its groups as %D. */
static int find_within(hid_t file, const char *entry, int min, layout *l)
{
	members detector;
	layout found = { .scans = 0 };
	int images = find_all(file, entry, NULL, min, &found) && is_better(file, &found, l);
	if (images)
		return 1;
	members_of(file, entry, &detector);
	for (size_t d = 0; d < detector.n && !images; d++)
		images = find_all(file, entry, detector.name[d], min, &found) && is_better(file, &found, l);
	free(detector.name);
	return images;
}

static int same_object(hid_t file, const char *a, const char *b)
{
	H5O_info_t x, y;
	return H5Oget_info_by_name(file, a, &x, H5P_DEFAULT) >= 0 && H5Oget_info_by_name(file, b, &y, H5P_DEFAULT) >= 0 &&
	       x.fileno == y.fileno && x.addr == y.addr;
}

/* Appends "..." if the names do not fit. */
static void add_name(layout *l, const char *name)
{
	static const char more[] = ", ...";
	const size_t used = strlen(l->names), room = sizeof l->names - used;
	if (used + strlen(name) + 2 * sizeof more < sizeof l->names)
		snprintf(l->names + used, room, "%s%s", used ? ", " : "", name);
	else if (room > sizeof more && !strstr(l->names, more))
		strcpy(l->names + used, more);
}

static int find_in(hid_t file, const members *entry, int min, layout *l)
{
	layout next = { .scans = 0 };
	int images = 0;
	*l = next;
	for (size_t e = 0; e < entry->n; e++) {
		if (H5Oexists_by_name(file, entry->name[e], H5P_DEFAULT) <= 0)
			continue;
		next.data[0] = 0;
		if (!find_within(file, entry->name[e], min, images ? &next : l) || (images && same_object(file, l->data, next.data)))
			continue;
		images = 1;
		l->scans++;
		add_name(l, entry->name[e]);
	}
	return images || l->data[0] != 0;
}

static void keep_one(members *entry, const char *name)
{
	size_t e = 0;
	while (*name == '/')
		name++;
	while (e < entry->n && strcmp(entry->name[e], name))
		e++;
	if (e < entry->n)
		memmove(entry->name[0], entry->name[e], sizeof *entry->name);
	entry->n = e < entry->n;
}

int gt_nxtomo_find(hid_t file, const char *entry, gt_nxtomo_layout *l)
{
	members all;
	members_of(file, "/", &all);
	if (entry)
		keep_one(&all, entry);
	int found = find_in(file, &all, 2, l);
	if (!found)
		found = find_in(file, &all, 1, l) && (holds_images(file, l->data) || H5Oexists_by_name(file, l->data, H5P_DEFAULT) <= 0);
	if (!found)
		found = find_in(file, &all, 0, l) && holds_images(file, l->data);
	free(all.name);
	return found;
}
