/* Reads known bead positions from a text file. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "calibration/beads/beads.h"
#include "core/arguments.h"
#include "core/files/opener.h"
#include "core/text.h"
#include "core/try.h"

enum { LINE = 512, MAX_BYTES = 16 << 20 };

/* Returns 1 for three numbers, 0 for an empty line or a comment, -1 for anything else. */
static int parse(char *line, double x[3])
{
	char *at = strchr(line, '#');
	if (at)
		*at = 0;
	at = line + strspn(line, " \t\r\n");
	if (!*at)
		return 0;
	for (int a = 0; a < 3; a++) {
		char *end;
		x[a] = gt_strtod(at, &end);
		if (end == at || !isfinite(x[a]) || fabs(x[a]) > 1e6)
			return -1;
		at = end + strspn(end, " \t\r\n");
		if (*at == ',' && a < 2)
			at++;
		else if (at == end && *at)
			return -1;
	}
	return *at ? -1 : 1;
}

gt_status gt_beads_read(const char *path, double (**place)[3], size_t *beads)
{
	char line[LINE];
	size_t number = 0;
	gt_status st = GT_OK;
	FILE *f = NULL;
	GT_NEED(path);
	GT_NEED(place);
	GT_NEED(beads);
	*beads = 0;
	*place = calloc(GT_BEADS_MAX, sizeof **place);
	if (!*place)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(gt_file_text(path, MAX_BYTES, &f));
	while (fgets(line, sizeof line, f)) {
		double x[3];
		const int what = ++number && strchr(line, '\n') == NULL && !feof(f) ? -1 : parse(line, x);
		if (what < 0)
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s, line %zu: expected three numbers x y z in mm, with decimal points", path,
			               number));
		if (what == 1 && *beads == GT_BEADS_MAX)
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s, line %zu: expected at most %d beads", path, number, GT_BEADS_MAX));
		if (what == 1)
			memcpy((*place)[(*beads)++], x, sizeof x);
	}
	if (ferror(f))
		GT_TRY(gt_fail(GT_ERR_IO, "cannot read %s: %s", path, strerror(errno)));
	if (*beads < GT_BEADS_MIN)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: found %zu beads, expected at least %d lines \"x y z\"", path, *beads, GT_BEADS_MIN));
done:
	if (f)
		fclose(f);
	if (st != GT_OK) {
		free(*place);
		*place = NULL;
	}
	return st;
}
