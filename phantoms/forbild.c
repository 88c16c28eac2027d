/* FORBILD head with both ears, from its 3-D definition: G. Lauritsch and H. Bruder, "Head phantom", FORBILD phantom
 * group, University of Erlangen; later shapes replace earlier ones. The table is in cm and in the order of the
 * definition; docs/phantoms.md explains the choice if listings differ. */
#include <stdlib.h>
#include "core/try.h"
#include "phantoms/solids.h"

#define CM 10.0 /* in mm */
#define COS15 0.96592582628906828675
#define SIN15 0.25881904510252076235
#define COS30 0.86602540378443864676
#define COS58 0.5284383347223471 /* 58.1 degrees */
#define SIN58 0.8489716876291414
#define BONE 1.800

/* x, z: axes 0 and 2 of the solid; both zero: along x and z. */
typedef struct {
	gt_solid_kind kind;
	double center[3], half[3], x[3], z[3], taper, density;
} row;

/* clang-format off */
#define ELLIPSOID(cx, cy, cz, a, b, c, density) { GT_SOLID_ELLIPSOID, { cx, cy, cz }, { a, b, c }, { 0, 0, 0 }, { 0, 0, 0 }, 1, density }
#define SPHERE(cx, cy, cz, r, density) ELLIPSOID(cx, cy, cz, r, r, r, density)

static const row head[] = {
	ELLIPSOID(0, 0, 0, 9.6, 12, 12.5, BONE),                /* skull */
	ELLIPSOID(0, 0, 0, 9, 11.4, 11.9, 1.050),               /* brain */
	ELLIPSOID(0, -3.6, 0, 1.8, 3.6, 3.6, 1.045),            /* ventricle */
	ELLIPSOID(0, 8.4, 0, 1.8, 3, 3, 0),                     /* frontal sinus */
	SPHERE(-4.7, 4.3, .872, 2, 1.060),                      /* eyes */
	SPHERE(4.7, 4.3, .872, 2, 1.060),
	SPHERE(-1.08, -9, 0, .4, 1.0525),                       /* low contrast */
	SPHERE(1.08, -9, 0, .4, 1.0475),
	{ GT_SOLID_CONE, { 0, 3.6, 0 }, { 1.2, 4, .5 * .482963 }, { 1, 0, 0 }, { 0, -COS30, .5 }, 1, BONE },
	{ GT_SOLID_CONE, { 0, 9.6, 0 }, { .525561, 2, .5 * .4 }, { 0, COS30, .5 }, { 1, 0, 0 }, 1, BONE },
	{ GT_SOLID_ELLIPSOID, { -1.9, 5.4, 0 }, { 1.206483 * COS15, .420276 * COS15, 3 },
	  { -COS15 * .5, COS30, SIN15 * .5 }, { SIN15, 0, COS15 }, 1, BONE },
	{ GT_SOLID_ELLIPSOID, { 1.9, 5.4, 0 }, { 1.2 * COS15, .42 * COS15, 3 },
	  { COS15 * .5, COS30, SIN15 * .5 }, { -SIN15, 0, COS15 }, 1, BONE },
	{ GT_SOLID_CONE, { -4.3, 6.8, -1 }, { 1.8, .24, 2 }, { -COS30, .5, 0 }, { 0, 0, 1 }, 1, BONE },
	{ GT_SOLID_CONE, { 4.3, 6.8, -1 }, { 1.8, .24, 2 }, { COS30, .5, 0 }, { 0, 0, 1 }, 1, BONE },
	{ GT_SOLID_ELLIPSOID, { 6.393945, -6.393945, 0 }, { 1.2, .42, 1.2 }, { COS58, SIN58, 0 }, { 0, 0, 1 }, 1, 1.055 },
	/* occipital bone */
	{ GT_SOLID_CONE, { 0, -11.15, -.2 }, { .5, .5, .75 }, { 1, 0, 0 }, { 0, 1, 0 }, .4, BONE },
	{ GT_SOLID_CONE, { 0, -11.15, .2 }, { .5, .5, .75 }, { 1, 0, 0 }, { 0, 1, 0 }, .4, BONE },
};

static void orient(gt_solid *s, const double x[3], const double z[3])
{
	if (x[0] == 0 && x[1] == 0 && x[2] == 0)
		return;
	for (int a = 0; a < 3; a++) {
		const int b = (a + 1) % 3, c = (a + 2) % 3;
		s->axis[0][a] = x[a];
		s->axis[1][a] = z[b] * x[c] - z[c] * x[b];
		s->axis[2][a] = z[a];
	}
}

static gt_status add_row(gt_phantom *p, const row *r)
{
	gt_solid s = gt_solid_make(r->kind);
	for (int a = 0; a < 3; a++) {
		s.center[a] = CM * r->center[a];
		s.half[a] = CM * r->half[a];
	}
	orient(&s, r->x, r->z);
	s.taper = r->taper;
	s.density = r->density;
	return gt_solids_add(p, s);
}

static gt_status right_ear(gt_phantom *p)
{
	static const int cells[4][4] = { { 9, 8, 8, 6 }, { 8, 8, 7, 6 }, { 8, 7, 7, 5 }, { 6, 6, 5, 4 } }; /* [|k|][|j|] */
	const double spacing = .4 * COS30, plus_x[3] = { 1, 0, 0 };
	gt_status st = GT_OK;
	gt_solid bone = gt_solid_make(GT_SOLID_ELLIPSOID);
	bone.center[0] = CM * 9.1;
	bone.half[0] = CM * 4.2;
	bone.half[1] = bone.half[2] = CM * 1.8;
	bone.density = BONE;
	GT_TRY(gt_solid_clip(&bone, plus_x, CM * 9.1));
	GT_TRY(gt_solids_add(p, bone));
	for (int k = -3; k <= 3; k++)
		for (int j = -3; j <= 3; j++)
			for (int i = 0; i < cells[abs(k)][abs(j)]; i++) {
				const row cell = SPHERE(((j + k) % 2 ? 8.6 : 8.8) - .4 * i, j * spacing, k * spacing, .15, 0);
				GT_TRY(add_row(p, &cell));
			}
done:
	return st;
}

/* The resolution pattern: 16 groups, each with five ellipsoids in a row along y and four more along z. */
static gt_status left_ear(gt_phantom *p)
{
	static const double transaxial[4] = { .0357, .0312, .0278, .0250 }, axial[4] = { .4, .2, .1, .05 };
	gt_status st = GT_OK;
	for (int group = 0; group < 16; group++) {
		const int a = group % 4, b = group / 4;
		const double d = transaxial[a], h = axial[b], x = -7 + .08 * a, y = -1 + .48 * b;
		for (int m = 0; m < 9; m++) {
			const row grain = ELLIPSOID(x, m < 5 ? y + 2 * m * d : y, m < 5 ? 0 : 2 * (m - 4) * h, .5 * d, .5 * d, .5 * h, BONE);
			GT_TRY(add_row(p, &grain));
		}
	}
done:
	return st;
}

gt_status gt_phantom_build_forbild_head(gt_phantom *p)
{
	gt_status st = GT_OK;
	p->replace = 1;
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		GT_TRY(add_row(p, &head[i]));
	GT_TRY(right_ear(p));
	GT_TRY(left_ear(p));
done:
	return st;
}
