/* 3-D Shepp-Logan heads: ten ellipsoids whose densities add. Volume variants: L. Shepp and B. Logan, IEEE Trans. Nucl.
 * Sci. NS-21, 1974, in the usual 3-D extension, with A of P. Toft (1996) as the modified contrast. Each ellipsoid is
 * rotated about z around its own centre. Kak-Slaney: A. Kak and M. Slaney, Principles of Computerized Tomographic
 * Imaging, 1988, table 3.2; Yu, Ye, Wang, 2006. */
#include <math.h>
#include <gantry/author/constants.h>
#include "phantoms/solids.h"

static const double half_field = 120; /* mm per unit of the tables */

typedef struct {
	double half[3], center[3], degrees, density[2];
} row;

/* clang-format off */
/* density: modified, classic */
static const row volume[] = {
	{ { .6900, .920, .810 }, { 0, 0, 0 }, 0, { 1, 1 } },
	{ { .6624, .874, .780 }, { 0, -.0184, 0 }, 0, { -.8, -.98 } },
	{ { .1100, .310, .220 }, { .22, 0, 0 }, -18, { -.2, -.02 } },
	{ { .1600, .410, .280 }, { -.22, 0, 0 }, 18, { -.2, -.02 } },
	{ { .2100, .250, .410 }, { 0, .35, -.15 }, 0, { .1, .01 } },
	{ { .0460, .046, .050 }, { 0, .1, .25 }, 0, { .1, .01 } },
	{ { .0460, .046, .050 }, { 0, -.1, .25 }, 0, { .1, .01 } },
	{ { .0460, .023, .050 }, { -.08, -.605, 0 }, 0, { .1, .01 } },
	{ { .0230, .023, .020 }, { 0, -.606, 0 }, 0, { .1, .01 } },
	{ { .0230, .046, .020 }, { .06, -.605, 0 }, 0, { .1, .01 } },
};

/* density: Kak-Slaney, Yu-Ye-Wang */
static const row book[] = {
	{ { .69, .92, .90 }, { 0, 0, 0 }, 0, { 2, 1 } },
	{ { .6624, .874, .88 }, { 0, 0, 0 }, 0, { -.98, -.8 } },
	{ { .41, .16, .21 }, { -.22, 0, -.25 }, 108, { -.02, -.2 } },
	{ { .31, .11, .22 }, { .22, 0, -.25 }, 72, { -.02, -.2 } },
	{ { .21, .25, .50 }, { 0, .35, -.25 }, 0, { .02, .2 } },
	{ { .046, .046, .046 }, { 0, .1, -.25 }, 0, { .02, .2 } },
	{ { .046, .023, .02 }, { -.08, -.65, -.25 }, 0, { .01, .1 } },
	{ { .046, .023, .02 }, { .06, -.65, -.25 }, 90, { .01, .1 } },
	{ { .056, .04, .10 }, { .06, -.105, .625 }, 90, { .02, .2 } },
	{ { .056, .056, .10 }, { 0, .1, .625 }, 0, { -.02, -.2 } },
};
/* clang-format on */

static gt_status build(gt_phantom *p, const row *table, size_t rows, int contrast)
{
	gt_status st = GT_OK;
	for (size_t i = 0; i < rows && st == GT_OK; i++) {
		gt_solid s = gt_solid_make(GT_SOLID_ELLIPSOID);
		const double angle = table[i].degrees * GT_PI / 180, c = cos(angle), d = sin(angle);
		const double axis[3][3] = { { c, d, 0 }, { -d, c, 0 }, { 0, 0, 1 } };
		for (int a = 0; a < 3; a++) {
			s.half[a] = half_field * table[i].half[a];
			s.center[a] = half_field * table[i].center[a];
			for (int b = 0; b < 3; b++)
				s.axis[a][b] = axis[a][b];
		}
		s.density = table[i].density[contrast];
		st = gt_solids_add(p, s);
	}
	return st;
}

gt_status gt_phantom_build_shepp_logan(gt_phantom *p) { return build(p, volume, sizeof volume / sizeof *volume, 0); }
gt_status gt_phantom_build_shepp_logan_classic(gt_phantom *p) { return build(p, volume, sizeof volume / sizeof *volume, 1); }
gt_status gt_phantom_build_kak_slaney(gt_phantom *p) { return build(p, book, sizeof book / sizeof *book, 0); }
gt_status gt_phantom_build_yu_ye_wang(gt_phantom *p) { return build(p, book, sizeof book / sizeof *book, 1); }
