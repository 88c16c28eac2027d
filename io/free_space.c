/* Checks free disk space before long computations and after failed writes, whose cause the I/O libraries do not
 * report. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <gantry/io.h>
#include "core/arguments.h"
#include "core/text.h"
#include "io/checkpoint.h"
#include "io/dispatch.h"
#include "io/free_space.h"
#include "io/tmp_list.h"

#define BYTES(n) gt_bytes_text((n), (char[GT_BYTES_TEXT]){ "" })
#define FULL 65536 /* bytes that a full disk may still report as free */

/* Free bytes of the file system; some network file systems do not report their size. */
static double left_there(const char *path)
{
	struct statvfs s;
	return statvfs(path, &s) == 0 && s.f_blocks ? (double)s.f_bavail * (double)s.f_frsize : -1;
}

static double left_on_disk(const char *file)
{
	if (access(file, F_OK) == 0)
		return left_there(file);
	size_t n = strlen(file);
	while (n > 1 && file[n - 1] == '/')
		n--;
	const char *slash = memrchr(file, '/', n);
	char *folder = slash ? strndup(file, (size_t)(slash - file) + 1) : strdup(".");
	const double left = folder ? left_there(folder) : -1;
	free(folder);
	return left;
}

/* RLIMIT_FSIZE limits a file like a full disk does. */
double gt_disk_space(const char *file)
{
	struct rlimit max;
	const double limit = getrlimit(RLIMIT_FSIZE, &max) == 0 && max.rlim_cur != RLIM_INFINITY ? (double)max.rlim_cur : -1;
	const double space = left_on_disk(file);
	return space < 0 || (limit >= 0 && limit < space) ? limit : space;
}

gt_status gt_fail_writing(const char *path, const char *tmp, int why, const char *said)
{
	const double space = gt_disk_space(tmp);
	if (why != EDQUOT && space >= 0 && space < FULL)
		return gt_fail(GT_ERR_IO, "%s: cannot be written: %s (%.0f kiB)", path, strerror(ENOSPC), space / 1024);
	if (why == ENOSPC || why == EDQUOT)
		return gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, strerror(why));
	return gt_fail(GT_ERR_IO, "%s: cannot be written: %s", path, why == EFBIG || !said || !*said ? strerror(why) : said);
}

static gt_status check(const char *path, double bytes, double space)
{
	if (space < 0 || bytes <= space)
		return GT_OK;
	return gt_fail(GT_ERR_IO, "%s: not enough disk space: needs %s, %s available", path, BYTES(bytes), BYTES(space));
}

gt_status gt_has_space_in_all(const char *path, double bytes) { return check(path, bytes, left_on_disk(path)); }

gt_status gt_has_space(const char *path, double bytes)
{
	GT_NEED(path);
	return check(path, bytes, gt_disk_space(path));
}

/* Minimum bytes per sample in this format; 0: unknown, because compressed. */
static double bytes_each(const char *path, const gt_format *f, const gt_write_options *o)
{
	const size_t n = strlen(path);
	if (o->deflate > 0 || (n > 3 && !strcmp(path + n - 3, ".gz")))
		return 0;
	return f->folders && !f->numbers ? 2 : f->numbers && o->bits ? o->bits / 8.0 : sizeof(float);
}

static gt_status has_space(const char *path, const gt_write_options *o, int projections, double numbers)
{
	const gt_format *f;
	gt_write_options full;
	gt_status st = gt_complete_write_options(path, o, &full);
	if (st == GT_OK)
		st = gt_format_for(path, &full, projections, &f);
	if (st != GT_OK)
		return st;
	/* A folder is not one file, so the limit on file sizes does not apply. */
	const double bytes = numbers * bytes_each(path, f, &full);
	return f->folders && gt_names_folder(path) ? gt_has_space_in_all(path, bytes) : gt_has_space(path, bytes);
}

gt_status gt_has_space_for_volume(const char *path, const gt_write_options *o, const gt_grid *grid)
{
	GT_NEED(path);
	GT_NEED(grid);
	return has_space(path, o, 0, (double)grid->n[0] * (double)grid->n[1] * (double)grid->n[2]);
}

gt_status gt_has_space_for_projections(const char *path, const gt_write_options *o, const gt_scan *scan)
{
	GT_NEED(path);
	GT_NEED(scan);
	return has_space(path, o, 1, (double)scan->views * (double)scan->rows * (double)scan->columns);
}

gt_status gt_checkpoint_has_space(const char *path, double bytes)
{
	GT_NEED(path);
	const gt_status st = gt_has_space(path, bytes);
	return st != GT_OK || access(path, F_OK) == 0 ? st : gt_has_space_in_all(path, 2 * bytes);
}
