/* Backprojection on the CPU in single precision: selection of the instruction set, and memory. Memory per worker: sums
 * of a tile, and a line of the detector for each of its columns of voxels. */
#include "analytic/fbp/fast/back_single.h"
#include "core/vectors/sets.h"

GT_KERNEL_SETS(gt_back_single)

static size_t pieces(size_t n, size_t size) { return (n + size - 1) / size; }

size_t gt_back_single_tiles(const gt_fbp_plan *p) { return pieces(p->grid.n[0], GT_BACK_ACROSS) * pieces(p->grid.n[1], GT_BACK_ALONG); }

size_t gt_back_single_bytes(const gt_fbp_plan *p)
{
	const size_t sums = (size_t)GT_BACK_ALONG * gt_back_stride(p->grid.n[2]), line = gt_back_line(p->rows);
	return GT_BACK_ACROSS * (sums + line) * sizeof(float);
}

void gt_back_single_run(gt_pool *pool, gt_back_single *b)
{
	const gt_back_single_kernels *k = gt_back_single_best();
	if (b->level)
		gt_parallel(pool, b->views * gt_back_lines(b->plan), 1, k->levels, b);
	gt_parallel(pool, gt_back_single_tiles(b->plan), 1, k->tiles, b);
}
