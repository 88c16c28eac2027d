#ifndef GT_TESTS_IO_VOLUMES_H
#define GT_TESTS_IO_VOLUMES_H
/* A volume for tests of volume formats: odd sizes, off centre, anisotropic, random. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/io.h>
#include "geometry/volume.h"
#include "tests/support/support.h"

static inline gt_volume *volume(void)
{
	gt_volume *v = gt_volume_blank();
	v->grid = (gt_grid){ { 7, 5, 3 }, { 0.7, 0.9, 1.1 }, { 3.1, -2.2, 7.7 } };
	v->data = malloc(gt_grid_voxels(&v->grid) * sizeof(float));
	gt_test_random(4, gt_grid_voxels(&v->grid), v->data);
	return v;
}

/* tolerance of values, 0: exact; off: of centres, mm. */
static inline void same_volume(const gt_volume *v, const gt_volume *w, double tolerance, double off)
{
	for (int a = 0; a < 3; a++) {
		ck_assert_uint_eq(v->grid.n[a], w->grid.n[a]);
		ck_assert(v->grid.pitch[a] == w->grid.pitch[a]);
		ck_assert_double_le(fabs(v->grid.center[a] - w->grid.center[a]), off);
	}
	if (tolerance == 0)
		ck_assert_int_eq(memcmp(v->data, w->data, gt_grid_voxels(&v->grid) * sizeof(float)), 0);
	for (size_t i = 0; tolerance > 0 && i < gt_grid_voxels(&v->grid); i++)
		ck_assert_double_eq_tol(v->data[i], w->data[i], tolerance);
}
#endif
