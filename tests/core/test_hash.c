/* Hash of arrays: detects any change of one word, of the order and of the length; equal for any chunks.
 * labels: unit, backend: none */
#include <string.h>
#include "core/hash.h"
#include "tests/support/support.h"

enum { N = 67 };

GT_TEST(every_bit_counts)
{
	float x[N];
	gt_test_random(3, N, x);
	const uint64_t whole = gt_hash(0, x, sizeof x);
	for (size_t bit = 0; bit < 8 * sizeof x; bit++) {
		unsigned char *b = (unsigned char *)x + bit / 8;
		*b ^= (unsigned char)(1u << bit % 8);
		ck_assert_msg(gt_hash(0, x, sizeof x) != whole, "bit %zu is lost", bit);
		*b ^= (unsigned char)(1u << bit % 8);
	}
	ck_assert_uint_eq(gt_hash(0, x, sizeof x), whole);
}

GT_TEST(order_and_length_count)
{
	double x[N], y[N];
	for (size_t i = 0; i < N; i++)
		x[i] = y[i] = (double)(i * i) / 7;
	y[3] = x[40];
	y[40] = x[3];
	ck_assert_uint_ne(gt_hash(0, x, sizeof x), gt_hash(0, y, sizeof y));
	memset(x, 0, sizeof x);
	for (size_t n = 0; n < sizeof x; n++)
		ck_assert_msg(gt_hash(0, x, n) != gt_hash(0, x, n + 1), "%zu zeros are as one more", n);
}

GT_TEST(chunks_equal_the_whole)
{
	float x[N];
	gt_test_random(4, N, x);
	const uint64_t whole = gt_hash(0, x, sizeof x);
	for (size_t cut = 0; cut <= sizeof x; cut += 8)
		ck_assert_uint_eq(gt_hash(gt_hash(0, x, cut), (const unsigned char *)x + cut, sizeof x - cut), whole);
}

int main(void) { return gt_test_main("hash", NULL); }
