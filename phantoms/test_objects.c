/* Test objects: a cylinder, M. Defrise's stack of discs (1995), bar patterns, spheres, a box. */
#include "core/try.h"
#include "phantoms/solids.h"

static gt_status add(gt_phantom *p, gt_solid_kind kind, double density, double x, double y, double z, double a, double b, double c)
{
	gt_solid s = gt_solid_make(kind);
	const double center[3] = { x, y, z }, half[3] = { a, b, c };
	for (int i = 0; i < 3; i++) {
		s.center[i] = center[i];
		s.half[i] = half[i];
	}
	s.density = density;
	return gt_solids_add(p, s);
}

gt_status gt_phantom_build_water_cylinder(gt_phantom *p) { return add(p, GT_SOLID_CONE, 1, 0, 0, 0, 100, 100, 150); }

gt_status gt_phantom_build_defrise(gt_phantom *p)
{
	gt_status st = GT_OK;
	for (int i = -3; i <= 3 && st == GT_OK; i++)
		st = add(p, GT_SOLID_CONE, 1, 0, 0, 20 * i, 80, 80, 5);
	return st;
}

/* Five bars per pitch, as wide as their gaps. y > 0: along x; y < 0: along z. */
gt_status gt_phantom_build_bars(gt_phantom *p)
{
	static const double pitch[5] = { 2, 1.6, 1.2, 1, .8 };
	gt_status st = GT_OK;
	p->replace = 1;
	GT_TRY(add(p, GT_SOLID_CONE, 1, 0, 0, 0, 50, 50, 20));
	for (int g = 0; g < 5; g++)
		for (int i = -2; i <= 2; i++) {
			const double x = 14 * (g - 2), at = i * pitch[g], width = .25 * pitch[g];
			GT_TRY(add(p, GT_SOLID_BOX, 2, x + at, 15, 0, width, 8, 8));
			GT_TRY(add(p, GT_SOLID_BOX, 2, x, -15, at, 5, 8, width));
		}
done:
	return st;
}

/* All spheres differ, so that flipped or exchanged axes are visible. */
gt_status gt_phantom_build_spheres(gt_phantom *p)
{
	/* clang-format off */
	static const double place[6][4] = {
		{ 60, 0, 0, 1 }, { -60, 0, 0, 1.2 }, { 0, 45, 0, 1.4 }, { 0, -45, 0, 1.6 }, { 0, 0, 10, 1.8 }, { 0, 0, -10, 2 },
	};
	/* clang-format on */
	gt_status st = GT_OK;
	for (int i = 0; i < 6 && st == GT_OK; i++)
		st = add(p, GT_SOLID_ELLIPSOID, place[i][3], place[i][0], place[i][1], place[i][2], 3, 3, 3);
	return st;
}

gt_status gt_phantom_build_box(gt_phantom *p) { return add(p, GT_SOLID_BOX, 1, 10, -15, 5, 40, 60, 30); }
