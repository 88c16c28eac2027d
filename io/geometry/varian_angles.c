/* View angles of a Varian scan, stored in its images: Acquisitions/NUMBER/Proj_*.xim next to Scan.xml. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <gantry/io.h>
#include "core/try.h"
#include "io/external.h"
#include "io/frames/frame_folder.h"
#include "io/frames/xim_file.h"
#include "io/geometry/input.h"

enum { PATH = 4096 };

static int has_images(const char *path)
{
	int found = 0;
	DIR *folder = opendir(path);
	for (struct dirent *d; folder && !found && (d = readdir(folder));) {
		const char *dot = strrchr(d->d_name, '.');
		found = dot && !strcasecmp(dot, ".xim");
	}
	if (folder)
		closedir(folder);
	return found;
}

/* Finds the only folder of images below `below`. */
static gt_status find_folder(const char *below, char path[PATH])
{
	char other[PATH];
	gt_status st = GT_OK;
	DIR *folder = opendir(below);
	path[0] = 0;
	for (struct dirent *d; st == GT_OK && folder && (d = readdir(folder));) {
		if (d->d_name[0] == '.' || snprintf(other, sizeof other, "%s/%s", below, d->d_name) >= (int)sizeof other ||
		    !has_images(other))
			continue;
		if (path[0])
			st = gt_fail(GT_ERR_FORMAT, "%s and %s both hold images: expected one acquisition", path, other);
		if (st == GT_OK)
			st = gt_external_entry(below, other);
		memcpy(path, other, sizeof other);
	}
	if (folder)
		closedir(folder);
	if (st == GT_OK && !path[0])
		st = gt_fail(GT_ERR_FORMAT, "%s: has no folder of .xim images, which hold the angles of the views", below);
	return st;
}

/* KVSourceRtn, or if it is constant GantryRtn, which differs by 90 degrees. */
static gt_status read_angles(const gt_file_list *files, const char *key, double *angle)
{
	for (size_t v = 0; v < files->n; v++) {
		gt_xim x;
		const gt_status st = gt_xim_open(files->path[v], &x);
		if (st != GT_OK)
			return st;
		const int found = gt_xim_number(&x, key, &angle[v]) && isfinite(angle[v]);
		gt_xim_close(&x);
		if (!found)
			return gt_fail(GT_ERR_FORMAT, "%s: property %s, the angle of its view, is missing", files->path[v], key);
		if (v)
			angle[v] -= 360 * round((angle[v] - angle[v - 1]) / 360);
	}
	return GT_OK;
}

static int moves(const double *angle, size_t n)
{
	for (size_t v = 1; v < n; v++)
		if (angle[v] != angle[0])
			return 1;
	return 0;
}

gt_status gt_varian_angles(const gt_geometry_input *in, double min, size_t *views, double **angle)
{
	char *below = gt_geometry_beside(in, "Acquisitions"), path[PATH];
	gt_read_options o = gt_read_defaults;
	gt_frame_folder f = { .first = 0 };
	const char *key = "KVSourceRtn";
	gt_status st = below ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	size_t close = 0;
	GT_TRY(st);
	GT_TRY(find_folder(below, path));
	GT_TRY(gt_frame_folder_read(path, 1, &o, &f));
	if (!(*angle = calloc(f.scan.n, sizeof **angle)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(read_angles(&f.scan, key, *angle));
	if (!moves(*angle, f.scan.n))
		GT_TRY(read_angles(&f.scan, key = "GantryRtn", *angle));
	if (!moves(*angle, f.scan.n))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: neither KVSourceRtn nor GantryRtn of its images changes", path));
	*views = f.scan.n;
	if (!(in->g->images = strdup(path)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t v = 1; v < *views; v++)
		close += fabs((*angle)[v] - (*angle)[v - 1]) < min;
	gt_geometry_note(in, "%zu views from %g to %g degrees from %s of the images of %s", *views, (*angle)[0], (*angle)[*views - 1], key,
	                 path);
	if (close)
		gt_geometry_note(
			in,
			"%zu views are less than 0.9 of a step after the view before (the gantry starts or stops): they have more weight "
			"than others; gantry prepare --views removes them",
			close);
done:
	free(below);
	gt_frame_folder_free(&f);
	return st;
}
