/* gantry adjoint: compares every matrix entry on a coarsened copy of the scan, and random dot products at full size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include <gantry/recon.h>
#include "apps/cli/cli.h"
#include "apps/cli/try.h"
#include "geometry/grid.h"
#include "recon/choose.h"

typedef struct {
	const char *projector, *grid;
	int all, coarse_only;
	long long seed, views, rows, columns, voxels;
} adjoint_options;
static const adjoint_options defaults = { .seed = 1, .views = 8, .rows = 6, .columns = 12, .voxels = 9 };
#define AT(field) offsetof(adjoint_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "projector", .kind = CLI_TEXT, .value = "NAME",
	  .help = "projector to test (default dd, or a projector that supports the detector)", .at = AT(projector) },
	{ .name = "all", .kind = CLI_FLAG, .help = "test every projector, one line each", .at = AT(all) },
	{ .name = "grid", .kind = CLI_TEXT, .value = "SPEC",
	  .help = "NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ] (default: the field of view)", .at = AT(grid) },
	{ .name = "coarse-only", .kind = CLI_FLAG, .help = "skip the dot products at full size", .at = AT(coarse_only) },
	{ .name = "seed", .kind = CLI_INT, .value = "N",
	  .help = "seeds of the dot products: N and N + 1 (default 1)", .at = AT(seed), .min = 0, .max = 9e15 },
	{ .name = "views", .kind = CLI_INT, .value = "N",
	  .help = "views of the coarsened copy (default 8)", .at = AT(views), .min = 1, .max = 10000 },
	{ .name = "rows", .kind = CLI_INT, .value = "N",
	  .help = "rows of the coarsened copy (default 6)", .at = AT(rows), .min = 1, .max = 1000 },
	{ .name = "columns", .kind = CLI_INT, .value = "N",
	  .help = "columns of the coarsened copy (default 12)", .at = AT(columns), .min = 1, .max = 1000 },
	{ .name = "voxels", .kind = CLI_INT, .value = "N",
	  .help = "maximum number of voxels along each axis of the coarsened copy (default 9)", .at = AT(voxels), .min = 1, .max = 100 },
	{ 0 },
};
/* clang-format on */

typedef struct {
	const cli_call *call;
	const adjoint_options *o;
	gt_backend *be;
	const gt_scan *scan;
	gt_grid grid;
} test;

enum { SEEDS = 2 };
typedef enum { PASS, NEAR, FAIL, REFUSED } verdict;
static const char *const verdicts[] = { "pass", "near", "fail", "refused" };

/* Certificate of one projector; why: the error, if any. */
typedef struct {
	verdict result;
	double elements, largest, element_tolerance;
	double dot[SEEDS], dot_tolerance;
	int dots; /* number of dot products */
	size_t nx, ny;
	char why[512];
} certificate;

/* An error here means that the projector does not support the scan. */
static gt_status make(const test *t, const char *projector, const gt_grid *grid, const gt_scan *scan, certificate *c, gt_linop **A)
{
	const gt_status st = gt_projector_new(projector, t->be, cli_type(t->call), grid, scan, A);
	if (st == GT_ERR_UNSUPPORTED)
		c->result = REFUSED;
	return st;
}

static gt_status test_elements(const test *t, const char *projector, certificate *c)
{
	const adjoint_options *o = t->o;
	gt_scan *coarse = NULL;
	gt_linop *A = NULL;
	gt_grid few;
	double difference = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_scan_coarsen(t->scan, (size_t)o->views, (size_t)o->rows, (size_t)o->columns, &coarse));
	gt_grid_coarsen(&t->grid, (size_t)o->voxels, &few);
	GT_TRY(make(t, projector, &few, coarse, c, &A));
	c->nx = gt_linop_nx(A);
	c->ny = gt_linop_ny(A);
	GT_TRY(gt_fail_in(gt_linop_mismatch_elements(A, &difference, &c->largest),
	                  "coarsened copy (--views, --rows, --columns, --voxels)"));
	c->elements = difference / c->largest;
done:
	gt_linop_free(A);
	gt_scan_free(coarse);
	return st;
}

static gt_status test_dots(const test *t, const char *projector, certificate *c)
{
	gt_linop *A = NULL;
	gt_status st = GT_OK;
	GT_TRY(make(t, projector, &t->grid, t->scan, c, &A));
	for (; c->dots < SEEDS; c->dots++)
		GT_TRY(gt_linop_mismatch(A, (uint64_t)t->o->seed + (uint64_t)c->dots, &c->dot[c->dots]));
done:
	gt_linop_free(A);
	return st;
}

static gt_status judge(const certificate *c)
{
	if (!(c->elements <= c->element_tolerance))
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "out of tolerance: entries of the adjoint differ by %.3g of the largest, expected at most %.2g", c->elements,
		               c->element_tolerance);
	for (int i = 0; i < c->dots; i++)
		if (!(c->dot[i] <= c->dot_tolerance))
			return gt_fail(GT_ERR_UNSUPPORTED, "out of tolerance: dot products differ by %.3g, expected at most %.2g",
			               c->dot[i], c->dot_tolerance);
	return GT_OK;
}

/* An approximate adjoint is tested against its stated error. */
static gt_status certify(const test *t, const char *projector, certificate *c)
{
	const gt_module *module;
	void *values;
	gt_status st = gt_module_parse("projector", projector, &module, &values);
	const int twice = cli_type(t->call) == GT_F64;
	const double off = st == GT_OK ? gt_projector_find(module->name)->off_adjoint : 0;
	*c = (certificate){ .result = FAIL,
		            .element_tolerance = fmax(off, twice ? 1e-12 : 1e-5),
		            .dot_tolerance = fmax(off, twice ? 1e-12 : 1e-6) };
	GT_TRY(st);
	GT_TRY(test_elements(t, projector, c));
	if (!t->o->coarse_only)
		GT_TRY(test_dots(t, projector, c));
	GT_TRY(judge(c));
	c->result = off > 0 ? NEAR : PASS;
done:
	if (st != GT_OK)
		snprintf(c->why, sizeof c->why, "%s", gt_error());
	gt_free(values);
	return st;
}

static cJSON *as_json(const test *t, const char *projector, const certificate *c)
{
	cJSON *json = cJSON_CreateObject();
	cJSON_AddStringToObject(json, "projector", projector);
	cJSON_AddStringToObject(json, "precision", gt_type_name(cli_type(t->call)));
	cJSON_AddStringToObject(json, "result", verdicts[c->result]);
	if (c->why[0])
		cJSON_AddStringToObject(json, "why", c->why);
	if (!c->largest)
		return json;
	cJSON_AddNumberToObject(json, "rows_of_matrix", (double)c->ny);
	cJSON_AddNumberToObject(json, "columns_of_matrix", (double)c->nx);
	cJSON_AddNumberToObject(json, "element_difference", c->elements);
	cJSON_AddNumberToObject(json, "element_tolerance", c->element_tolerance);
	cJSON_AddNumberToObject(json, "largest_entry_mm", c->largest);
	if (c->dots) {
		cJSON_AddItemToObject(json, "dot", cJSON_CreateDoubleArray(c->dot, c->dots));
		cJSON_AddNumberToObject(json, "dot_tolerance", c->dot_tolerance);
	}
	return json;
}

static void print_one(const test *t, const char *projector, const certificate *c)
{
	printf("%s, %s%s\n", projector, gt_type_name(cli_type(t->call)),
	       c->result == NEAR ? ", approximate adjoint: tested against the error that it states" : "");
	printf("elements      %zu x %zu   largest difference %.3g of the largest entry (at most %.2g)\n", c->ny, c->nx, c->elements,
	       c->element_tolerance);
	for (int i = 0; i < c->dots; i++)
		printf("dot product   seed %lld   mismatch %.3g (at most %.2g)\n", t->o->seed + i, c->dot[i], c->dot_tolerance);
}

static void print_line(const char *projector, const certificate *c)
{
	printf("%-10s ", projector);
	if (c->largest > 0) {
		printf("%9.2g %9.2g ", c->elements, c->element_tolerance);
		if (c->dots == SEEDS)
			printf("%12.2g %9.2g ", fmax(c->dot[0], c->dot[1]), c->dot_tolerance);
		printf(" ");
	}
	printf("%s%s%s\n", verdicts[c->result], c->why[0] ? ": " : "", c->why);
	fflush(stdout);
}

static gt_status certify_one(const test *t)
{
	const char *projector = gt_projector_for_grid(&t->call->log, t->o->projector, &t->grid, t->scan);
	certificate c;
	const gt_status st = certify(t, projector, &c);
	if (c.result == REFUSED || (st != GT_OK && !(c.largest > 0)))
		return st;
	if (t->call->common.json)
		cli_json(as_json(t, projector, &c));
	else
		print_one(t, projector, &c);
	return st;
}

static gt_status certify_all(const test *t)
{
	const int json = t->call->common.json;
	cJSON *all = cJSON_CreateArray();
	size_t count[4] = { 0 }, n = 0;
	if (!json) {
		printf("%s\n%-10s %9s %9s ", gt_type_name(cli_type(t->call)), "projector", "elements", "at most");
		if (!t->o->coarse_only)
			printf("%12s %9s ", "dot product", "at most");
		printf(" result\n");
	}
	for (; gt_projectors[n]; n++) {
		const char *name = gt_projectors[n]->name;
		certificate c;
		certify(t, name, &c);
		const gt_status broken = gt_backend_status(t->be); /* clears the failure for the next projector */
		(void)broken;
		count[c.result]++;
		if (json)
			cJSON_AddItemToArray(all, as_json(t, name, &c));
		else
			print_line(name, &c);
	}
	if (json)
		cli_json(all);
	else
		cJSON_Delete(all);
	if (count[FAIL])
		return gt_fail(GT_ERR_UNSUPPORTED, "%zu of %zu projectors fail on this scan", count[FAIL], n);
	if (count[REFUSED] == n)
		return gt_fail(GT_ERR_UNSUPPORTED, "no projector supports this scan");
	return GT_OK;
}

static int run(const cli_call *call, const void *given)
{
	const adjoint_options *o = given;
	test t = { .call = call, .o = o };
	gt_projections *p = NULL;
	gt_status st = GT_OK;
	if (o->all && o->projector)
		GT_TRY(gt_fail(GT_ERR_ARG, "--all and --projector=%s cannot be combined", o->projector));
	if (o->projector)
		GT_TRY(gt_recon_check("projector", o->projector));
	GT_TRY(cli_read_scan(call, call->file[0], CLI_GEOMETRY, &p));
	t.scan = gt_projections_scan(p);
	GT_TRY(cli_grid(call, o->grid, NULL, t.scan, &t.grid));
	GT_TRY(cli_open(call, &t.be));
	st = o->all ? certify_all(&t) : certify_one(&t);
done:
	gt_backend_close(t.be);
	gt_projections_free(p);
	return cli_exit(call, st);
}

const cli_command cli_adjoint = {
	.name = "adjoint",
	.about = "test that a backprojection is the exact adjoint of its projector; exit 1 if not",
	.synopsis = "SCAN [options]",
	.notes = "  gantry adjoint scan.nc --projector dd --precision double\n  gantry adjoint --all scan.nc --json\n",
	.traits = CLI_COMPUTES | CLI_REPORTS,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.min_files = 1,
	.max_files = 1,
	.run = run,
};
