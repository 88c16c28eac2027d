/* Volume handles: ownership and refusals.
 * labels: unit, backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/data.h>
#include "tests/support/scarce.h"
#include "tests/support/support.h"

static const gt_grid odd = { { 7, 5, 3 }, { 0.7, 0.9, 1.1 }, { 3.1, -2.2, 7.7 } };

static void count(void *owner) { ++*(int *)owner; }

GT_TEST(new_ones_hold_zeros)
{
	gt_volume *v;
	ck_ok(gt_volume_new(&odd, &v));
	ck_assert(gt_grid_same(gt_volume_grid(v), &odd));
	ck_assert_ptr_ne(gt_volume_grid(v), &odd);
	for (size_t i = 0; i < gt_grid_voxels(&odd); i++)
		ck_assert(gt_volume_data(v)[i] == 0);
	ck_assert(gt_volume_water(v) == GT_WATER_DEFAULT);
	ck_assert_int_eq(gt_volume_position(v), GT_HFS);
	ck_assert_int_eq(gt_volume_unit(v), GT_PER_MM);
	ck_assert_ptr_null(gt_volume_provenance(v)->command);
	gt_volume_data(v)[104] = 3;
	gt_volume_free(v);
}

GT_TEST(borrowed_memory_is_used_in_place_and_given_back_once)
{
	float *data = calloc(gt_grid_voxels(&odd), sizeof *data);
	int released = 0;
	gt_volume *v;
	ck_ok(gt_volume_wrap(&odd, data, count, &released, &v));
	ck_assert_ptr_eq(gt_volume_data(v), data);
	ck_assert_int_eq(released, 0);
	gt_volume_free(v);
	ck_assert_int_eq(released, 1);
	ck_ok(gt_volume_wrap(&odd, data, NULL, NULL, &v));
	gt_volume_free(v);
	data[104] = 1; /* still owned by the caller */
	free(data);
	ck_ok(gt_volume_wrap(&odd, NULL, count, &released, &v));
	ck_assert_ptr_null(gt_volume_data(v));
	gt_volume_free(v);
	ck_assert_int_eq(released, 2);
}

GT_TEST(borrowed_memory_is_given_back_once_where_wrapping_fails)
{
	float data[105] = { 0 };
	int released = 0;
	gt_grid wrong = odd;
	gt_volume *v = (gt_volume *)data;
	ck_refused(gt_volume_wrap(NULL, data, count, &released, &v), GT_ERR_ARG, "gt_volume_wrap: expected a grid, found NULL");
	ck_assert_int_eq(released, 1);
	ck_assert_ptr_null(v);
	ck_refused(gt_volume_wrap(&odd, data, count, &released, NULL), GT_ERR_ARG, "expected a place for the volume, found NULL");
	ck_assert_int_eq(released, 2);
	wrong.pitch[1] = 0;
	ck_refused(gt_volume_wrap(&wrong, data, count, &released, &v), GT_ERR_ARG, "pitch");
	ck_assert_int_eq(released, 3);
	ck_refused(gt_volume_wrap(&wrong, data, NULL, NULL, &v), GT_ERR_ARG, "pitch");
}

GT_TEST(sizes)
{
	float few[1] = { 0 };
	gt_grid g = { { 4096, 4097, 4099 }, { 1, 1, 1 }, { 0, 0, 0 } };
	gt_volume *v;
	ck_ok(gt_volume_wrap(&g, few, NULL, NULL, &v)); /* no voxel is accessed, so none needs to exist */
	ck_assert_uint_eq(gt_grid_voxels(gt_volume_grid(v)), (size_t)4096 * 4097 * 4099);
	gt_volume_free(v);
	g.n[2] = (size_t)1 << 24;
	ck_refused(gt_volume_new(&g, &v), GT_ERR_MEMORY, "the volume: needs ");
	ck_assert_ptr_null(v);
	g.n[0] = g.n[1] = (size_t)1 << 40;
	ck_refused(gt_volume_new(&g, &v), GT_ERR_ARG, "more than this machine can address");
	ck_assert_ptr_null(v);
	g = odd;
	g.n[1] = 0;
	ck_refused(gt_volume_new(&g, &v), GT_ERR_ARG, "0 voxels along y");
	ck_assert_ptr_null(v);
}

GT_TEST(settings)
{
	const gt_orbit orbit = { .shape = GT_PARALLEL, .views = 3, .rows = 2, .columns = 5, .column_pitch = 1, .row_pitch = 1, .turn = 3 };
	gt_scan *s;
	gt_volume *v;
	ck_ok(gt_scan_orbit(&orbit, &s));
	ck_ok(gt_volume_new(&odd, &v));
	ck_ok(gt_volume_set_water(v, 0.019));
	ck_refused(gt_volume_set_water(v, -1), GT_ERR_ARG, "water=-1");
	ck_refused(gt_volume_set_water(v, NAN), GT_ERR_ARG, "expected an attenuation");
	ck_assert(gt_volume_water(v) == 0.019);
	ck_ok(gt_volume_set_water(v, 0));
	ck_ok(gt_volume_set_position(v, GT_FFS));
	ck_refused(gt_volume_set_position(v, GT_POSITION_AUTO), GT_ERR_ARG, "position 4: expected one of HFS");
	ck_assert_int_eq(gt_volume_position(v), GT_FFS);
	ck_ok(gt_volume_set_provenance(v, "a command", "a=1", s));
	ck_ok(gt_volume_set_command(v, "another"));
	const gt_provenance *from = gt_volume_provenance(v);
	ck_assert_str_eq(from->command, "another");
	ck_assert_str_eq(from->parameters, "a=1");
	ck_assert_uint_eq(from->scan_hash, gt_scan_hash(s));
	ck_ok(gt_volume_set_provenance(v, from->parameters, from->command, NULL));
	ck_assert_str_eq(from->command, "a=1");
	ck_assert_str_eq(from->parameters, "another");
	ck_assert_uint_eq(from->scan_hash, 0);
	gt_volume_free(v);
	gt_scan_free(s);
}

GT_TEST(null_is_refused)
{
	gt_volume *v;
	ck_refused(gt_volume_new(NULL, &v), GT_ERR_ARG, "gt_volume_new: expected a grid, found NULL");
	ck_assert_ptr_null(v);
	ck_refused(gt_volume_new(&odd, NULL), GT_ERR_ARG, "gt_volume_new: expected a place");
	ck_refused(gt_volume_set_water(NULL, 1), GT_ERR_ARG, "gt_volume_set_water: expected a volume, found NULL");
	ck_refused(gt_volume_set_position(NULL, GT_HFS), GT_ERR_ARG, "gt_volume_set_position");
	ck_refused(gt_volume_set_provenance(NULL, "", "", NULL), GT_ERR_ARG, "gt_volume_set_provenance");
	ck_refused(gt_volume_set_command(NULL, ""), GT_ERR_ARG, "gt_volume_set_command");
	ck_assert_ptr_null(gt_volume_grid(NULL));
	ck_assert_ptr_null(gt_volume_data(NULL));
	ck_assert_ptr_null(gt_volume_provenance(NULL));
	ck_assert(gt_volume_water(NULL) == 0);
	ck_assert_int_eq(gt_volume_position(NULL), GT_HFS);
	ck_assert_int_eq(gt_volume_unit(NULL), GT_PER_MM);
	gt_volume_free(NULL);
}

/* Each allocation fails in turn: the owner's release function is called once, and failed changes have no effect. */
GT_TEST(memory_that_ends)
{
	float data[105];
	int failed = 0, reached = gt_scarce_works();
	for (long n = 0; reached; n++) {
		int released = 0;
		gt_volume *v = NULL, *fresh = NULL;
		gt_scarce_after(n);
		gt_status st = gt_volume_wrap(&odd, data, count, &released, &v);
		const int told = released;
		st = st == GT_OK ? gt_volume_set_provenance(v, "a command", "a=1", NULL) : st;
		st = st == GT_OK ? gt_volume_set_command(v, "another") : st;
		st = st == GT_OK ? gt_volume_new(&odd, &fresh) : st;
		reached = gt_scarce_calls() > n;
		gt_scarce_after(-1);
		ck_assert_int_eq(told, v == NULL);
		ck_assert(st == GT_OK || (st == GT_ERR_MEMORY && reached));
		ck_assert_int_eq(st == GT_OK, fresh != NULL);
		ck_assert(!v || !gt_volume_provenance(v)->command == !gt_volume_provenance(v)->parameters);
		failed += st != GT_OK;
		gt_volume_free(v);
		gt_volume_free(fresh);
		ck_assert_int_eq(released, 1);
	}
	ck_assert(failed >= 6 || !gt_scarce_works());
}

int main(void) { return gt_test_main("volume", NULL); }
