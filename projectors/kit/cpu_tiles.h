#ifndef GT_PROJECTORS_KIT_CPU_TILES_H
#define GT_PROJECTORS_KIT_CPU_TILES_H
/* Lines of a volume and tiles of voxels for the CPU projectors that use running sums. n: voxels along x, y, z. */
#include "projectors/kit/running_sums.h"

struct lines {
	const int  *n;
	gt_type     type;
	const void *in;
	double     *sums;               /* [y][x][padded(n[2])] */
};
static inline size_t line_doubles(const int *n) { return (size_t)n[0] * (size_t)n[1] * padded(n[2]); }

/* gt_parallel() over y: [z][y][x] -> running sums along z, with the last sum twice; eight lines at a time for cache
 * locality. */
static void sum_lines(void *self, size_t y, size_t end, int worker)
{
	const struct lines *l = (const struct lines *)self;
	const size_t nx = (size_t)l->n[0], nz = (size_t)l->n[2], plane = nx * (size_t)l->n[1], stride = padded(l->n[2]);
	(void)worker;
	for (; y < end; y++)
		for (size_t x = 0; x < nx; x += 8) {
			double sum[8] = { 0 };
			const size_t m = nx - x < 8 ? nx - x : 8;
			double *line = l->sums + (y * nx + x) * stride;
			for (size_t z = 0; z < nz; z++)
				for (size_t k = 0; k < m; k++) {
					line[k * stride + z] = sum[k];
					sum[k] += get(l->type, l->in, z * plane + y * nx + x + k);
				}
			for (size_t k = 0; k < m; k++)
				line[k * stride + nz] = line[k * stride + nz + 1] = sum[k];
		}
}

/* Tiles of at most SIDE x SIDE x HEIGHT voxels. */
enum { SIDE = 16, HEIGHT = 64, TILE_DOUBLES = SIDE * SIDE * HEIGHT };

struct tile {
	int low[3], size[3];
	double *sum;                    /* [y][x][z]: TILE_DOUBLES */
};
static inline size_t tiles_along(int n, int size) { return ((size_t)n + (size_t)size - 1) / (size_t)size; }
static inline size_t tiles_of(const int *n) { return tiles_along(n[0], SIDE) * tiles_along(n[1], SIDE) * tiles_along(n[2], HEIGHT); }

/* Sets the voxels of tile i and clears its sums. */
static inline void start_tile(const int *n, size_t i, struct tile *t)
{
	static const int max[3] = { SIDE, SIDE, HEIGHT };
	for (int a = 0; a < 3; a++) {
		const size_t tiles = tiles_along(n[a], max[a]);
		t->low[a] = (int)(i % tiles) * max[a];
		t->size[a] = n[a] - t->low[a] < max[a] ? n[a] - t->low[a] : max[a];
		i /= tiles;
	}
	memset(t->sum, 0, TILE_DOUBLES * sizeof *t->sum);
}

GT_INLINE double *tile_line(const struct tile *t, int x, int y) { return t->sum + ((size_t)y * SIDE + (size_t)x) * HEIGHT; }

static inline void add_tile(const int *n, const struct tile *t, gt_type type, void *out)
{
	for (int z = 0; z < t->size[2]; z++)
		for (int y = 0; y < t->size[1]; y++)
			for (int x = 0; x < t->size[0]; x++) {
				const size_t at = ((size_t)(t->low[2] + z) * (size_t)n[1] + (size_t)(t->low[1] + y)) * (size_t)n[0] +
				                  (size_t)(t->low[0] + x);
				put(type, out, at, get(type, out, at) + tile_line(t, x, y)[z]);
			}
}
#endif
