#ifndef GT_PROJECTORS_KIT_VECTOR_LINES_H
#define GT_PROJECTORS_KIT_VECTOR_LINES_H
/* Sizes that the drivers and the kernels of the vectorised CPU projectors share. */
#include <stddef.h>

enum {
	GT_LINE_SLICES = 32,       /* slices for which a detector column is prepared at a time */
	GT_LINE_TILE = 64,         /* rows (forward) or z (adjoint) of a tile */
	GT_LINE_ALONG = 32,        /* in-slice voxels of a tile of the adjoint */
	/* its lines per slice: three more avoid a distance of 8192 bytes between neighbours */
	GT_LINE_TILE_LINES = 35,
	GT_LINE_TILE_FLOATS = GT_LINE_SLICES * GT_LINE_TILE_LINES * GT_LINE_TILE,
	GT_LINE_RESTART = 64,      /* running sums restart after this number of entries */
	/* maximum ratio of voxel and row height, either way, in single precision; beyond it entries are less exact and
	 * the pairs are computed in double */
	GT_LINE_WIDEST = 7,
	GT_LINE_PAD = 32,          /* constant entries on either side of a window of a line */
	/* slices of an adjoint job: tiles in sequence, which share columns in the cache */
	GT_LINE_STRETCH = 2 * GT_LINE_SLICES
};

static inline size_t gt_lanes_of(size_t n) { return (n + 15) & ~(size_t)15; }
static inline size_t gt_pieces_of(size_t n, size_t size) { return (n + size - 1) / size; }

/* Tiles of the adjoint over n voxels along x, y, z, for slices perpendicular to x (0) or y (1), by stretches. */
static inline size_t gt_line_tiles(const int *n, int axis)
{
	return gt_pieces_of((size_t)n[1 - axis], GT_LINE_ALONG) * gt_pieces_of((size_t)n[2], GT_LINE_TILE) *
	       gt_pieces_of((size_t)n[axis], GT_LINE_STRETCH);
}
#endif
