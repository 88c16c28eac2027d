/* Runs one direction of a projector or a filtered backprojection with a given variant. */
#include "analytic/table.h"
#include "core/module.h"
#include "tuner/operation.h"
#include <string.h>
#include <gantry/analytic.h>
#include <gantry/projector.h>
#include "core/text.h"
#include "core/try.h"
#include "core/variant/variant.h"

/* Names of the values of fdk-published, whose space is in published_space.cuh. */
static const char *const forms[] = { "strided", "coalesced",  "local",  "local-ahead", "local-once", "batched", "ahead",
	                             "rsqrt",   "transposed", "atomic", "separate",    "intra",      "layered" };
static const char *const blocks[] = { "16x16", "256x1", "128x2", "64x4", "32x8",  "8x32",  "4x64", "2x128",
	                              "1x256", "8x8",   "16x8",  "8x16", "32x16", "16x32", "32x32" };
/* Hand-tuned variants: the form of Papenhausen and others, which requires rows parallel to slices, and the last form
 * without this requirement. */
enum { FORMS = sizeof forms / sizeof *forms, BLOCKS = sizeof blocks / sizeof *blocks, LEVEL = 12, TILTED = 9 };

/* Same test as in the plan of the method. */
static int is_tilted(const gt_scan *scan) { return scan->shape == GT_FLAT && gt_scan_rows_along_z(scan, "") != GT_OK; }
static long form_by_hand(const gt_scan *scan) { return is_tilted(scan) ? TILTED : LEVEL; }

void gt_operation_describe(const gt_scan *scan, const gt_grid *grid, char *about, char *built_in, size_t size)
{
	gt_snprintf(about, size, "rows=%zu slices=%zu views=%zu columns=%zu across=%zu tilted=%d", scan->rows, grid->n[2], scan->views,
	            scan->columns, grid->n[0], is_tilted(scan));
	gt_snprintf(built_in, size, "FORM=%ld VIEWS=0 BLOCK=0 SLAB=%zu", form_by_hand(scan), grid->n[2] < 128 ? grid->n[2] : (size_t)128);
}

static gt_status name_method(const char *variant, gt_operation *s)
{
	const long form = gt_variant_value(variant, "FORM", form_by_hand(s->scan)), block = gt_variant_value(variant, "BLOCK", 0),
		   views = gt_variant_value(variant, "VIEWS", 0), slab = gt_variant_value(variant, "SLAB", 128);
	if (form < 0 || form >= FORMS || block < 0 || block >= BLOCKS)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: expected a FORM of 0 to %d and a BLOCK of 0 to %d", s->kernel->name, FORMS - 1,
		               BLOCKS - 1);
	gt_snprintf(s->method, sizeof s->method, "fdk:kernel=%s,block=%s,views=%ld,slab=%ld", forms[form], blocks[block], views, slab);
	return GT_OK;
}

/* GPU backends run the requested form. The CPU has one kernel and runs it for every form. */
static gt_status make_method(const char *variant, gt_operation *s)
{
	s->in = gt_scan_size(s->scan);
	s->out = gt_grid_voxels(&s->grid);
	if (gt_backend_is_gpu(s->be))
		return name_method(variant, s);
	gt_snprintf(s->method, sizeof s->method, "fdk");
	return GT_OK;
}

gt_status gt_operation_new(const gt_tunable *k, const char *variant, gt_backend *be, gt_type t, const gt_grid *grid, const gt_scan *scan,
                           gt_operation *s)
{
	memset(s, 0, sizeof *s);
	s->kernel = k;
	s->be = be;
	s->scan = scan;
	s->grid = *grid;
	if (!k->projector)
		return make_method(variant, s);
	const gt_status st = gt_projector_new(k->projector, be, t, grid, scan, &s->A);
	if (st != GT_OK)
		return st;
	s->in = k->back ? gt_linop_ny(s->A) : gt_linop_nx(s->A);
	s->out = k->back ? gt_linop_nx(s->A) : gt_linop_ny(s->A);
	return GT_OK;
}

void gt_operation_free(gt_operation *s)
{
	gt_linop_free(s->A);
	s->A = NULL;
}

static gt_status run_method(const gt_operation *s, const gt_array *in, gt_array *out, double *seconds)
{
	const gt_module *m = NULL;
	gt_analytic_times times = { 0, 0, 0 };
	void *options = NULL;
	gt_status st = gt_module_parse_kind(&gt_analytic_kind, s->method, &m, &options);
	if (st == GT_OK)
		st = gt_analytic_run_timed((const gt_analytic *)m, s->be, &s->grid, s->scan, options, in, out, &times);
	gt_free(options);
	if (seconds)
		*seconds = times.back;
	return st;
}

gt_status gt_operation_run(const gt_operation *s, const gt_array *in, gt_array *out, double *seconds)
{
	if (!s->A)
		return run_method(s, in, out, seconds);
	if (s->kernel->back)
		gt_adjoint(s->A, in, out);
	else
		gt_forward(s->A, in, out);
	return GT_OK;
}
