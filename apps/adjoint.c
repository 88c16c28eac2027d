/* Is the projector's adjoint exact for this scan? Every matrix entry on a coarsened copy, random dot products in full. */
#include <math.h>
#include "apps/cli.h"
#include "apps/method.h"
#include "projectors/projector.h"

typedef struct {
	const char *projector, *grid;
	int coarse_only;
	long long seed, views, rows, columns, voxels;
} adjoint_options;
static const adjoint_options defaults = { .projector = "dd", .seed = 1, .views = 8, .rows = 6, .columns = 12, .voxels = 9 };
#define AT(field) offsetof(adjoint_options, field)
static const cli_option options[] = {
	{ "projector", 0, CLI_TEXT, "NAME", "the pair to test (default dd)", AT(projector), 0, 0, NULL },
	{ "grid", 0, CLI_TEXT, "SPEC", "NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ] (default: what fits the scan)", AT(grid), 0, 0, NULL },
	{ "coarse-only", 0, CLI_FLAG, NULL, "leave out the dot products of the full size", AT(coarse_only), 0, 0, NULL },
	{ "seed", 0, CLI_INT, "N", "of the dot products: N and N + 1 (default 1)", AT(seed), 0, 9e15, NULL },
	{ "views", 0, CLI_INT, "N", "of the coarsened copy (default 8)", AT(views), 1, 10000, NULL },
	{ "rows", 0, CLI_INT, "N", "of the coarsened copy (default 6)", AT(rows), 1, 1000, NULL },
	{ "columns", 0, CLI_INT, "N", "of the coarsened copy (default 12)", AT(columns), 1, 1000, NULL },
	{ "voxels", 0, CLI_INT, "N", "along each axis of the coarsened copy, at most (default 9)", AT(voxels), 1, 100, NULL },
	{ 0 },
};

enum { SEEDS = 2 };
typedef struct {
	double elements, largest, dot[SEEDS];
	size_t nx, ny;
} findings;

static gt_status test_elements(const cli_call *call, const adjoint_options *o, gt_backend *be, const gt_scan *scan, const gt_grid *grid,
                               findings *f)
{
	gt_scan *coarse = NULL;
	gt_linop *A = NULL;
	gt_grid few;
	double difference = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_scan_coarsen(scan, (size_t)o->views, (size_t)o->rows, (size_t)o->columns, &coarse));
	gt_grid_coarsen(grid, (size_t)o->voxels, &few);
	GT_TRY(gt_projector_new(o->projector, be, cli_type(call), &few, coarse, &A));
	f->nx = gt_linop_nx(A);
	f->ny = gt_linop_ny(A);
	GT_TRY(gt_linop_mismatch_elements(A, &difference, &f->largest));
	if (!(f->largest > 0))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "the projector is zero everywhere on the coarsened scan: no ray meets the grid"));
	f->elements = difference / f->largest;
done:
	gt_linop_free(A);
	gt_scan_free(coarse);
	return st;
}

static gt_status test_dots(const cli_call *call, const adjoint_options *o, gt_backend *be, const gt_scan *scan, const gt_grid *grid,
                           findings *f)
{
	gt_linop *A = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_projector_new(o->projector, be, cli_type(call), grid, scan, &A));
	for (int i = 0; i < SEEDS; i++)
		GT_TRY(gt_linop_mismatch(A, (uint64_t)o->seed + (uint64_t)i, &f->dot[i]));
done:
	gt_linop_free(A);
	return st;
}

static void report(const cli_call *call, const adjoint_options *o, const findings *f, double element_tolerance, double dot_tolerance)
{
	if (!call->common.json) {
		printf("%s, %s\n", o->projector, gt_type_name(cli_type(call)));
		printf("elements      %zu x %zu   largest difference %.3g of the largest entry (at most %.0e)\n", f->ny, f->nx, f->elements,
		       element_tolerance);
		for (int i = 0; i < SEEDS && !o->coarse_only; i++)
			printf("dot product   seed %lld   mismatch %.3g (at most %.0e)\n", o->seed + i, f->dot[i], dot_tolerance);
		return;
	}
	cJSON *json = cJSON_CreateObject();
	cJSON_AddStringToObject(json, "projector", o->projector);
	cJSON_AddStringToObject(json, "precision", gt_type_name(cli_type(call)));
	cJSON_AddNumberToObject(json, "rows_of_matrix", (double)f->ny);
	cJSON_AddNumberToObject(json, "columns_of_matrix", (double)f->nx);
	cJSON_AddNumberToObject(json, "element_difference", f->elements);
	cJSON_AddNumberToObject(json, "element_tolerance", element_tolerance);
	cJSON_AddNumberToObject(json, "largest_entry_mm", f->largest);
	if (!o->coarse_only) {
		cJSON_AddItemToObject(json, "dot", cJSON_CreateDoubleArray(f->dot, SEEDS));
		cJSON_AddNumberToObject(json, "dot_tolerance", dot_tolerance);
	}
	cli_json(json);
}

static int run(const cli_call *call, const void *given)
{
	const adjoint_options *o = given;
	const int twice = cli_type(call) == GT_F64;
	const double element_tolerance = twice ? 1e-12 : 1e-5, dot_tolerance = twice ? 1e-12 : 1e-6;
	gt_projections *p = NULL;
	gt_backend *be = NULL;
	gt_grid grid;
	findings f = { 0 };
	gt_status st = GT_OK;
	GT_TRY(app_projector_check(o->projector));
	GT_TRY(cli_read_scan(call, call->file[0], CLI_GEOMETRY, &p));
	GT_TRY(cli_grid(call, o->grid, NULL, p->scan, &grid));
	GT_TRY(cli_open(call, &be));
	GT_TRY(test_elements(call, o, be, p->scan, &grid, &f));
	if (!o->coarse_only)
		GT_TRY(test_dots(call, o, be, p->scan, &grid, &f));
	report(call, o, &f, element_tolerance, dot_tolerance);
	if (!(f.elements <= element_tolerance))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED,
		               "out of tolerance: entries of the adjoint differ by %.3g of the largest, expected at most %.0e", f.elements,
		               element_tolerance));
	for (int i = 0; i < SEEDS; i++)
		if (!(f.dot[i] <= dot_tolerance))
			GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "out of tolerance: dot products differ by %.3g, expected at most %.0e", f.dot[i],
			               dot_tolerance));
done:
	gt_backend_close(be);
	gt_projections_free(p);
	return cli_exit(call, st);
}

const cli_command cli_adjoint = {
	.name = "adjoint",
	.about = "test that a projector pair is exactly adjoint; exit 1 if not",
	.synopsis = "SCAN [options]",
	.notes = "  gantry adjoint scan.nc --projector dd --precision double\n",
	.traits = CLI_COMPUTES | CLI_REPORTS,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.least_files = 1,
	.most_files = 1,
	.run = run,
};
