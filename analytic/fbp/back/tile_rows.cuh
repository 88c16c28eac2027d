#ifndef GT_ANALYTIC_FBP_BACK_TILE_ROWS_CUH
#define GT_ANALYTIC_FBP_BACK_TILE_ROWS_CUH
/* Voxels along z from one column of a detector in shared memory, rows parallel to the voxels' slices. A run of C voxels
 * reads each required row once and keeps it in registers. Voxel j of the run, counted from its base voxel, has the row
 * s + dv j above the base voxel's row, 0 <= s < 1. Let dv = U + g, with g in an interval without fractions i/j of the
 * run. Then floor(g j) is known at compile time, and s + g j - floor(g j) is in [0, 2). The voxel is between the rows
 * k = U j + floor(g j) and k + 1 or the next one, and
 *     value = p[k] + sat(s + g j - floor(g j)) (p[k+1] - p[k]) + sat(s + g j - floor(g j) - 1) (p[k+2] - p[k+1])
 * is the exact linear interpolation, without an address or a branch per voxel. With two SIDES the same numbers serve
 * the voxels mirrored at the plane of the orbit. Their rows are in a separate tile, in descending order. */
#include "analytic/fbp/back/tile.cuh"

/* Floor of thousandths. */
static __host__ __device__ constexpr int gt_floor_milli(int a) { return a >= 0 ? a / 1000 : -((999 - a) / 1000); }

/* Two floats: a sample and the next one, or a pair (value, next value less it). */
template <int FLOATS> static __device__ __forceinline__ float2 gt_two(const char *q)
{
	if (FLOATS == 2)
		return *(const float2 *)q;
	const float *a = (const float *)q;
	return { a[0], a[1] };
}

/* Value at `part` between two columns. */
template <int FLOATS> static __device__ __forceinline__ float gt_row_value(const char *q, float part)
{
	const float2 a = gt_two<FLOATS>(q);
	return fmaf(part, FLOATS == 2 ? a.y : a.y - a.x, a.x);
}

/* Adds C voxels with base voxel J0 and steps U + G/1000, all in the same interval; q: the base voxel's row, of each
 * side. Sums of the other side are ZP further. */
template <int SIDES, int ZP, int C, int J0, int U, int G, int PITCH, int FLOATS>
static __device__ __forceinline__ void gt_add_run(float *sum, const char *const q[SIDES], float part, float s, float g, float weight)
{
	constexpr int low = -J0 * U + gt_floor_milli(-J0 * G), first = low < 0 ? low : 0;
	constexpr int rows = (C - 1 - J0) * U + gt_floor_milli((C - 1 - J0) * G) + 3 - first;
	float p[SIDES][rows], d[SIDES][rows - 1];
#pragma unroll
	for (int r = 0; r < rows; r++)
#pragma unroll
		for (int i = 0; i < SIDES; i++)
			p[i][r] = gt_row_value<FLOATS>(q[i] + (i ? -1 : 1) * (r + first) * PITCH, part);
#pragma unroll
	for (int r = 0; r < rows - 1; r++)
#pragma unroll
		for (int i = 0; i < SIDES; i++)
			d[i][r] = p[i][r + 1] - p[i][r];
#pragma unroll
	for (int z = 0; z < C; z++) {
		const int j = z - J0, f = gt_floor_milli(j * G), k = j * U + f - first;
		const float near = j ? __saturatef(fmaf(g, (float)j, s - (float)f)) : s;
		const float far = j ? __saturatef(fmaf(g, (float)j, s - (float)(f + 1))) : 0;
#pragma unroll
		for (int i = 0; i < SIDES; i++) {
			const float one = fmaf(near, d[i][k], p[i][k]), value = j ? fmaf(far, d[i][k + 1], one) : one;
			sum[i * ZP + z] = fmaf(weight, value, sum[i * ZP + z]);
		}
	}
}

/* A column of ZP voxels: v is the row of the central one, ZP / 2; dv is the step. `tile` is the address of row 0 at
 * this column minus GT_MAGIC_SIGNED_BITS rows; `other` is its mirror image plus the same number of rows. Rows are
 * counted from the centre, which keeps their fractions. */
template <int SIDES, int ZP, int C, int J0, int U, int G, int PITCH, int FLOATS>
static __device__ __forceinline__ void gt_add_runs(float *sum, const char *base, unsigned tile, unsigned other, float part, float v, float dv,
                                                   float weight)
{
	const float g = dv - (float)U;
#pragma unroll
	for (int z = 0; z < ZP; z += C) {
		const float row = fmaf(dv, (float)(z + J0 - ZP / 2), v), whole = __fadd_rd(row, GT_MAGIC_SIGNED);
		const float s = row - (whole - GT_MAGIC_SIGNED);
		const unsigned down = __float_as_uint(whole) * PITCH;
		const char *const q[2] = { base + (int)(tile + down), base + (int)(other - down) };
		gt_add_run<SIDES, ZP, C, J0, U, G, PITCH, FLOATS>(sum + z, q, part, s, g, weight);
	}
}

/* Likewise for any step within the bias: two rows per voxel, counted from the first of a run. Both columns are
 * interpolated along z, because their weights are the same for all voxels. */
template <int ZP, int RUN, int PITCH, int FLOATS>
static __device__ __forceinline__ void gt_add_voxels(float *sum, const char *base, unsigned tile, const struct gt_bias *bias, float part,
                                                     float v, float dv, float weight)
{
	const float second = weight * part, first = FLOATS == 2 ? weight : weight - second;
#pragma unroll
	for (int z = 0; z < ZP; z += RUN) {
		const float row = fmaf(dv, (float)(z - ZP / 2), v), whole = __fadd_rd(row, GT_MAGIC_SIGNED), from = row - (whole - bias->magic);
		const float zero = fmaf(bias->less, gt_bits(PITCH), gt_bits(__float_as_uint(whole) * PITCH + tile));
#pragma unroll
		for (int k = 0; k < RUN; k++) {
			float s;
			const float near = gt_cut(fmaf(dv, (float)k, from), bias, &s);
			const char *q = base + __float_as_int(fmaf(near, gt_bits(PITCH), zero));
			const float2 low = gt_two<FLOATS>(q), high = gt_two<FLOATS>(q + PITCH);
			const float one = fmaf(s, high.x - low.x, low.x), two = fmaf(s, high.y - low.y, low.y);
			sum[z + k] = fmaf(second, two, fmaf(first, one, sum[z + k]));
		}
	}
}

/* Steps with separate runs, each of which is separate code: only the ones that a plan needs. MIRRORED: only steps
 * within GT_NEAR of one row, and two sides. */
enum { GT_STEPS_NEAR, GT_STEPS_LOW, GT_STEPS_HIGH, GT_STEPS_ANY, GT_STEPS_MIRRORED };
#define GT_SIDES_OF(steps) ((steps) == GT_STEPS_MIRRORED ? 2 : 1)
#define GT_NEAR 0.24999
/* for GT_STEPS_ANY, sampled at the centres of blocks: from 9 on, at any corner, runs would be wrong */
#define GT_MAX_STEP 6.5

template <int STEPS, int ZP, int RUN, int PITCH, int FLOATS>
static __device__ __forceinline__ void gt_add_column(float *sum, const char *base, unsigned tile, unsigned other, const struct gt_bias *bias,
                                                     float part, float v, float dv, float weight)
{
#define RUNS(C, J0, U, G) \
	gt_add_runs<GT_SIDES_OF(STEPS), ZP, C, J0, U, G, PITCH, FLOATS>(sum, base, tile, other, part, v, dv, weight)
	const float g = dv - 1.f;
	if (STEPS == GT_STEPS_MIRRORED || (STEPS == GT_STEPS_NEAR && fabsf(g) < 0.25f)) {
		if (g < 0) {
			if (g > -0.125f)
				RUNS(16, 7, 1, -60);
			else
				RUNS(8, 3, 1, -190);
		} else {
			if (g < 0.125f)
				RUNS(16, 7, 1, 60);
			else
				RUNS(8, 3, 1, 190);
		}
	} else if (STEPS == GT_STEPS_LOW && dv < 1.f) {
		if (dv < 1.f / 4)
			RUNS(8, 3, 0, 125);
		else if (dv < 1.f / 3)
			RUNS(8, 3, 0, 290);
		else if (dv < 1.f / 2)
			RUNS(8, 3, 0, 420);
		else if (dv < 2.f / 3)
			RUNS(8, 3, 1, -420);
		else if (dv < 3.f / 4)
			RUNS(8, 3, 1, -290);
		else
			RUNS(8, 3, 1, -125);
	} else if (STEPS == GT_STEPS_HIGH && dv >= 1.25f && dv < 2.f) {
		if (dv < 5.f / 3) {
			if (dv >= 3.f / 2)
				RUNS(8, 3, 2, -420);
			else if (dv >= 4.f / 3)
				RUNS(8, 3, 1, 420);
			else
				RUNS(8, 3, 1, 290);
		} else {
			if (dv >= 7.f / 4)
				RUNS(8, 3, 2, -125);
			else
				RUNS(8, 3, 2, -290);
		}
	} else {
		gt_add_voxels<ZP, RUN, PITCH, FLOATS>(sum, base, tile, bias, part, v, dv, weight);
	}
#undef RUNS
}

#endif
