#ifndef GT_ANALYTIC_FBP_BACK_TILE_CUH
#define GT_ANALYTIC_FBP_BACK_TILE_CUH
/* Common parts of the kernels that hold tiles of views in shared memory. Blocks are 16 x 16 columns of voxels. The
 * tensor memory accelerator copies tiles some views ahead (compute capability 9.0). Views without a tile are marked. */
#include <math.h>
#include <stdint.h>
#include "analytic/fbp/fbp_cuda.cuh"
#include "core/device/allow_shared.cuh"
#include "core/device/async_copy.cuh"
#include "core/device/device_math.cuh"

#define SIDE 16      /* columns of voxels along x and y processed together by a block's threads */
#define THREADS 256  /* SIDE * SIDE */
#define WARPS 8      /* THREADS / 32 */
#define ENTRIES 128  /* views whose entries are in shared memory: at most THREADS, a multiple of 32 */
/* tiles along x and y of consecutive blocks: they see little of the detector, which stays in the cache */
#define PATCH 16
#define MAX_STAGES 4
#define MAX_HEIGHTS 4 /* number of heights of tiles: 1, 2 or 4 */
#define HEIGHT_STEP 8  /* rows by which each is lower than the previous */
#define SHARED_BYTES (227 << 10) /* shared memory of a multiprocessor for blocks */
#define STATIC_BYTES 1280        /* needs of a block besides stages and table, with the system's part */
#define ENTRY_BYTES 64           /* size of a kernel's entry for a view */

/* Adding 3 2^22, rounded down, leaves floor(x) in the mantissa, for |x| < 2^22. */
#define GT_MAGIC_SIGNED 12582912.f
#define GT_MAGIC_SIGNED_BITS 0x4B400000u

/* Last words of an entry: the tile's first column and row, and the view. */
struct gt_tile_at {
	int column, row, view, more; /* view: times the kernel's heights, plus the index of the height; more: the
				      * kernel's own */
};

/* Views of a batch in boxes as wide as a tile, by descending height. */
struct gt_tile_maps {
	CUtensorMap of[MAX_HEIGHTS];
};

struct gt_tiles_in {
	struct gt_back_grid grid;
	struct gt_bias bias;
	size_t tiles[2], words;
	float last; /* last column of the detector */
	int pad, rows, stage_bytes, stages; /* for the highest tile */
	int heights, step_bytes;            /* number of heights, and decrease of each */
	int half_bytes;                     /* offset of the tile of the other side */
	int floats;                         /* floats per sample */
	unsigned *left;                     /* [tile][words]: bits of the views left to the plain kernel */
	float *out;
};

/* Projection of a block: columns and rows from ... to (rows of the whole block, and of the existing voxels). Steps are
 * rows per voxel, maximum and minimum; they must not exceed the bias. */
struct gt_extent {
	double column[2], row[2], real[2], step, min;
};
static __host__ __device__ __forceinline__ void gt_widen(double range[2], double x)
{
	range[0] = fmin(range[0], x);
	range[1] = fmax(range[1], x);
}

/* First column and row of the tile, and its required size. The accelerator needs multiples of 16 bytes. Kernels read a
 * row below the first voxel's and two above the last one's. */
struct gt_corner {
	int column, row, columns, rows;
};
static __host__ __device__ __forceinline__ struct gt_corner gt_find_corner(const struct gt_extent *e, int floats, double slack)
{
	struct gt_corner c;
	c.column = (int)floor(e->column[0] - slack) & ~(4 / floats - 1);
	c.row = (int)floor(e->row[0] - slack) - 1;
	c.columns = (int)floor(e->column[1] + slack) - c.column + 3 - floats;
	c.rows = (int)floor(e->row[1] + slack) + 2 - c.row + 1;
	return c;
}

#ifdef __CUDACC__

enum { GT_UNSEEN, GT_LEFT_OUT, GT_IN_TILE };

/* Addresses within tiles: in the bits of floats, which fused operations with denormal factors compute exactly, without
 * a conversion and at the full rate. */
static __device__ __forceinline__ float gt_bits(unsigned n) { return __uint_as_float(n); }

/* t = BIAS + x, 0 <= x < BIAS: returns BIAS + floor(x), and the fraction, of 17 bits or more. */
template <int BIAS> static __device__ __forceinline__ float gt_cut(float t, float *part)
{
	static_assert(BIAS == 16 || BIAS == 32 || BIAS == 64, "which bits are the fraction");
	const float whole = __uint_as_float(__float_as_uint(t) & ~0u << (BIAS == 16 ? 19 : BIAS == 32 ? 18 : 17));
	*part = t - whole;
	return whole;
}
static __device__ __forceinline__ float gt_cut(float t, const struct gt_bias *b, float *part)
{
	const float whole = __uint_as_float(__float_as_uint(t) & b->whole);
	*part = t - whole;
	return whole;
}

/* Lanes of a half warp process 4 x 4 columns of voxels: their tiles' columns differ, so that few bank conflicts
 * occur. */
static __device__ __forceinline__ void gt_lane_place(int *i, int *j)
{
	const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	*i = (lane & 3) + 4 * (lane >> 4) + 8 * (warp & 1);
	*j = (lane >> 2 & 3) + 4 * (warp >> 1);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

static __device__ __forceinline__ void gt_copy_tile(const CUtensorMap *map, const struct gt_tiles_in *in, int column, int row, unsigned view,
                                                    char *to, unsigned barrier)
{
	bulk_copy_box(address_of(to), map, in->floats * column, row + in->pad, view, barrier);
}

/* Starts the copy of a tile into a stage, and of its mirrored rows. */
template <int HEIGHTS, int SIDES>
static __device__ __forceinline__ void gt_fetch(const struct gt_tile_maps *maps, const struct gt_tiles_in *in, const struct gt_tile_at *at,
                                                char *stage, uint64_t *barrier)
{
	static_assert(HEIGHTS <= MAX_HEIGHTS && (HEIGHTS & (HEIGHTS - 1)) == 0, "1, 2 or 4");
	const unsigned view = (unsigned)at->view / HEIGHTS, height = (unsigned)at->view % HEIGHTS;
	const unsigned b = address_of(barrier);
	barrier_expect(b, in->stage_bytes - (int)height * in->step_bytes);
	gt_copy_tile(&maps->of[height], in, at->column, at->row, view, stage, b);
	if (SIDES == 2)
		gt_copy_tile(&maps->of[height], in, at->column, (int)in->grid.rows - in->rows - at->row, view, stage + in->half_bytes, b);
}

/* Returns 1 for the last warp that is done with a stage. */
static __device__ __forceinline__ int gt_leave_stage(unsigned *done)
{
	unsigned before;
	asm volatile("atom.acq_rel.cta.shared::cta.inc.u32 %0, [%1], %2;"
	             : "=r"(before)
	             : "r"(address_of(done)), "n"(WARPS - 1)
	             : "memory");
	return before == WARPS - 1;
}

/* Each thread holds the kind of one view, a warp 32 consecutive ones. Marks the views left to the plain kernel in *left
 * (lane 0 of existing views). Views with a tile get consecutive positions; returns their number. */
static __device__ __forceinline__ int gt_tile_sort(int kind, unsigned *left, int *count, int *place)
{
	const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	const unsigned tiled = __ballot_sync(~0u, kind == GT_IN_TILE), out = __ballot_sync(~0u, kind == GT_LEFT_OUT);
	int total = 0;
	if (lane == 0) {
		count[warp] = __popc(tiled);
		if (left)
			*left = out;
	}
	__syncthreads();
	*place = __popc(tiled & ((1u << lane) - 1));
	for (int k = 0; k < WARPS; k++) {
		*place += k < warp ? count[k] : 0;
		total += count[k];
	}
	return total;
}

#endif
#endif

/* Host ------------------------------------------------------------------ */

static inline int gt_stages_of(int stage_bytes, int blocks)
{
	const int max = gt_cuda_max_shared(), room = SHARED_BYTES / blocks < max ? SHARED_BYTES / blocks : max;
	const int n = (room - STATIC_BYTES - ENTRY_BYTES * ENTRIES) / stage_bytes;
	return n < MAX_STAGES ? n : MAX_STAGES;
}

/* Returns NULL, or why the device has no such accelerator. */
const char *gt_tiles_device(gt_backend *be);

/* State of a tiled kernel: its parameters, and the bits of views left to the plain kernel. */
struct gt_tiles {
	gt_backend *be;
	const void *kind;
	struct gt_bias bias;
	int side, slices, rows, stages; /* side, slices: voxels of a block along x and y, and z */
	int sides;                      /* 2: one for each half of the slices, which mirror each other */
	int heights;                    /* number of heights of the kernel's tiles; rows: of the highest */
	size_t words, left_bytes;
	unsigned *left;
};
gt_status gt_tiles_new(gt_backend *be, const gt_fbp_plan *p, size_t batch, int side, int zp, struct gt_tiles **t);
void      gt_tiles_free(void *t);
/* Runs the kernel over a batch, then the plain one over the views it left. columns: of a tile. */
typedef void (*gt_tiles_kernel)(const struct gt_tile_maps, const struct gt_tiles_in);
void      gt_tiles_run(const struct gt_tiles *t, const struct gt_back_call *c, gt_tiles_kernel kernel, int columns);

#endif
