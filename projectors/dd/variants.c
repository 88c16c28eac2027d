/* The variants of the distance-driven projector: other kernels with equal or approximate coefficients. Use 'dd'; the
 * others are published forms for comparison (published/). Memory: see the options of each variant. */
#include <stddef.h>
#include "projectors/dd/dd_operator.h"
#include "projectors/dd/published/dd_integral.h"
#include "projectors/dd/tilt/dd_derivative.h"
#include "projectors/table.h"

#define VARIANT(id, text, cpu, cuda, single)                                                                                         \
	static const gt_dd_variant variant_##id = { .name = text,                                                                    \
		                                    .impl = { cpu, cuda },                                                           \
		                                    .single_only = single,                                                           \
		                                    .ops = { text, gt_dd_apply, gt_dd_apply_adjoint, gt_dd_destroy } };              \
	static gt_status make_##id(gt_backend *be, gt_type t, const gt_grid *g, const gt_scan *s, const void *options, gt_linop **A) \
	{                                                                                                                            \
		return gt_dd_make(&variant_##id, be, t, g, s, options, A);                                                           \
	}
static const char *const parts[] = { "x slices", "y slices", "views", NULL };
#define PARTS(id)                                                                                                                        \
	static gt_status make_part_##id(size_t part, gt_backend *be, gt_type t, const gt_grid *g, const gt_scan *s, const void *options, \
	                                gt_linop **A)                                                                                    \
	{                                                                                                                                \
		return gt_dd_make_part(&variant_##id, part, be, t, g, s, options, A);                                                    \
	}                                                                                                                                \
	static const struct gt_projector_parts parts_##id = { parts, make_part_##id };
VARIANT(upright, "dd", &gt_dd_cpu, GT_IF_CUDA(&gt_dd_cuda), 0)
VARIANT(bs, "dd-bs", NULL, GT_IF_CUDA(&gt_dd_bs_cuda), 0)
VARIANT(bl, "dd-bl", NULL, GT_IF_CUDA(&gt_dd_bl_cuda), 1)
VARIANT(bz, "dd-bz", NULL, GT_IF_CUDA(&gt_dd_bz_cuda), 1)
VARIANT(db, "dd-db", NULL, GT_IF_CUDA(&gt_dd_db_cuda), 0)
PARTS(bl)
PARTS(bz)
PARTS(db)

/* Tilted detectors use their own kernels. */
static gt_status make_dd(gt_backend *be, gt_type t, const gt_grid *g, const gt_scan *s, const void *options, gt_linop **A)
{
	const gt_dd_options *o = options;
	if (gt_scan_rows_along_z(s, "dd") == GT_OK)
		return make_upright(be, t, g, s, options, A);
	return gt_dd_tilt_make("dd", be, t, g, s, o->memory, A);
}

static gt_status derivative_dd(const gt_grid *g, const gt_scan *s, const void *options, const double *jacobian, const gt_array *volume,
                               gt_linop **D)
{
	return gt_dd_derivative_new(g, s, options, make_dd, jacobian, volume, D);
}

static const gt_dd_options plain = { .memory = 65536 };
static const gt_param plain_params[] = {
	{ "memory", "GPU: memory limit of the running sums, in MiB; at most a quarter of the free device memory", GT_REAL,
	  offsetof(gt_dd_options, memory), 1e-6, 1e9, NULL },
	{ 0 },
};

const gt_projector gt_projector_dd = {
	.name = "dd",
	.about = "distance-driven, matched pair; flat detectors in any pose, arcs that roll by less than 45 degrees",
	.params = plain_params,
	.defaults = &plain,
	.options_size = sizeof plain,
	.make = make_dd,
	.make_derivative = derivative_dd,
};
const gt_projector gt_projector_dd_bs = {
	.name = "dd-bs",
	.about = "DD by loops over overlapping voxels and pixels (branch-based), for comparison (Liu et al. 2017); GPU",
	.model = "dd",
	.cuda_only = 1,
	.make = make_bs,
};

static const gt_dd_options branchless = { .memory = 2048 };
#define BRANCHLESS_MEMORY                                                                                                 \
	{                                                                                                                 \
		"memory", "memory limit of the integral images, in MiB; at most half of the free device memory", GT_REAL, \
			offsetof(gt_dd_options, memory), 1e-6, 1e9, NULL                                                  \
	}
static const gt_param branchless_params[] = { BRANCHLESS_MEMORY, { 0 } };
#define BRANCHLESS .params = branchless_params, .defaults = &branchless, .options_size = sizeof branchless, .model = "dd", .cuda_only = 1

const gt_projector gt_projector_dd_bl = {
	.name = "dd-bl",
	.about = "branchless DD with texture units, approximate adjoint; entries deviate by 1 %, with very unequal sizes 50 %; GPU",
	BRANCHLESS,
	.single_only = 1,
	.off_adjoint = 0.4,
	.off_model = 0.5,
	.make = make_bl,
	.parts = &parts_bl,
};
static const char *const entries[] = { "17", "33", "all", NULL }, *const storage[] = { "registers", "shared", NULL };
static const gt_dd_bz_options column = { .common = { .memory = 2048 } };
static const gt_param column_params[] = {
	BRANCHLESS_MEMORY,
	{ "entries", "differences along z per thread, one more than its slices; all: of at most 128 slices", GT_CHOICE,
	  offsetof(gt_dd_bz_options, entries), 0, 0, entries },
	{ "w", "storage of these differences: the last one in a register, or all in shared memory as published", GT_CHOICE,
	  offsetof(gt_dd_bz_options, shared), 0, 0, storage },
	{ 0 },
};
const gt_projector gt_projector_dd_bz = {
	.name = "dd-bz",
	.about = "dd-bl with Z-line backprojection: equal results, faster; approximate adjoint; GPU",
	.params = column_params,
	.defaults = &column,
	.options_size = sizeof column,
	.model = "dd",
	.cuda_only = 1,
	.single_only = 1,
	.off_adjoint = 0.4,
	.off_model = 0.5,
	.make = make_bz,
	.parts = &parts_bz,
};
const gt_projector gt_projector_dd_db = {
	.name = "dd-db",
	.about = "branchless DD with integral images in double precision, matched pair; GPU",
	BRANCHLESS,
	.make = make_db,
	.parts = &parts_db,
};
