/* Model of the texture cache of a multiprocessor, in place of hardware counters: hit rates of figures 9 and 10 of Lu,
 * Ino, Hagihara (2016). Lines have 8 x 4 texels, and the least recently used line is replaced. 2048 threads lie in
 * adjacent blocks, and all warps are in step. Slices are the outer loop and views the inner one, as in the kernel
 * layered. A request is a line of a warp's fetch. */
#include <gantry/author/constants.h>
#include "apps/study/fdk/fdk.h"

enum { EDGE = 1024, CIRCLE = 1200, THREADS = 2048, WARP = 32, LINE_WIDE = 8, LINE_HIGH = 4, SLICES = 24, MAX_VIEWS = 32 };
enum { TILES_WIDE = EDGE / LINE_WIDE + 2, TILES = TILES_WIDE * (EDGE / LINE_HIGH + 2) };

/* Texture caches per multiprocessor, in lines of 128 bytes: two of 24 KB of the paper's device, 256 KB of today's. */
static const struct {
	const char *device;
	int lines;
} caches[] = { { "GeForce GTX 980, 48 KB", 384 }, { "H100, H200, 256 KB", 2048 } };
enum { CACHES = sizeof caches / sizeof *caches };

/* A queue of lines, most recent first. Entry 0 is its end. */
typedef struct {
	int lines, used, *next, *before, *holds, *entry; /* entry: of each line of memory, 0: not cached */
	size_t requests, hits;
} cache;

static void move_to_front(cache *c, int e)
{
	c->next[c->before[e]] = c->next[e];
	c->before[c->next[e]] = c->before[e];
	c->next[e] = c->next[0];
	c->before[e] = 0;
	c->before[c->next[0]] = e;
	c->next[0] = e;
}

static void request(cache *c, int line)
{
	int e = c->entry[line];
	c->requests++;
	c->hits += e != 0;
	if (!e && c->used < c->lines) {
		e = ++c->used;
		c->next[e] = c->before[e] = e;
	} else if (!e) {
		e = c->before[0];
		c->entry[c->holds[e]] = 0;
	}
	c->entry[line] = e;
	c->holds[e] = line;
	move_to_front(c, e);
}

typedef struct {
	gt_orbit orbit;
	double pitch, angle; /* mm of a voxel; degrees of the first view */
	double cosine, sine; /* direction of the current view */
	int wide, high, views;
} launch;

/* Line of the texel below and left of the place where the ray through a voxel meets the detector; -1: outside. */
static int line_of(const launch *l, int view, double x, double y, double z)
{
	const gt_orbit *o = &l->orbit;
	const double along = x * l->cosine + y * l->sine, across = y * l->cosine - x * l->sine,
		     scale = o->source_to_detector / (o->source_to_axis - along), u = across * scale / o->column_pitch + EDGE / 2.,
		     v = z * scale / o->row_pitch + EDGE / 2.;
	return u < 0 || v < 0 || u >= EDGE || v >= EDGE ? -1 : view * TILES + (int)(v / LINE_HIGH) * TILES_WIDE + (int)(u / LINE_WIDE);
}

/* The distinct lines of one fetch of a warp. */
static void fetch(const launch *l, cache *c, int warp, int view, int slice)
{
	int line[WARP], n = 0;
	for (int lane = 0; lane < WARP; lane++) {
		const int thread = warp * WARP + lane, of_block = l->wide * l->high, block = thread / of_block, in = thread % of_block,
			  across = EDGE / 2 / l->wide;
		const double x = (block % across * l->wide + in % l->wide - EDGE / 4.) * l->pitch,
			     y = (block / across * l->high + in / l->wide - EDGE / 6.) * l->pitch, z = (slice + 20.5) * l->pitch;
		const int found = line_of(l, view, x, y, z);
		int k = 0;
		while (k < n && line[k] != found)
			k++;
		if (k == n && found >= 0)
			line[n++] = found;
	}
	for (int k = 0; k < n; k++)
		request(c, line[k]);
}

static gt_status hit_rate(launch *l, int lines, double *percent)
{
	cache c = { .lines = lines };
	int *memory = NULL;
	gt_status st = GT_OK;
	GT_OR_RETURN(study_new((size_t)3 * (size_t)(lines + 1) + (size_t)MAX_VIEWS * TILES, sizeof *memory, &memory));
	c.next = memory;
	c.before = c.next + lines + 1;
	c.holds = c.before + lines + 1;
	c.entry = c.holds + lines + 1;
	for (int slice = 0; slice < SLICES; slice++)
		for (int view = 0; view < l->views; view++) {
			const double turn = l->angle * GT_PI / 180 + 2 * GT_PI * view / CIRCLE;
			l->cosine = cos(turn);
			l->sine = sin(turn);
			for (int warp = 0; warp < THREADS / WARP; warp++)
				fetch(l, &c, warp, view, slice);
		}
	*percent = 100 * (double)c.hits / (double)c.requests;
	free(memory);
	return st;
}

static gt_status add_case(study *s, const char *figure, launch *l)
{
	double rate[CACHES];
	for (int k = 0; k < CACHES; k++)
		GT_OR_RETURN(hit_rate(l, caches[k].lines, &rate[k]));
	study_row(&s->table[STUDY_CACHE], TXT(figure), TXT(FORMAT("%d x %d", l->wide, l->high)), NUM(l->angle), NUM(l->views));
	study_numbers(&s->table[STUDY_CACHE], rate, CACHES);
	return GT_OK;
}

gt_status fdk_cache(study *s)
{
	static const int shapes[][2] = { { 256, 1 }, { 64, 4 }, { 16, 16 }, { 8, 32 } }, counts[] = { 1, 4, 8, 16, 20, 32 };
	gt_grid grid;
	launch l = { .orbit = fdk_cube(EDGE, CIRCLE, &grid) };
	study_step(s, "model of the texture cache");
	l.pitch = grid.pitch[0];
	for (int k = 0; k < CACHES; k++)
		study_head(&s->table[STUDY_CACHE], "hits, %s [%%]", caches[k].device);
	l.views = 20;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (l.angle = 0; l.angle <= 90; l.angle += s->quick ? 90 : 45) {
			l.wide = shapes[i][0];
			l.high = shapes[i][1];
			GT_OR_RETURN(add_case(s, "9: block and angle", &l));
		}
	l.wide = l.high = 16;
	l.angle = 45;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		l.views = counts[i];
		GT_OR_RETURN(add_case(s, "10: views per launch", &l));
	}
	return GT_OK;
}
