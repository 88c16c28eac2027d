/* Host side of kernels with tiles: the device, the tensor map, bits of views. Memory on the device: a bit per block of
 * voxels and view. */
#include <stdlib.h>
#include "analytic/fbp/back/tile.cuh"
#include "core/device/allow_shared.cuh"

typedef CUresult (*encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *,
                                    const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                                    CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/* Loads the function from the driver, which is not linked. */
static encode_function find_encode(void)
{
	void *p = NULL;
	cudaDriverEntryPointQueryResult found;
	if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &p, 12000, cudaEnableDefault, &found) != cudaSuccess ||
	    found != cudaDriverEntryPointSuccess) {
		cudaGetLastError();
		return NULL;
	}
	return (encode_function)p;
}

const char *gt_tiles_device(gt_backend *be)
{
	int device = 0, major = 0;
	gt_cuda_queue(be);
	if (cudaGetDevice(&device) != cudaSuccess ||
	    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess || major < 9 || !find_encode())
		return "expected a device of compute capability 9.0 or more";
	return NULL;
}

/* Describes the batch as a tensor of floats in boxes of tile_rows rows and `columns` columns; returns nonzero on
 * failure. */
static int describe(const struct gt_back_call *c, int columns, int tile_rows, CUtensorMap *map)
{
	const size_t row = gt_layout_row(&c->layout, c->type), rows = c->plan->rows + 2 * c->layout.pad;
	const cuuint32_t floats = c->layout.pairs ? 2 : 1;
	const cuuint64_t size[3] = { floats * c->layout.pitch, rows, c->views }, stride[2] = { row, row * rows };
	const cuuint32_t box[3] = { floats * (cuuint32_t)columns, (cuuint32_t)tile_rows, 1 }, step[3] = { 1, 1, 1 };
	const encode_function encode = find_encode();
	const CUresult e = !encode ? CUDA_ERROR_NOT_SUPPORTED
	                           : encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, (void *)c->filtered, size, stride, box, step,
	                                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
	                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	if (e != CUDA_SUCCESS)
		gt_backend_fail(c->be, gt_fail(GT_ERR_DEVICE, "backprojection: no tensor map of %zu x %zu x %zu samples (error %d)",
		                               c->layout.pitch, rows, c->views, (int)e));
	return e != CUDA_SUCCESS;
}

static size_t parts(size_t n, size_t of) { return (n + of - 1) / of; }

void gt_tiles_free(void *self)
{
	struct gt_tiles *t = (struct gt_tiles *)self;
	if (!t)
		return;
	gt_backend_free(t->be, t->left, t->left_bytes);
	free(t);
}

gt_status gt_tiles_new(gt_backend *be, const gt_fbp_plan *p, size_t batch, int side, int zp, struct gt_tiles **out)
{
	struct gt_tiles *t = (struct gt_tiles *)calloc(1, sizeof *t);
	if (!t)
		return gt_fail(GT_ERR_MEMORY, "no memory for filtered backprojection");
	t->be = be;
	t->words = parts(batch, 32);
	t->side = side;
	t->slices = zp;
	t->sides = 1;
	t->left_bytes = parts(p->grid.n[0], (size_t)side) * parts(p->grid.n[1], (size_t)side) * parts(p->grid.n[2], (size_t)zp) * t->words *
	                sizeof *t->left;
	if (!(t->left = (unsigned *)gt_backend_alloc(be, t->left_bytes, "views that fit into no tile"))) {
		free(t);
		return GT_ERR_MEMORY;
	}
	*out = t;
	return GT_OK;
}

void gt_tiles_run(const struct gt_tiles *t, const struct gt_back_call *c, gt_tiles_kernel kernel, int columns)
{
	struct gt_tiles_in in;
	struct gt_tile_maps maps;
	for (in.heights = 0; in.heights < t->heights && t->rows > in.heights * HEIGHT_STEP; in.heights++)
		if (describe(c, columns, t->rows - in.heights * HEIGHT_STEP, &maps.of[in.heights]))
			return;
	in.grid = gt_back_grid_of(c);
	in.bias = t->bias;
	in.tiles[0] = parts(in.grid.n[0], (size_t)t->side);
	in.tiles[1] = parts(in.grid.n[1], (size_t)t->side);
	in.words = t->words;
	in.pad = (int)c->layout.pad;
	in.last = (float)(in.grid.wide - 1);
	in.rows = t->rows;
	in.stages = t->stages;
	in.floats = c->layout.pairs ? 2 : 1;
	in.half_bytes = 4 * in.floats * columns * t->rows;
	in.stage_bytes = t->sides * in.half_bytes;
	in.step_bytes = 4 * in.floats * columns * HEIGHT_STEP;
	in.left = t->left;
	in.out = (float *)c->x;
	const size_t blocks = in.tiles[0] * in.tiles[1] * parts(in.grid.n[2], (size_t)(t->sides * t->slices));
	const size_t bytes = (size_t)(in.stages * in.stage_bytes + ENTRY_BYTES * ENTRIES);
	if (gt_cuda_check(c->be, gt_cuda_allow_shared((const void *)kernel, (size_t)bytes), "backprojection: shared memory"))
		return;
	kernel<<<(unsigned)blocks, THREADS, bytes, gt_cuda_queue(c->be)>>>(maps, in);
	if (!gt_cuda_check(c->be, cudaGetLastError(), "backprojection of tiles"))
		gt_back_leftovers(c, t->left, t->words, (size_t)t->side, (size_t)t->slices);
}
