/* Interpolation between two texels: exact, by a texture unit with 8 bits of fraction, and by the projectors. Figure 11
 * of the paper. The integral image of a single voxel rises linearly across it. Pixels much narrower than the voxel
 * see its increments, so their running sum is the interpolated value. */
#include <math.h>
#include <string.h>
#include <gantry/constants.h>
#include "apps/cli/try.h"
#include "apps/study/accuracy/accuracy.h"

/* Positions between the texels, of which the first are shown, as in the paper; levels of the texture unit. */
enum { BETWEEN = 32768, POINTS = 1024, LEVELS = 256 };

static gt_status narrow_pixels(gt_scan **scan)
{
	const gt_orbit o = { .shape = GT_PARALLEL,
		             .views = 1,
		             .rows = 1,
		             .columns = POINTS,
		             .column_pitch = 1. / BETWEEN,
		             .row_pitch = 1,
		             .turn = GT_PI,
		             .column_offset = (BETWEEN - POINTS) / 2. }; /* the first begins at the edge of the voxel */
	return gt_scan_orbit(&o, scan);
}

static int is_shown(const study *s, const study_results *r, const study_variant *v)
{
	return study_of(s, r, v)->forward && !strcmp(study_model(v), accuracy_of(s)->reference->name);
}

static void fill(study *s, const study_results *r)
{
	study_table *t = &s->table[STUDY_INTERPOLATION];
	for (const study_variant *v = NULL; (v = study_next(s, v, IN_ACCURACY));)
		if (is_shown(s, r, v))
			study_head(t, "%s", v->label);
	for (int i = 0; i < POINTS; i++) {
		const double at = (i + 1.) / BETWEEN;
		study_row(t, NUM(at), NUM(at), NUM(floor(at * LEVELS + 0.5) / LEVELS));
		for (const study_variant *v = NULL; (v = study_next(s, v, IN_ACCURACY));) {
			double sum = 0;
			for (int k = 0; k <= i && is_shown(s, r, v); k++)
				sum += study_of(s, r, v)->forward[k] / BETWEEN;
			if (is_shown(s, r, v))
				study_number(t, sum);
		}
	}
}

gt_status study_interpolation(study *s)
{
	const gt_grid grid = { { 3, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 } };
	const float voxel[] = { 0, 1, 0 };
	gt_scan *scan = NULL;
	study_results r = { NULL, NULL, 0, 0 };
	gt_status st = GT_OK;
	GT_TRY(narrow_pixels(&scan));
	GT_TRY(study_compute(s, &(study_experiment){ .part = "interpolation", .grid = &grid, .forward = scan, .volume = voxel }, &r));
	fill(s, &r);
done:
	study_results_free(&r);
	gt_scan_free(scan);
	return st;
}
