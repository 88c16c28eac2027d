/* Counts, or projections in another unit, are distinguished from line integrals.
 * labels: unit backend: none */
#include <stdlib.h>
#include <string.h>
#include <gantry/scan.h>
#include "geometry/projections.h"
#include "io/plausibility.h"
#include "tests/support/support.h"

static struct heard {
	int times;
	gt_severity severity;
	gt_subject subject;
	char text[512];
} heard;

static void say(void *self, const gt_message *m)
{
	struct heard *h = self;
	h->times++;
	h->severity = m->severity;
	h->subject = m->subject;
	snprintf(h->text, sizeof h->text, "%s", m->text);
}
static const gt_listener listener = { say, &heard };

static gt_projections projections(float *data, size_t columns)
{
	gt_projections p = { .tag = GT_IS_PROJECTIONS, .data = data };
	ck_ok(gt_scan_new(GT_FLAT, 1, 1, columns, &p.scan));
	return p;
}

GT_TEST(limits)
{
	static const struct {
		float value;
		int implausible;
	} all[] = { { 0, 0 }, { 15, 0 }, { 50, 0 }, { 50.001f, 1 }, { -3, 0 }, { -3.001f, 1 }, { 40000, 1 } };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		float data[4] = { 1, 2, 3, all[i].value };
		gt_projections p = projections(data, 4);
		heard.times = 0;
		ck_assert_msg(gt_projections_implausible(&p, &listener, "a.nc") == all[i].implausible, "%g", (double)all[i].value);
		ck_assert_int_eq(heard.times, all[i].implausible);
		ck_assert_int_eq(gt_projections_implausible(&p, NULL, "a.nc"), all[i].implausible);
		gt_scan_free(p.scan);
	}
}

GT_TEST(message)
{
	float data[6] = { 1, 60, -4, 2, 3e4f, 0 };
	gt_projections p = projections(data, 6);
	ck_assert_int_eq(gt_projections_implausible(&p, &listener, "a.nc"), 1);
	ck_assert_ptr_nonnull(strstr(heard.text, "a.nc: 3 of 6 values, from -4 to 3e+04, are not line integrals: expected -ln(I/I0)"));
	ck_assert_ptr_nonnull(strstr(heard.text, "never above 50 or below -3; are they counts"));
	ck_assert(heard.severity == GT_WARNING && heard.subject == GT_ABOUT_DATA);
	p.data = NULL;
	ck_assert_int_eq(gt_projections_implausible(&p, &listener, "a.nc"), 0);
	ck_assert_int_eq(heard.times, 1);
	gt_scan_free(p.scan);
}

/* A refusal names the first pixel: view 1, row 0, column 2 of 2 x 2 x 3. */
GT_TEST(refusal)
{
	float data[12] = { [8] = 1e30f, [11] = -20 };
	gt_projections p = { .tag = GT_IS_PROJECTIONS, .data = data };
	ck_ok(gt_scan_new(GT_FLAT, 2, 2, 3, &p.scan));
	ck_assert_int_eq(gt_projections_plausible(&p, "a.nc"), GT_ERR_FORMAT);
	ck_assert_ptr_nonnull(
		strstr(gt_error(), "a.nc: 2 of 12 values, from -20 to 1e+30, the first 1e+30 in view 1, row 0, column 2, are no"));
	ck_assert_ptr_nonnull(strstr(gt_error(), "--force"));
	data[8] = data[11] = 4;
	ck_ok(gt_projections_plausible(&p, "a.nc"));
	p.data = NULL;
	ck_ok(gt_projections_plausible(&p, "a.nc"));
	gt_scan_free(p.scan);
}

/* In parts or in one call; parts without such values only count. */
GT_TEST(in_parts)
{
	const float parts[3][4] = { { -2, 40, 0, 0 }, { 7, 100, -10, 3 }, { 200, 5, 6, 8 } };
	gt_value_range r = { .size = sizeof r };
	for (int i = 0; i < 3; i++) {
		gt_value_range_scan(&r, parts[i], 4);
		ck_assert_uint_eq(r.looked, 4 * (size_t)(i + 1));
		ck_assert_uint_eq(r.implausible, i == 0 ? 0 : i + 1);
	}
	ck_assert(r.min == -10 && r.max == 200);
}

GT_TEST(reversed_sign)
{
	enum { N = 2 * 3 * 4 };
	float data[N] = { 0 };
	gt_projections p = { .tag = GT_IS_PROJECTIONS, .data = data };
	ck_ok(gt_scan_new(GT_FLAT, 2, 3, 4, &p.scan));
	for (int way = 0; way < 5; way++) {
		/* air, an object, its negative, noise around 0, and a small object in air of a brighter beam */
		for (int i = 0; i < N; i++)
			data[i] = way == 4   ? (i % 4 ? -0.1f : 0.6f)
			          : way == 0 ? 0
			          : way == 3 ? 0.1f * (float)(i % 2 ? 1 : -1)
			                     : (float)(i % 3) * (way == 1 ? 0.2f : -0.2f);
		heard.times = 0;
		gt_projections_note_sign(&p, &listener, "a.nc");
		ck_assert_int_eq(heard.times, way == 2);
	}
	gt_value_range r = { .size = sizeof r };
	const float below[4] = { -1, -1, -1, 0.2f };
	gt_value_range_scan(&r, below, 4);
	gt_value_range_warn(&r, &listener, "b.nc");
	ck_assert_ptr_nonnull(strstr(heard.text, "b.nc: 3 of 4 values are below -0.05 and 1 above 0.05: expected -ln(I/I0)"));
	gt_scan_free(p.scan);
}

/* Rows of one value within the object, and in air at the ends. */
#define AIR (-0.01f) /* also at the edges of other rows: no noise, and a gap between two objects */
GT_TEST(constant_rows)
{
	enum { VIEWS = 2, ROWS = 6, COLUMNS = 3, N = VIEWS * ROWS * COLUMNS };
	float data[N];
	gt_projections p = { .tag = GT_IS_PROJECTIONS, .data = data };
	ck_ok(gt_scan_new(GT_FLAT, VIEWS, ROWS, COLUMNS, &p.scan));
	static const struct {
		int first, end;
		float value;
		const char *says;
	} all[] = { { 0, 0, 0, NULL },
		    { 0, 2, 0, NULL },
		    { 4, 6, 0, NULL },
		    { 2, 3, 0, "a.nc: 1 row has one value in all views, as row 2 with 0 between means of" },
		    { 3, 5, 9, "a.nc: 2 rows have one value in all views, as row 3 with 9 between means of" },
		    { 3, 4, 1.2f, NULL },
		    { 2, 4, AIR, NULL } };
	for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
		for (int i = 0; i < N; i++) {
			const int row = i / COLUMNS % ROWS;
			data[i] = row >= all[k].first && row < all[k].end   ? all[k].value
			          : all[k].value == AIR && i % COLUMNS == 0 ? AIR
			                                                    : 1 + 0.1f * (float)(i * 7 % 5);
		}
		heard.times = 0;
		gt_projections_constant_rows(&p, &listener, "a.nc");
		ck_assert_int_eq(heard.times, all[k].says != NULL);
		ck_assert_msg(!all[k].says || !strncmp(heard.text, all[k].says, strlen(all[k].says)), "%s", heard.text);
	}
	gt_scan_free(p.scan);
}

int main(void) { return gt_test_main("plausibility", NULL); }
