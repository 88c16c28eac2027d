/* Polychromatic projections of a phantom; ranges of density define its materials. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/prepare.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "apps/commands/simulate_spectrum.h"

enum { MAX_MATERIALS = 16 };

/* Parses "water,1.3:bone" into names, which point into text, and their lowest densities. */
static gt_status parse_materials(char *text, const char **name, double *from, size_t *count)
{
	for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
		char *end = word, *colon = strchr(word, ':');
		const size_t k = *count;
		if (k == MAX_MATERIALS)
			return gt_fail(GT_ERR_ARG, "--materials: more than %d", MAX_MATERIALS);
		from[k] = colon ? strtod(word, &end) : 0;
		name[k] = colon ? colon + 1 : word;
		if ((colon && end != colon) || (colon && !k) || (!colon && k) || (k && !(from[k] > from[k - 1])) || !name[k][0])
			return gt_fail(GT_ERR_ARG, "--materials: found '%s', expected NAME, then DENSITY:NAME in ascending order", word);
		++*count;
	}
	return *count ? GT_OK : gt_fail(GT_ERR_ARG, "--materials: expected a name");
}

gt_status app_simulate_spectrum(const app_spectrum *o, const gt_phantom *body, gt_pool *pool, const gt_projections *p)
{
	const gt_scan *scan = gt_projections_scan(p);
	char *text = cli_text("%s", o->materials ? o->materials : "water,1.3:bone,3:titanium,6:iron");
	const char *name[MAX_MATERIALS];
	double from[MAX_MATERIALS + 1];
	float *part[MAX_MATERIALS] = { NULL };
	size_t n = 0;
	gt_status st = GT_OK;
	if (!text)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(parse_materials(text, name, from, &n));
	from[n] = INFINITY;
	for (size_t k = 0; k < n; k++) {
		const double band[2] = { k ? from[k] * o->water : -INFINITY, from[k + 1] * o->water };
		if (!(part[k] = malloc(gt_scan_size(scan) * sizeof(float))))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
		GT_TRY(gt_phantom_project_band(body, scan, band, o->rays, pool, part[k]));
		for (size_t i = 0; i < gt_scan_size(scan); i++)
			part[k][i] = (float)(part[k][i] / o->water);
	}
	st = gt_mix_spectrum(o->spectrum, name, n, (const float *const *)part, gt_scan_size(scan), pool, gt_projections_data(p));
done:
	for (size_t k = 0; k < MAX_MATERIALS; k++)
		free(part[k]);
	free(text);
	return st;
}
