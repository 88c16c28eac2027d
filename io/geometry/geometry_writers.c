/* Writes scans as files of other programs: selects the format, writes under a temporary name, and checks that all data
 * reached the disk. */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <gantry/io.h>
#include <gantry/module.h>
#include "core/module.h"
#include "io/geometry/geometry_writers.h"

static gt_status format_of(const char *path, const char *given, const char **format, const char **ending)
{
	static const char *const names[] = { "rtk", "astra", "leap" };
	static const struct {
		const char *ending, *format;
	} by[] = { { "xml", "rtk" }, { "npy", "astra" }, { "json", "astra" }, { "csv", "astra" }, { "leap", "leap" } };
	const char *dot = strrchr(path, '.');
	*ending = dot ? dot + 1 : "";
	*format = given;
	for (size_t i = 0; !given && i < sizeof by / sizeof *by; i++)
		if (!strcasecmp(*ending, by[i].ending))
			*format = by[i].format;
	if (!*format)
		return gt_fail(GT_ERR_ARG,
		               "%s: expected a name that ends in .nc, .xml (RTK), .npy, .json, .csv (ASTRA) or .leap, or --format", path);
	for (int i = 0; i < 3; i++)
		if (!strcmp(*format, names[i]))
			return GT_OK;
	return gt_unknown_of("geometry format to write", *format, names, 3);
}

gt_status gt_geometry_write(const char *path, const char *given, const gt_scan *scan, const gt_listener *notes)
{
	const char *format = NULL, *ending = NULL;
	char *tmp = NULL;
	gt_status st = path && scan ? format_of(path, given, &format, &ending)
	                            : gt_fail(GT_ERR_ARG, "gt_geometry_write: %s is NULL", path ? "scan" : "path");
	if (st == GT_OK)
		st = gt_scan_check(scan);
	if (st != GT_OK || (st = gt_tmp_path(path, &tmp)) != GT_OK)
		return st;
	FILE *file = fopen(tmp, "wb");
	if (!file)
		st = gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno));
	else if (!strcmp(format, "rtk"))
		st = gt_write_rtk(file, scan, notes);
	else if (!strcmp(format, "astra"))
		st = gt_write_astra(file, scan, ending, notes);
	else
		st = gt_write_leap(file, scan, notes);
	const int bad = file && ferror(file);
	if (file && (fclose(file) != 0 || bad) && st == GT_OK)
		st = gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
	if (st == GT_OK)
		return gt_tmp_commit(tmp, path);
	gt_tmp_drop(tmp);
	return gt_fail_in(st, "%s", path);
}
