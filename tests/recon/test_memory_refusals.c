/* Messages of runs that exceed the memory: settings that would fit.
 * labels: unit */
#include <stdlib.h>
#include <string.h>
#include "recon/memory_estimate.h"
#include "recon/modules.h"
#include "tests/support/support.h"

/* Model of a run: 8 bytes per voxel, 4 in single precision, half of it with keep=no, and a constant. */
static struct model {
	double constant;
	size_t keep_at;    /* offset in the solver's options; 0: none */
	size_t steps_at;   /* offset of the number of stored vectors, 64 KiB each */
	int no, estimates; /* index of keep=no; number of estimates */
} model;
static const gt_grid cube = { { 64, 64, 64 }, { 1, 1, 1 }, { 0, 0, 0 } };

static gt_status take(void *self, const gt_memory_variant *v, gt_memory_estimate *e)
{
	const struct model *m = self;
	const double voxels = (double)gt_grid_voxels(v->grid ? v->grid : &cube);
	int keep = -1, steps = 40;
	if (v->options && !m->steps_at)
		memcpy(&keep, (const char *)v->options + m->keep_at, sizeof keep);
	else if (v->options)
		memcpy(&steps, (const char *)v->options + m->steps_at, sizeof steps);
	model.estimates++;
	e->host_peak = m->constant + voxels * (v->single ? 4 : 8) * (keep == m->no ? 0.5 : 1) + (m->steps_at ? 65536 * steps : 0);
	e->peak = (size_t)e->host_peak;
	return GT_OK;
}

static void set_model(const gt_method *m, double constant)
{
	model = (struct model){ .constant = constant };
	for (const gt_param *q = m->solver ? m->solver->params : NULL; q && q->key; q++)
		if (!strcmp(q->key, "steps")) {
			model.steps_at = q->at;
		} else if (!strcmp(q->key, "keep")) {
			model.keep_at = q->at;
			while (strcmp(q->names[model.no], "no") != 0)
				model.no++;
		}
}

struct refusal {
	const char *method, *read_whole, *text;
	int is_double, on_host;
	double constant, free;
};
static const struct refusal refusals[] = {
	{ "fdk", NULL, "needs 2 MiB on dev:0, 500 KiB are free; would fit: --grid 40x40x40@1.6x1.6x1.6 (500 KiB)", 0, 0, 0, 512000 },
	{ "fdk", NULL, "needs 2 MiB on dev:0, 500 KiB are free; would fit: --grid 38x38x38@1.684x1.684x1.684 (429 KiB)", 0, 0, 0, 511999 },
	{ "fdk", NULL,
	  "needs 2 MiB on dev:0, 1 MiB are free; would fit: --precision single (1 MiB), or --grid 50x50x50@1.28x1.28x1.28 (977 KiB)", 1, 0,
	  0, 1048576 },
	{ "fdk", NULL, "needs 2 MiB on dev:0, 1 MiB are free; would fit: --grid 50x50x50@1.28x1.28x1.28 (977 KiB)", 1, 0, 0, 1048575 },
	{ "os-sart", NULL,
	  "needs 2 MiB on dev:0, 1 MiB are free; would fit: --solver os-sart:keep=no (1 MiB), or --grid 50x50x50@1.28x1.28x1.28 (977 KiB)",
	  0, 0, 0, 1048576 },
	{ "ab-gmres:steps=40", NULL,
	  "needs 4.5 MiB on dev:0, 3 MiB are free; would fit: --solver ab-gmres:steps=16 (3 MiB), or --grid 40x40x40@1.6x1.6x1.6 "
	  "(2.99 MiB)",
	  0, 0, 0, 3145728 },
	{ "ab-gmres:steps=40", NULL, "needs 4.5 MiB on dev:0, 2.05 MiB are free; no grid would fit: the data alone need more", 0, 0, 0,
	  2150000 },
	{ "fdk", NULL, "needs 2.95 MiB on dev:0, 977 KiB are free; no grid would fit: the data alone need more", 0, 0, 1e6, 1e6 },
	{ "fdk", "my scan.dcm",
	  "needs 2.95 MiB on dev:0, 977 KiB are free; no grid would fit: the data alone need more; my scan.dcm is read as a whole, but fdk "
	  "runs by slabs from NetCDF: import it first: gantry import 'my scan.dcm' -o scan.nc",
	  0, 0, 1e6, 1e6 },
	{ "fdk", NULL, "needs 2 MiB of memory, 500 KiB are free; would fit: --grid 40x40x40@1.6x1.6x1.6 (500 KiB)", 0, 1, 0, 512000 },
	{ "fdk", NULL, "needs 2.95 MiB of memory, 977 KiB are free; no similar setting would fit", 0, 1, 1e6, 1e6 },
};
enum { REFUSALS = sizeof refusals / sizeof *refusals };

GT_TESTS(explained, REFUSALS)
{
	const struct refusal *c = &refusals[_i];
	gt_method m;
	ck_ok(gt_method_parse(c->method, &m));
	set_model(&m, c->constant);
	const gt_memory_dry_run r = { take, &model, &m, &cube, c->is_double, c->read_whole, 0, 0, 0 };
	gt_memory_estimate e = {
		.on_host = c->on_host, .host_free = c->on_host ? c->free : -1, .free = (size_t)c->free, .backend = "dev:0"
	};
	ck_ok(take(&model, &(gt_memory_variant){ 0 }, &e));
	ck_assert(!gt_memory_estimate_fits(&e));
	char *text = gt_memory_estimate_explain(&r, &e);
	ck_assert_str_eq(text, c->text);
	free(text);
	gt_method_free(&m);
}

GT_TEST(with_keep_and_without)
{
	gt_method m;
	gt_memory_estimate e = { .host_free = -1 };
	size_t with = 0, without = 0;
	ck_ok(gt_method_parse("os-sart", &m));
	set_model(&m, 0);
	gt_memory_dry_run r = { take, &model, &m, &cube, 0, NULL, 0, 0, 0 };
	ck_assert_int_eq(gt_memory_estimate_compare(&r, &e, &with, &without), 1);
	ck_assert(with == 2097152 && without == 1048576);
	gt_method_free(&m);
	ck_ok(gt_method_parse("cgls", &m));
	model.estimates = 0;
	ck_assert_int_eq(gt_memory_estimate_compare(&r, &e, &with, &without), 0);
	ck_assert_int_eq(model.estimates, 0);
	gt_method_free(&m);
}

int main(void) { return gt_test_main("memory_refusals", NULL); }
