/* The scans of `gantry study quality`. Two own objects: a torso of 350 mm with lungs, spine, ribs and vessels,
 * and a micro-CT sample, a rod with pores, grains and metal pins. */
#include "apps/study/quality/cases.h"

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
#define GE_SCAN .scanner = "ge-ct750hd", .reduce = 4, .scale = 1, .water = 0.02, .height = 4, .rows = 64, .slices = 44
#define GE GE_SCAN, .pitch = 2.5
#define HEAD .object = "forbild-head", .n = { 100, 100 }, GE
#define MICRO .scanner = "micro-ct", .reduce = 8, .n = { 120, 120 }, .pitch = 0.0625, .height = 0.08, .rows = 64, .slices = 32

const quality_case quality_cases[QUALITY_CASES] = {
	{ .key = "head-1e4", .title = "FORBILD head, 1e4 photons", HEAD, .every = 1, .photons = 1e4, .noise = 25 },
	{ .key = "head-1e5", .title = "FORBILD head, 1e5 photons", HEAD, .every = 1, .photons = 1e5, .noise = 10, .quick = 1 },
	{ .key = "head-1e6", .title = "FORBILD head, 1e6 photons", HEAD, .every = 1, .photons = 1e6, .noise = 3 },
	{ .key = "head-few", .title = "FORBILD head, a quarter of the views, 1e5 photons", HEAD, .every = 4, .photons = 1e5, .noise = 18 },
	{ .key = "torso",
	  .title = "torso of 350 mm, 1e5 photons",
	  .object = TORSO,
	  .own = 1,
	  .n = { 148, 104 },
	  GE,
	  .every = 1,
	  .photons = 1e5,
	  .noise = 15 },
	{ .key = "micro-head",
	  .title = "micro-CT, FORBILD head of 8 mm, 1e5 photons",
	  .object = "forbild-head",
	  MICRO,
	  .every = 1,
	  .scale = 0.032,
	  .water = 0.625,
	  .photons = 1e5,
	  .noise = 10 },
	{ .key = "micro-metal",
	  .title = "micro-CT, rod with two pins of metal, 1e5 photons",
	  .object = SAMPLE,
	  .own = 1,
	  MICRO,
	  .every = 1,
	  .scale = 1,
	  .water = 0.03,
	  .photons = 1e5,
	  .noise = 60 },
	{ .key = "head-one-ray",
	  .title = "FORBILD head, 1e5 photons, one ray for each pixel",
	  HEAD,
	  .every = 1,
	  .rays = 1,
	  .photons = 1e5,
	  .noise = 10 },
	{ .key = "head-fine",
	  .title = "FORBILD head, 1e5 photons, voxels of half a pixel",
	  .object = "forbild-head",
	  .n = { 216, 216 },
	  GE_SCAN,
	  .pitch = 1.16,
	  .every = 1,
	  .photons = 1e5,
	  .noise = 10 },
	{ .key = "head-coarse",
	  .title = "FORBILD head, 1e5 photons, voxels of 1.5 pixels",
	  .object = "forbild-head",
	  .n = { 72, 72 },
	  GE_SCAN,
	  .pitch = 3.48,
	  .every = 1,
	  .photons = 1e5,
	  .noise = 6 },
	{ .key = "helix",
	  .title = "FORBILD head, helix of three turns, 1e5 photons",
	  .object = "forbild-head",
	  .scanner = "ge-ct750hd-helical",
	  .reduce = 8,
	  .all_rows = 1,
	  .n = { 64, 64 },
	  .pitch = 4,
	  .height = 5,
	  .rows = 64,
	  .slices = 44,
	  .scale = 1,
	  .water = 0.02,
	  .every = 1,
	  .photons = 1e5,
	  .noise = 8 },
	{ .key = "parallel",
	  .title = "synchrotron, rod with two pins of metal, 1e5 photons",
	  .object = SAMPLE,
	  .own = 1,
	  .scanner = "synchrotron",
	  .reduce = 8,
	  .n = { 128, 128 },
	  .pitch = 0.0104,
	  .height = 0.0104,
	  .rows = 64,
	  .slices = 32,
	  .scale = 0.2,
	  .water = 0.15,
	  .every = 1,
	  .photons = 1e5,
	  .noise = 60 },
};

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
