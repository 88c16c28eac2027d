/* Multiplies shared arrays by normal variates, independent of the partition. */
#include "core/partition/partition.h"
#include "core/random_math.h"

/* Multiplies the elements of one run; `at` is the global index of its first element. */
static void mul_normals_of_run(uint64_t seed, uint64_t at, gt_array *a)
{
	enum { PIECE = 4096 };
	double block[PIECE]; /* or PIECE floats */
	for (size_t i = 0; i < a->n; i += PIECE) {
		const size_t n = a->n - i < PIECE ? a->n - i : PIECE, bytes = n * gt_type_size(a->type);
		char *there = (char *)a->data + i * gt_type_size(a->type);
		gt_backend_get(a->be, there, block, bytes);
		for (size_t k = 0; k < n; k++)
			if (a->type == GT_F64)
				block[k] *= gt_normal_at(seed, at + i + k);
			else
				((float *)block)[k] = (float)(((float *)block)[k] * gt_normal_at(seed, at + i + k));
		gt_backend_put(a->be, block, there, bytes);
	}
}

void gt_partition_mul_normals(uint64_t seed, gt_array *a)
{
	size_t before = 0;
	if (a->be->dry_run)
		return;
	for (size_t i = 0; i < (a->runs ? a->runs->count : 1); i++) {
		gt_array run = a->runs ? gt_array_run(a, i) : *a;
		mul_normals_of_run(seed, before + run.first, &run);
		before += run.all;
	}
}
