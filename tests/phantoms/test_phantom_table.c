/* The named phantoms: values at points that their definitions fix, and the number of parts of the FORBILD head. */
/* labels: unit backend: none */
#include <math.h>
#include <string.h>
#include "core/random.h"
#include "tests/phantoms/bodies.h"

static gt_phantom *named(const char *name)
{
	gt_phantom *p = NULL;
	ck_ok(gt_phantom_new(name, &(gt_phantom_options){ .water = 1, .scale = 1 }, &p));
	return p;
}

typedef struct {
	double x, y, z, value;
} place;

static void check_places(const char *name, const place *places, size_t n)
{
	gt_phantom *p = named(name);
	for (size_t i = 0; i < n; i++) {
		const place *at = &places[i];
		const double v = gt_phantom_value(p, (const double[3]){ at->x, at->y, at->z });
		ck_assert_msg(fabs(v - at->value) < 1e-12, "%s at %g %g %g is %g, expected %g", name, at->x, at->y, at->z, v, at->value);
	}
	gt_phantom_free(p);
}
#define PLACES(name, ...)                                                   \
	do {                                                                \
		const place places[] = { __VA_ARGS__ };                     \
		check_places(name, places, sizeof places / sizeof *places); \
	} while (0)

/* clang-format off */
START_TEST(shepp_logan)
{
	/* Half field 120 mm. Skull, brain, both ventricles (tilted apart towards +y), large and small ellipsoids. */
	PLACES("shepp-logan", { 0, 110, 0, 1 }, { 0, -108, 0, 1 }, { 0, 111, 0, 0 }, { 82, 0, 0, 1 }, { 0, 0, 0, 0.2 }, { 0, 0, 96, 1 },
	       { 26.4, 0, 0, 0 }, { -26.4, 0, 0, 0 }, { 26.4 + 10, 30, 0, 0 }, { 26.4 - 10, 30, 0, 0.2 + 0.1 }, { -26.4 - 13, 40, 0, 0 },
	       { 0, 42, -18, 0.3 }, { 0, 42, 40, 0.2 }, { 0, 12, 30, 0.3 }, { 0, -12, 30, 0.3 }, { 0, 12, -31, 0.2 }, { 0, -12, -30, 0.2 },
	       { -9.6, -72.6, 0, 0.3 }, { 7.2, -72.6, 0, 0.3 }, { 7.2, -72.6 + 5, 0, 0.3 }, { 0, -72.7, 0, 0.3 });
	PLACES("shepp-logan-classic", { 0, 110, 0, 1 }, { 0, 0, 0, 0.02 }, { 26.4, 0, 0, 0 }, { 0, 42, -18, 0.03 });
	PLACES("kak-slaney", { 0, 109, 0, 2 }, { 0, 0, 0, 1.02 }, { 26.4, 0, -30, 1 }, { -26.4, 0, -30, 1 }, { 0, 42, -30, 1.04 }, { 0, 12, 75, 1 },
	       { 7.2, -12.6, 75, 1.04 });
	PLACES("yu-ye-wang", { 0, 109, 0, 1 }, { 0, 0, 0, 0.2 }, { 26.4, 0, -30, 0 }, { 0, 42, -30, 0.4 });
}
END_TEST

START_TEST(simple_bodies)
{
	PLACES("water-cylinder", { 99, 0, 149, 1 }, { 0, -99, -149, 1 }, { 72, 72, 0, 0 }, { 0, 0, 151, 0 });
	PLACES("defrise", { 0, 79, 4.9, 1 }, { 0, 0, 10, 0 }, { 79, 0, -60, 1 }, { 0, 0, 64, 1 }, { 0, 0, 70, 0 }, { 0, 0, 80, 0 });
	PLACES("bars", { 0, 0, 0, 1 }, { -28, 15, 0, 2 }, { -27, 15, 0, 1 }, { -26, 15, 0, 2 }, { -22, 15, 0, 1 }, { 28, 15, 0, 2 }, { 28.4, 15, 0, 1 },
	       { 28.8, 15, 0, 2 }, { -28, -15, 0, 2 }, { -28, -15, 1, 1 }, { -28, -15, -4, 2 }, { 28, -15, 0.8, 2 }, { 28, -15, 0.4, 1 }, { 0, 51, 0, 0 });
	PLACES("spheres", { 62, 0, 0, 1 }, { -60, 0, 2, 1.2 }, { 0, 47, 0, 1.4 }, { 0, -45, 0, 1.6 }, { 0, 0, 12, 1.8 }, { 2, 0, -10, 2 }, { 0, 0, 0, 0 });
	PLACES("box", { 49, 44, 34, 1 }, { -29, -74, -24, 1 }, { 51, 0, 0, 0 }, { 0, 46, 0, 0 }, { 0, 0, -26, 0 }, { -29, -76, 0, 0 });
}
END_TEST

START_TEST(forbild_head)
{
	PLACES("forbild-head", { 0, 0, 124, 1.8 }, { 0, 0, 126, 0 }, { 95, 0, 0, 1.8 }, { -95, 0, 0, 1.8 }, { 0, 0, 50, 1.05 }, { 0, -36, 0, 1.045 },
	       { 0, 84, 0, 0 }, { -47, 43, 8.72, 1.06 }, { 47, 43, 8.72 + 19, 1.06 }, { 47, 43, -12, 1.05 }, { -10.8, -90, 0, 1.0525 }, { 10.8, -90, 0, 1.0475 },
	       /* a plate of bone along (0, sin30, cos30) */
	       { 0, 36 + 19, 34, 1.8 }, { 0, 36 - 19, -34, 1.8 }, { 11, 36, 0, 1.8 }, { 13, 36, 0, 1.05 }, { 0, 36 + 19, -34, 1.05 },
	       /* crista galli in the sinus: approaches the centre upwards */
	       { 0, 96, 0, 1.8 }, { 1.9, 96, 0, 1.8 }, { 2.1, 96, 0, 0 }, { 0, 96 - 9, 16, 1.8 }, { 0, 96 + 9, 16, 0 },
	       /* ethmoid bones tilt apart upwards on the left, petrous lines */
	       { -19, 54, 0, 1.8 }, { 19, 54, 0, 1.8 }, { -19 + 7.5, 54, 28, 1.8 }, { -19 - 7.5, 54, 28, 1.05 },
	       { -43 - 15, 68 + 8.7, -10, 1.8 }, { 43 + 15, 68 + 8.7, 9, 1.8 }, { 43 - 15, 68 - 8.7, -29, 1.8 }, { 43, 68, 11, 1.05 },
	       { 63.94, -63.94, 11, 1.055 }, { 63.94 + 5.8, -63.94 + 9.3, 0, 1.055 }, { 63.94 - 5.8, -63.94 + 9.3, 0, 1.05 },
	       /* occipital cones: narrow towards the inside */
	       { 0, -105, 2, 1.8 }, { 0, -105, 5, 1.05 }, { 0, -112, 5.5, 1.8 }, { 0, -103, 0, 1.05 },
	       /* right ear: bone, an air cell in an even and in an odd row, clipped at the skull */
	       { 50, 0, 0, 1.8 }, { 88, 0, 0, 0 }, { 86, 0, 0, 1.8 }, { 86, 3.4641, 0, 0 }, { 88, 3.4641, 0, 1.8 }, { 86, 0, -3.4641, 0 }, { 88, -3.4641, 3.4641, 0 },
	       /* left ear: first grain of the coarsest, last of the finest group */
	       { -70, -10, 0, 1.8 }, { -70, -10, 3.9, 1.05 }, { -70, -10, 8, 1.8 }, { -67.6, 4.4 + 8 * 0.25, 0, 1.8 }, { -67.6, 4.4 + 7 * 0.25, 0, 1.05 },
	       { -67.6, 4.4, 4, 1.8 }, { -67.6, 4.4, 4.5, 1.05 });
}
END_TEST

/* clang-format on */

/* Number of connected parts of the samples with this value, by flood fill. */
static int count_parts(const gt_phantom *p, const double lo[3], const double step[3], const size_t n[3], double value)
{
	const size_t all = n[0] * n[1] * n[2], along[3] = { 1, n[0], n[0] * n[1] };
	char *here = malloc(all);
	size_t *stack = malloc(all * sizeof *stack);
	int parts = 0;
	for (size_t i = 0; i < all; i++) {
		const double x[3] = { lo[0] + (double)(i % n[0]) * step[0], lo[1] + (double)(i / n[0] % n[1]) * step[1],
			              lo[2] + (double)(i / along[2]) * step[2] };
		here[i] = gt_phantom_value(p, x) == value;
	}
	for (size_t i = 0; i < all; i++) {
		size_t depth = 0;
		if (!here[i])
			continue;
		parts++;
		stack[depth++] = i;
		here[i] = 0;
		while (depth) {
			const size_t at = stack[--depth], place_of[3] = { at % n[0], at / n[0] % n[1], at / along[2] };
			for (int a = 0; a < 3; a++) {
				if (place_of[a] > 0 && here[at - along[a]])
					here[stack[depth++] = at - along[a]] = 0;
				if (place_of[a] + 1 < n[a] && here[at + along[a]])
					here[stack[depth++] = at + along[a]] = 0;
			}
		}
	}
	free(here);
	free(stack);
	return parts;
}

START_TEST(forbild_ears_are_complete)
{
	gt_phantom *p = named("forbild-head");
	const double right[3] = { 49, -14, -14 }, right_step[3] = { 0.28, 0.28, 0.28 }, plane[3] = { 49, -14, 0 };
	ck_assert_int_eq(count_parts(p, right, right_step, (const size_t[3]){ 150, 101, 101 }, 0), 317);
	ck_assert_int_eq(count_parts(p, plane, right_step, (const size_t[3]){ 150, 101, 1 }, 0), 53);
	const double left[3] = { -70.3, -10.3, -2.1 }, left_step[3] = { 0.05, 0.05, 0.1 }, middle[3] = { -70.3, -10.3, 0 };
	ck_assert_int_eq(count_parts(p, left, left_step, (const size_t[3]){ 60, 350, 365 }, 1.8), 144);
	ck_assert_int_eq(count_parts(p, middle, left_step, (const size_t[3]){ 60, 350, 1 }, 1.8), 80);
	gt_phantom_free(p);
}
END_TEST

START_TEST(radii_hold_the_bodies)
{
	gt_phantom *p = named(gt_phantom_list[_i].name);
	gt_random r;
	gt_random_at(1, (uint64_t)_i, &r);
	const double radius = gt_phantom_radius(p);
	int outside = 0;
	for (int i = 0; i < 20000; i++) {
		double x[3], length = 0;
		for (int a = 0; a < 3; a++) {
			x[a] = gt_normal(&r);
			length = hypot(length, x[a]);
		}
		const double factor = radius * pick(&r, 1 + 1e-6, 1.3) / length;
		for (int a = 0; a < 3; a++)
			x[a] *= factor;
		outside += gt_phantom_value(p, x) != 0;
	}
	ck_assert_int_eq(outside, 0);
	ck_assert(radius > 20 && radius < 250);
	ck_assert_ptr_nonnull(strstr(gt_phantom_list[_i].about, " mm"));
	gt_phantom_free(p);
}
END_TEST

static void fill(TCase *tc)
{
	int names = 0;
	while (gt_phantom_list[names].name)
		names++;
	tcase_add_test(tc, shepp_logan);
	tcase_add_test(tc, simple_bodies);
	tcase_add_test(tc, forbild_head);
	tcase_add_test(tc, forbild_ears_are_complete);
	tcase_add_loop_test(tc, radii_hold_the_bodies, 0, names);
}

int main(void) { return gt_test_main("phantom table", fill); }
