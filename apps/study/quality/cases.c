/* The scans of `gantry study quality`. Two own objects: a torso of 350 mm with lungs, spine, ribs and vessels,
 * and a micro-CT sample, a rod with pores, grains and metal pins. */
#include "apps/study/quality/quality.h"

/* Densities of water: fat 0.92, muscle 1.05, lung 0.26, bone of vertebrae 1.4, cortical bone 1.9. Lengths in mm. */
#define TORSO                                                                      \
	"combine replace\n"                                                        \
	"cylinder radii=175,120 length=400 density=0.95\n"                         \
	"cylinder radii=162,108 length=400 density=1.04\n"                         \
	"cylinder center=-78,8,0 radii=58,80 length=400 angles=8 density=0.26\n"   \
	"cylinder center=80,6,0 radii=54,78 length=400 angles=-9 density=0.26\n"   \
	"cylinder center=8,28,0 radii=42,48 length=400 angles=25 density=1.05\n"   \
	"cylinder center=-70,20,0 radius=4 length=400 density=1.05\n"              \
	"cylinder center=86,-18,0 radius=3 length=400 density=1.05\n"              \
	"cylinder center=62,30,0 radius=2 length=400 density=1.05\n"               \
	"cylinder center=0,-72,0 radii=24,20 length=400 density=1.8\n"             \
	"cylinder center=0,-72,0 radii=21,17 length=400 density=1.3\n"             \
	"cylinder center=0,-95,0 radii=6,14 length=400 density=1.5\n"              \
	"cylinder center=0,98,0 radii=18,6 length=400 density=1.6\n"               \
	"cylinder center=-142,-12,0 radii=5,13 length=400 angles=6 density=1.8\n"  \
	"cylinder center=142,-8,0 radii=5,13 length=400 angles=-7 density=1.8\n"   \
	"cylinder center=-112,72,0 radii=5,14 length=400 angles=-50 density=1.8\n" \
	"cylinder center=110,74,0 radii=5,14 length=400 angles=48 density=1.8\n"   \
	"cylinder center=-100,-84,0 radii=5,14 length=400 angles=48 density=1.8\n" \
	"cylinder center=102,-82,0 radii=5,14 length=400 angles=-52 density=1.8\n" \
	"cylinder center=-32,-40,0 radius=7 length=400 density=1.07\n"             \
	"cylinder center=32,68,0 radius=9 length=400 density=1.02\n"
/* A rod of plastic of 6 mm with pores, grains and two pins of a metal that attenuates eight times as much. */
#define SAMPLE                                                                         \
	"combine replace\n"                                                            \
	"cylinder radius=3 length=8 density=1.03\n"                                    \
	"cylinder center=-1.2,0.8,0 radius=0.7 length=8 density=0\n"                   \
	"cylinder center=0.4,1.9,0 radius=0.35 length=8 density=0\n"                   \
	"cylinder center=1.5,-0.4,0 radii=0.8,0.5 length=8 angles=30 density=1.7\n"    \
	"cylinder center=-0.5,-1.7,0 radii=0.9,0.35 length=8 angles=-20 density=1.7\n" \
	"cylinder center=-0.2,-0.3,0 radius=0.35 length=8 density=1.08\n"              \
	"cylinder center=1.7,1.3,0 radius=0.16 length=8 density=8\n"                   \
	"cylinder center=-2.2,-0.9,0 radius=0.1 length=8 density=8\n"
/* Scanner, divisor of its pixels and views; rows and slices of the full study. */
#define GE .scanner = "ge-ct750hd", .reduce = 4, .height = 4, .rows = 64, .slices = 44
#define HELICAL .scanner = "ge-ct750hd-helical", .reduce = 8, .all_rows = 1, .height = 5, .rows = 64, .slices = 44
#define MICRO .scanner = "micro-ct", .reduce = 8, .height = 0.08, .rows = 64, .slices = 32
#define SYNCHROTRON .scanner = "synchrotron", .reduce = 8, .height = 0.0104, .rows = 64, .slices = 32
/* Voxels of the small study, every N-th view, photons and target noise. */
#define GRID(nx, ny, mm) .n = { nx, ny }, .pitch = mm
#define DOSE(n, i0, hu) .every = n, .photons = i0, .noise = hu
/* Objects, their scale and the attenuation of water. */
#define HEAD(by, mu) .object = "forbild-head", .scale = by, .water = mu
#define ADULT HEAD(1, 0.02)
#define OWN(statements, by, mu) .object = statements, .own = 1, .scale = by, .water = mu

/* clang-format off */
const quality_case quality_cases[QUALITY_CASES] = {
	{ "head-1e4", "FORBILD head, 1e4 photons", ADULT, GE, GRID(100, 100, 2.5), DOSE(1, 1e4, 25) },
	{ "head-1e5", "FORBILD head, 1e5 photons", ADULT, GE, GRID(100, 100, 2.5), DOSE(1, 1e5, 10), .quick = 1 },
	{ "head-1e6", "FORBILD head, 1e6 photons", ADULT, GE, GRID(100, 100, 2.5), DOSE(1, 1e6, 3) },
	{ "head-few", "FORBILD head, a quarter of the views, 1e5 photons", ADULT, GE, GRID(100, 100, 2.5), DOSE(4, 1e5, 18) },
	{ "torso", "torso of 350 mm, 1e5 photons", OWN(TORSO, 1, 0.02), GE, GRID(148, 104, 2.5), DOSE(1, 1e5, 15) },
	{ "region", "region of 100 mm inside the torso, 1e5 photons", OWN(TORSO, 1, 0.02), GE, GRID(40, 40, 2.5), DOSE(1, 1e5, 15),
	  .center = { 20, -50 } },
	{ "truncated", "torso wider than the detector, 1e5 photons", OWN(TORSO, 1, 0.02), GE, GRID(64, 64, 2.5), DOSE(1, 1e5, 15),
	  .columns = 111 },
	{ "micro-head", "micro-CT, FORBILD head of 8 mm, 1e5 photons", HEAD(0.032, 0.625), MICRO, GRID(120, 120, 0.0625),
	  DOSE(1, 1e5, 10) },
	{ "micro-metal", "micro-CT, rod with two pins of metal, 1e5 photons", OWN(SAMPLE, 1, 0.03), MICRO, GRID(120, 120, 0.0625),
	  DOSE(1, 1e5, 60) },
	{ "head-one-ray", "FORBILD head, 1e5 photons, one ray for each pixel", ADULT, GE, GRID(100, 100, 2.5), DOSE(1, 1e5, 10),
	  .rays = 1 },
	{ "head-fine", "FORBILD head, 1e5 photons, voxels of half a pixel", ADULT, GE, GRID(216, 216, 1.16), DOSE(1, 1e5, 10) },
	{ "head-coarse", "FORBILD head, 1e5 photons, voxels of 1.5 pixels", ADULT, GE, GRID(72, 72, 3.48), DOSE(1, 1e5, 6) },
	{ "helix", "FORBILD head, helix of three turns, 1e5 photons", ADULT, HELICAL, GRID(64, 64, 4), DOSE(1, 1e5, 8) },
	{ "parallel", "synchrotron, rod with two pins of metal, 1e5 photons", OWN(SAMPLE, 0.2, 0.15), SYNCHROTRON, GRID(128, 128, 0.0104),
	  DOSE(1, 1e5, 60) },
};
/* clang-format on */

/* The first is direct, by the method of the scan, the second the preset; the others are manual choices. */
const quality_candidate quality_candidates[QUALITY_CANDIDATES] = {
	[QUALITY_FDK] = { .name = "direct, shepp-logan", .solver = "filter=shepp-logan", .quick = 1 },
	[QUALITY_PRESET] = { .name = "preset iterative", .preset = "iterative", .penalty = "qggmrf", .quick = 1 },
	{ .name = "uniform weights", .preset = "iterative", .weights = "uniform", .penalty = "qggmrf:kappa=no", .quick = 1 },
	{ .name = "weights of the noise", .preset = "iterative", .weights = "noise", .penalty = "qggmrf" },
	{ .name = "model, slope 0.02", .preset = "iterative", .weights = "model:slope=0.02,even=0.2", .penalty = "qggmrf" },
	{ .name = "model, slope 0.09", .preset = "iterative", .weights = "model:slope=0.09,even=0.2", .penalty = "qggmrf" },
	{ .name = "preset, even noise", .preset = "iterative", .penalty = "qggmrf:kappa=noise", .edges = 6 },
	{ .name = "preset, edges of 30 HU", .preset = "iterative", .penalty = "qggmrf:c=30HU" },
};

int quality_has_case(const study *s, int k)
{
	const char *one = quality_found(s)->one;
	return one ? !strcmp(one, quality_cases[k].key) : quality_found(s)->size != QUALITY_QUICK || quality_cases[k].quick;
}

size_t quality_side(const study *s, const quality_case *c, int axis)
{
	const quality_size size = quality_found(s)->size;
	const size_t n = c->n[axis];
	return size == QUALITY_FULL ? 4 * n : size == QUALITY_QUICK ? n / 3 : n;
}

double quality_pitch(const study *s, const quality_case *c) { return c->pitch * (double)c->n[0] / (double)quality_side(s, c, 0); }
