/* Projection handles: ownership, copies, refusals and flipping.
 * labels: unit, backend: none */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/consistency.h>
#include <gantry/data.h>
#include "tests/support/geometries.h"
#include "tests/support/scarce.h"
#include "tests/support/support.h"

static void count(void *owner) { ++*(int *)owner; }

static gt_scan *scan_of(size_t views, size_t rows, size_t columns)
{
	const gt_orbit orbit = { .shape = GT_FLAT,
		                 .views = views,
		                 .rows = rows,
		                 .columns = columns,
		                 .source_to_axis = 500,
		                 .source_to_detector = 1000,
		                 .column_pitch = 2,
		                 .row_pitch = 1.5,
		                 .column_offset = 0.25,
		                 .start_angle = 0.3,
		                 .turn = 6,
		                 .pitch_per_turn = 4 };
	gt_scan *s;
	ck_ok(gt_scan_orbit(&orbit, &s));
	return s;
}

static float *values(unsigned seed, size_t n)
{
	float *x = malloc(n * sizeof *x);
	gt_test_random(seed, n, x);
	return x;
}

static float *positive(unsigned seed, size_t n)
{
	float *x = values(seed, n);
	for (size_t i = 0; i < n; i++)
		x[i] = fabsf(x[i]);
	return x;
}

GT_TEST(new_ones_hold_zeros_and_a_scan_of_their_own)
{
	gt_scan *s = scan_of(7, 3, 5);
	const uint64_t hash = gt_scan_hash(s);
	gt_projections *p;
	ck_ok(gt_projections_new(s, &p));
	ck_assert_ptr_ne(gt_projections_scan(p), s);
	gt_scan_free(s);
	ck_assert_uint_eq(gt_scan_hash(gt_projections_scan(p)), hash);
	for (size_t i = 0; i < 7 * 3 * 5; i++)
		ck_assert(gt_projections_data(p)[i] == 0);
	ck_assert_ptr_null(gt_projections_weights(p));
	ck_assert_ptr_null(gt_projections_photons(p));
	ck_assert(gt_projections_water(p) == 0);
	ck_assert_int_eq(gt_projections_position(p), GT_HFS);
	ck_assert_ptr_null(gt_projections_provenance(p)->command);
	gt_projections_data(p)[104] = 3;
	gt_projections_scan(p)->column_center = 1.5;
	ck_assert_uint_ne(gt_scan_hash(gt_projections_scan(p)), hash);
	gt_projections_free(p);
}

GT_TEST(borrowed_memory_is_used_in_place_and_given_back_once)
{
	gt_scan *s = scan_of(7, 3, 5);
	float *data = values(1, 105);
	int released = 0;
	gt_projections *p;
	ck_ok(gt_projections_wrap(s, data, count, &released, &p));
	ck_assert_ptr_eq(gt_projections_data(p), data);
	ck_assert_int_eq(released, 0);
	gt_projections_free(p);
	ck_assert_int_eq(released, 1);
	ck_ok(gt_projections_wrap(s, data, NULL, NULL, &p));
	gt_projections_free(p);
	data[104] = 1; /* still owned by the caller */
	free(data);
	gt_scan_free(s);
}

GT_TEST(borrowed_memory_is_given_back_once_where_wrapping_fails)
{
	gt_scan *s = scan_of(7, 3, 5);
	float data[105] = { 0 };
	int released = 0;
	gt_projections *p = (gt_projections *)data;
	ck_refused(gt_projections_wrap(NULL, data, count, &released, &p), GT_ERR_ARG, "gt_projections_wrap: expected a scan, found NULL");
	ck_assert_int_eq(released, 1);
	ck_assert_ptr_null(p);
	ck_refused(gt_projections_wrap(s, data, count, &released, NULL), GT_ERR_ARG, "expected a place for the projections, found NULL");
	ck_assert_int_eq(released, 2);
	s->column_pitch = 0;
	ck_refused(gt_projections_wrap(s, data, count, &released, &p), GT_ERR_FORMAT, "column_pitch");
	ck_assert_int_eq(released, 3);
	ck_refused(gt_projections_wrap(s, data, NULL, NULL, &p), GT_ERR_FORMAT, "column_pitch");
	gt_scan_free(s);
}

GT_TEST(geometry_alone)
{
	gt_scan *s = scan_of(7, 3, 5);
	int released = 0;
	gt_projections *p;
	ck_ok(gt_projections_wrap(s, NULL, count, &released, &p));
	ck_assert_ptr_null(gt_projections_data(p));
	ck_ok(gt_projections_flip(p, GT_CONJUGATE_COLUMNS | GT_CONJUGATE_ROWS));
	gt_projections_free(p);
	ck_assert_int_eq(released, 1);
	gt_scan_free(s);
}

/* More than 2^32 values; none is accessed, so none needs to exist. */
GT_TEST(sizes_beyond_32_bits)
{
	gt_scan *s = scan_of(3, 40000, 40001);
	float few[1] = { 0 };
	gt_projections *p;
	ck_ok(gt_projections_wrap(s, few, NULL, NULL, &p));
	ck_assert_uint_eq(gt_scan_size(gt_projections_scan(p)), (size_t)3 * 40000 * 40001);
	gt_projections_free(p);
	s->rows = (size_t)1 << 40;
	ck_refused(gt_projections_new(s, &p), GT_ERR_MEMORY, "the projections: needs ");
	ck_assert_ptr_null(p);
	s->rows = s->columns = (size_t)1 << 40;
	ck_refused(gt_projections_new(s, &p), GT_ERR_FORMAT, "more pixels than this machine can address");
	gt_scan_free(s);
}

GT_TEST(weights_and_photons_are_copied)
{
	gt_scan *s = scan_of(7, 3, 5);
	float *w = positive(2, 105), *n = positive(3, 105), *same = positive(2, 105);
	gt_projections *p;
	ck_ok(gt_projections_new(s, &p));
	ck_ok(gt_projections_set_weights(p, w));
	ck_ok(gt_projections_set_photons(p, n));
	w[0] = 7;
	ck_assert_int_eq(memcmp(gt_projections_weights(p), same, 105 * sizeof *same), 0);
	ck_assert_int_eq(memcmp(gt_projections_photons(p), n, 105 * sizeof *n), 0);
	ck_ok(gt_projections_set_weights(p, gt_projections_weights(p)));
	ck_assert_int_eq(memcmp(gt_projections_weights(p), same, 105 * sizeof *same), 0);
	const struct {
		float value;
		const char *text;
	} bad[] = { { -1, "weight 77 (view 5) is -1" }, { NAN, "weight 77 (view 5) is nan" }, { INFINITY, "weight 77 (view 5) is inf" } };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		w[77] = bad[i].value;
		ck_refused(gt_projections_set_weights(p, w), GT_ERR_ARG, bad[i].text);
		ck_assert_int_eq(memcmp(gt_projections_weights(p), same, 105 * sizeof *same), 0);
	}
	ck_refused(gt_projections_set_photons(p, w), GT_ERR_ARG, "photon count 77");
	ck_ok(gt_projections_set_weights(p, NULL));
	ck_assert_ptr_null(gt_projections_weights(p));
	ck_assert_ptr_nonnull(gt_projections_photons(p));
	gt_projections_free(p);
	free(w);
	free(n);
	free(same);
	gt_scan_free(s);
}

GT_TEST(settings)
{
	gt_scan *s = scan_of(7, 3, 5);
	gt_projections *p;
	ck_ok(gt_projections_new(s, &p));
	ck_ok(gt_projections_set_water(p, 0.019));
	ck_refused(gt_projections_set_water(p, -1), GT_ERR_ARG, "water=-1");
	ck_refused(gt_projections_set_water(p, INFINITY), GT_ERR_ARG, "water=inf");
	ck_refused(gt_projections_set_water(p, NAN), GT_ERR_ARG, "expected an attenuation");
	ck_assert(gt_projections_water(p) == 0.019);
	ck_ok(gt_projections_set_position(p, GT_FFP));
	ck_refused(gt_projections_set_position(p, GT_POSITION_AUTO), GT_ERR_ARG, "position 4: expected one of HFS");
	ck_refused(gt_projections_set_position(p, (gt_position)-1), GT_ERR_ARG, "position -1");
	ck_assert_int_eq(gt_projections_position(p), GT_FFP);
	ck_ok(gt_projections_set_provenance(p, "a command", "a=1", s));
	const gt_provenance *from = gt_projections_provenance(p);
	ck_assert_uint_eq(from->scan_hash, gt_scan_hash(s));
	ck_ok(gt_projections_set_provenance(p, from->command, "b=2", NULL));
	ck_assert_str_eq(from->command, "a command");
	ck_assert_str_eq(from->parameters, "b=2");
	ck_assert_uint_eq(from->scan_hash, 0);
	ck_ok(gt_projections_set_provenance(p, NULL, NULL, NULL));
	ck_assert_ptr_null(from->command);
	ck_assert_ptr_null(from->parameters);
	gt_projections_free(p);
	gt_scan_free(s);
}

/* Even and odd numbers of views, rows and columns; every combination of flips. */
static const size_t sizes[][3] = { { 7, 3, 5 }, { 6, 4, 8 }, { 1, 1, 1 }, { 5, 1, 2 }, { 3, 2, 1 } };

GT_TEST(flipping_twice_is_as_before)
{
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (unsigned what = 0; what < 8; what++) {
			gt_scan *s = scan_of(sizes[i][0], sizes[i][1], sizes[i][2]);
			const size_t n = gt_scan_size(s);
			float *data = values(1, n), *given = values(1, n), *w = positive(2, n), *photons = positive(3, n);
			gt_projections *p;
			ck_ok(gt_projections_wrap(s, data, NULL, NULL, &p));
			ck_ok(gt_projections_set_weights(p, w));
			ck_ok(gt_projections_set_photons(p, photons));
			ck_ok(gt_projections_flip(p, what));
			const int reordered = (what & GT_CONJUGATE_COLUMNS && sizes[i][2] > 1) ||
			                      (what & GT_CONJUGATE_ROWS && sizes[i][1] > 1);
			ck_assert_int_eq(memcmp(data, given, n * sizeof *data) != 0, reordered);
			ck_assert_int_eq(memcmp(gt_projections_weights(p), w, n * sizeof *w) != 0, reordered);
			ck_assert_int_eq(memcmp(gt_projections_photons(p), photons, n * sizeof *photons) != 0, reordered);
			ck_assert_int_eq(gt_scan_hash(gt_projections_scan(p)) != gt_scan_hash(s), (what & GT_CONJUGATE_DIRECTION) != 0);
			ck_ok(gt_projections_flip(p, what));
			ck_assert_int_eq(memcmp(data, given, n * sizeof *data), 0);
			ck_assert_int_eq(memcmp(gt_projections_weights(p), w, n * sizeof *w), 0);
			ck_assert_int_eq(memcmp(gt_projections_photons(p), photons, n * sizeof *photons), 0);
			for (size_t v = 0; v < s->views; v++)
				for (int a = 0; a < 3; a++)
					ck_assert(gt_projections_scan(p)->view[v].source[a] == s->view[v].source[a]);
			gt_projections_free(p);
			free(data);
			free(given);
			free(w);
			free(photons);
			gt_scan_free(s);
		}
}

GT_TEST(flips_move_what_they_name)
{
	gt_scan *s = scan_of(2, 3, 5);
	gt_projections *p;
	ck_ok(gt_projections_new(s, &p));
	float *data = gt_projections_data(p);
	for (size_t i = 0; i < 30; i++)
		data[i] = (float)i;
	ck_ok(gt_projections_flip(p, GT_CONJUGATE_COLUMNS));
	ck_assert(data[0] == 4 && data[2] == 2 && data[16] == 18);
	ck_ok(gt_projections_flip(p, GT_CONJUGATE_ROWS));
	ck_assert(data[0] == 14 && data[5] == 9 && data[15] == 29);
	ck_assert(gt_projections_scan(p)->column_center == s->column_center);
	ck_ok(gt_projections_flip(p, GT_CONJUGATE_DIRECTION));
	ck_assert(data[0] == 14);
	ck_assert(gt_projections_scan(p)->view[1].source[0] == -s->view[1].source[0]);
	ck_assert(gt_projections_scan(p)->view[1].source[1] == s->view[1].source[1]);
	ck_refused(gt_projections_flip(p, GT_CONJUGATE_COLUMNS | GT_CONJUGATE_CENTER), GT_ERR_ARG, "bits 0x9");
	ck_assert(data[0] == 14);
	gt_projections_free(p);
	gt_scan_free(s);
}

GT_TEST(null_is_refused)
{
	gt_scan *s = scan_of(2, 3, 5);
	float x[30] = { 0 };
	gt_projections *p;
	ck_refused(gt_projections_new(NULL, &p), GT_ERR_ARG, "gt_projections_new: expected a scan, found NULL");
	ck_assert_ptr_null(p);
	ck_refused(gt_projections_new(s, NULL), GT_ERR_ARG, "gt_projections_new: expected a place");
	ck_refused(gt_projections_set_weights(NULL, x), GT_ERR_ARG, "gt_projections_set_weights: expected projections, found NULL");
	ck_refused(gt_projections_set_photons(NULL, x), GT_ERR_ARG, "gt_projections_set_photons");
	ck_refused(gt_projections_set_water(NULL, 1), GT_ERR_ARG, "gt_projections_set_water");
	ck_refused(gt_projections_set_position(NULL, GT_HFS), GT_ERR_ARG, "gt_projections_set_position");
	ck_refused(gt_projections_set_provenance(NULL, "", "", s), GT_ERR_ARG, "gt_projections_set_provenance");
	ck_refused(gt_projections_flip(NULL, 0), GT_ERR_ARG, "gt_projections_flip");
	ck_assert_ptr_null(gt_projections_scan(NULL));
	ck_assert_ptr_null(gt_projections_data(NULL));
	ck_assert_ptr_null(gt_projections_weights(NULL));
	ck_assert_ptr_null(gt_projections_photons(NULL));
	ck_assert_ptr_null(gt_projections_provenance(NULL));
	ck_assert(gt_projections_water(NULL) == 0);
	ck_assert_int_eq(gt_projections_position(NULL), GT_HFS);
	gt_projections_free(NULL);
	gt_scan_free(s);
}

/* Each allocation fails in turn: the owner's release function is called once, and failed changes have no effect. */
GT_TEST(memory_that_ends)
{
	gt_scan *s = scan_of(7, 3, 5);
	float *data = values(1, 105), *w = positive(2, 105);
	int failed = 0, reached = gt_scarce_works();
	for (long n = 0; reached; n++) {
		int released = 0;
		gt_projections *p = NULL, *fresh = NULL;
		gt_scarce_after(n);
		gt_status st = gt_projections_wrap(s, data, count, &released, &p);
		const int told = released;
		st = st == GT_OK ? gt_projections_set_provenance(p, "a command", "a=1", s) : st;
		st = st == GT_OK ? gt_projections_set_weights(p, w) : st;
		st = st == GT_OK ? gt_projections_new(s, &fresh) : st;
		reached = gt_scarce_calls() > n;
		gt_scarce_after(-1);
		ck_assert_int_eq(told, p == NULL);
		ck_assert(st == GT_OK || (st == GT_ERR_MEMORY && reached));
		ck_assert_int_eq(st == GT_OK, fresh != NULL);
		ck_assert(!p || !gt_projections_provenance(p)->command == !gt_projections_provenance(p)->parameters);
		failed += st != GT_OK;
		gt_projections_free(p);
		gt_projections_free(fresh);
		ck_assert_int_eq(released, 1);
	}
	ck_assert(failed >= 8 || !gt_scarce_works());
	free(data);
	free(w);
	gt_scan_free(s);
}

GT_TESTS(every_geometry, gt_test_geometries())
{
	struct gt_test_geometry g = gt_test_geometry(_i);
	gt_projections *p;
	ck_ok(gt_projections_new(g.scan, &p));
	ck_assert_uint_eq(gt_scan_hash(gt_projections_scan(p)), gt_scan_hash(g.scan));
	ck_ok(gt_projections_flip(p, GT_CONJUGATE_DIRECTION));
	ck_ok(gt_scan_check(gt_projections_scan(p)));
	gt_projections_free(p);
	gt_scan_free(g.scan);
}

int main(void) { return gt_test_main("projections", NULL); }
