/* Launches of kernels with textures: shapes of blocks against the angle, views per launch against the size of
 * blocks, and the layout of textures. Figures 9 and 10, and table 3, of Lu, Ino, Hagihara (2016). On CUDA alone. */
#include "apps/study/fdk/fdk.h"

enum { CIRCLE = 1200 /* views of the paper; adjacent ones are used */, GROUPS = 2 /* groups of views, 45 degrees apart */ };
static const double enough = 0.03; /* s of a case: there are many */

/* A launch of a form on n^3 voxels: `count` adjacent views from each of `groups` positions of the circle. */
typedef struct {
	const char *form, *block;
	size_t n, views, slices;
	size_t count, groups, first;
} launch;

static gt_status pick_views(const launch *l, gt_grid *grid, gt_scan **part)
{
	const gt_orbit o = fdk_cube(l->n, CIRCLE, grid);
	const size_t n = l->count * l->groups;
	size_t *view = NULL;
	gt_scan *scan = NULL;
	gt_status st = GT_OK;
	GT_TRY(study_new(n, sizeof *view, &view));
	for (size_t i = 0; i < n; i++)
		view[i] = (l->first + i / l->count * (CIRCLE / 8) + i % l->count) % CIRCLE;
	GT_TRY(gt_scan_orbit(&o, &scan));
	GT_TRY(study_pick(scan, view, n, part));
done:
	gt_scan_free(scan);
	free(view);
	return st;
}

/* Seconds of a view; NAN if the device cannot launch it: left out. */
static gt_status time_launch(study *s, const char *part, const launch *l, double *seconds)
{
	gt_scan *scan = NULL;
	gt_grid grid;
	fdk_seconds t;
	gt_status st = GT_OK;
	const char *options = FORMAT("short-scan=off,block=%s,views=%zu,slab=%zu", l->block, l->views, l->slices);
	GT_TRY(pick_views(l, &grid, &scan));
	st = fdk_try(s, part, &(fdk_case){ fdk_way_of(s, l->form), scan, &grid, options, NULL, NULL, enough }, &t);
	*seconds = t.back / (double)(l->count * l->groups);
done:
	gt_scan_free(scan);
	return st;
}

/* The paper's 1024^3, or half of that edge where the memory is short: the volume, and as much again for views and
 * what others hold. */
static gt_status cube_of(const study *s, size_t *n)
{
	const size_t volume = (size_t)1024 * 1024 * 1024 * sizeof(float);
	gt_backend *be = NULL;
	size_t available, total;
	GT_OR_RETURN(gt_backend_open(s->gpu, &be));
	gt_backend_memory(be, &available, &total);
	*n = s->quick ? fdk_of(s)->cube : available > 2 * volume ? 1024 : 512;
	gt_backend_close(be);
	return GT_OK;
}

static gt_status on_cube(study *s, gt_status (*run)(study *s, size_t n))
{
	size_t n;
	if (!s->gpu[0])
		return GT_OK;
	GT_OR_RETURN(cube_of(s, &n));
	return run(s, n);
}

/* Blocks against the angle: figure 9 ---------------------------------------------- */

static const char *const shapes[] = { "256x1", "128x2", "64x4", "32x8", "16x16", "8x32" };
enum { SHAPES = sizeof shapes / sizeof *shapes, SHAPE_VIEWS = 20, SHAPE_SLICES = 512 };

static size_t angle_step(const study *s) { return s->quick ? 90 : 45; }

static size_t angles(const study *s) { return 360 / angle_step(s) + 1; }

static gt_status blocks(study *s, size_t n)
{
	study_table *t = &s->table[STUDY_BLOCKS];
	for (int k = 0; k < SHAPES; k++)
		study_head(t, "%s [ms per view]", shapes[k]);
	for (size_t i = 0; i < angles(s); i++) {
		const size_t degrees = i * angle_step(s), middle = degrees * CIRCLE / 360 + CIRCLE - SHAPE_VIEWS / 2;
		study_number(t, (double)degrees);
		for (int k = 0; k < SHAPES; k++) {
			const launch l = { "layered", shapes[k], n, SHAPE_VIEWS, SHAPE_SLICES, SHAPE_VIEWS, 1, middle };
			double seconds;
			study_step(s, "blocks: %zu degrees: %s", degrees, shapes[k]);
			GT_OR_RETURN(time_launch(s, "blocks", &l, &seconds));
			study_number(t, 1e3 * seconds);
		}
	}
	return GT_OK;
}

/* Views per launch against the size of blocks: figure 10 ------------------------------ */

/* As near to squares as can be. */
static const struct {
	int threads;
	const char *block;
} sizes[] = { { 64, "8x8" }, { 128, "16x8" }, { 256, "16x16" }, { 512, "32x16" }, { 1024, "32x32" } };
enum { SIZES = sizeof sizes / sizeof *sizes };

static const size_t counts[] = { 1, 2, 4, 8, 12, 16, 20, 24, 32 };

static size_t count_step(const study *s) { return s->quick ? 4 : 1; }

static gt_status launches(study *s, size_t n)
{
	study_table *t = &s->table[STUDY_LAUNCHES];
	for (int k = 0; k < SIZES; k++)
		study_head(t, "%d threads, %s [ms per view]", sizes[k].threads, sizes[k].block);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i += count_step(s)) {
		const size_t views = counts[i], count = views < 8 ? 8 : views;
		study_number(t, (double)views);
		for (int k = 0; k < SIZES; k++) {
			const launch l = { "layered", sizes[k].block, n, views, SHAPE_SLICES, count, GROUPS, 0 };
			const char *part = FORMAT("views per launch: %zu, %d threads", views, sizes[k].threads);
			double seconds;
			study_step(s, "%s", part);
			GT_OR_RETURN(time_launch(s, part, &l, &seconds));
			study_number(t, 1e3 * seconds);
		}
	}
	return GT_OK;
}

/* How the textures lie: table 3 --------------------------------------------------------- */

/* The paper's best N' and Z' for each size, with seconds of backprojection; and N' of the largest size for all. size:
 * index of the three. */
static const struct {
	int size;
	size_t n, views, slices;
	double separate, layered;
} cubes[] = { { 0, 512, 20, 256, 1.7, 1.1 },
	      { 0, 512, 16, 256, NAN, NAN },
	      { 1, 1024, 20, 512, 13.1, 9.1 },
	      { 1, 1024, 16, 512, NAN, NAN },
	      { 2, 2048, 16, 128, 112.9, 98.4 } };
static const struct {
	const char *form, *how;
} structures[] = { { "separate", "a texture per view, slices outside" },
	           { "layered", "one layered texture, slices outside" },
	           { "intra", "one layered texture, views outside" } };
enum { CUBES = sizeof cubes / sizeof *cubes, STRUCTURES = sizeof structures / sizeof *structures };

static void add_structure(study *s, int cube, int structure, size_t n, double seconds, double separate)
{
	const double paper[] = { cubes[cube].separate, cubes[cube].layered, NAN }, theirs = s->quick ? NAN : paper[structure];
	study_row(&s->table[STUDY_STRUCTURES], TXT(FORMAT("%zu^3, N' = %zu", n, cubes[cube].views)), TXT(structures[structure].how),
	          TXT(structures[structure].form), NUM(cubes[cube].views), NUM(cubes[cube].slices), NUM(CIRCLE * seconds),
	          NUM((double)n * (double)n * (double)n / seconds / 1073741824), NUM(separate / seconds), NUM(theirs),
	          NUM(cubes[cube].separate / theirs));
}

gt_status fdk_textures(study *s)
{
	for (int i = 0; i < CUBES && s->gpu[0]; i++) {
		const size_t n = s->quick ? fdk_of(s)->cube >> (2 - cubes[i].size) : cubes[i].n;
		double seconds[STRUCTURES];
		for (int k = 0; k < STRUCTURES; k++) {
			const launch l = { structures[k].form, "16x16", n, cubes[i].views, cubes[i].slices, cubes[i].views, GROUPS, 0 };
			study_step(s, "textures: %zu: %s", n, structures[k].form);
			GT_OR_RETURN(time_launch(s, "textures", &l, &seconds[k]));
			if (!isnan(seconds[k]))
				add_structure(s, i, k, n, seconds[k], seconds[0]);
		}
	}
	return GT_OK;
}

size_t fdk_launches_steps(const study *s)
{
	const size_t numbers = (sizeof counts / sizeof *counts + count_step(s) - 1) / count_step(s);
	return s->gpu[0] ? angles(s) * SHAPES + numbers * SIZES + CUBES * STRUCTURES : 0;
}

gt_status fdk_blocks(study *s) { return on_cube(s, blocks); }

gt_status fdk_launches(study *s) { return on_cube(s, launches); }
