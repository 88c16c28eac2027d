#ifndef GT_CORE_PARTITION_PARTITION_H
#define GT_CORE_PARTITION_PARTITION_H
/* Shared arrays: each rank of a team holds a local range of the elements. gt_array_size() counts all elements,
 * gt_array_bytes() the local memory. Operations work on local elements; reductions sum over all ranks. gt_array_like()
 * keeps the partition. gt_array_part() returns the local part of a range, which may be empty. gt_array_put() copies
 * the local elements from a host copy of the whole. gt_array_get() is collective and copies the whole array to every
 * rank that passes memory. */
#include "core/device/backend.h"
#include "core/partition/rank.h"

/* Creates an array of `all` elements with local range `own`. */
gt_status gt_array_new_partition(gt_backend *be, gt_type type, size_t all, gt_range own, gt_array **a);
size_t    gt_array_here(const gt_array *a);             /* number of local elements */
gt_range  gt_array_own (const gt_array *a);             /* local range */
int       gt_array_is_shared(const gt_array *a);
/* Local elements as a plain array; valid as long as a. */
gt_status gt_array_local(const gt_array *a, gt_array **local);
/* View of the plain array `room`, from element `at` on, with the partition of model. */
gt_status gt_array_shaped(const gt_array *room, size_t at, const gt_array *model, gt_array **part);
/* View of `count` consecutive such parts at the beginning of `room`, as one shared array. */
gt_status gt_array_shaped_all(const gt_array *room, size_t count, const gt_array *model, gt_array **all);

/* Concatenation of several shared arrays. A rank holds one run of elements of each, consecutively in memory; run[i].at
 * is ignored. All operations on shared arrays work; operations on two arrays require equal runs. Without a team, or
 * with one run, it is an ordinary array. */
gt_status gt_array_new_runs(gt_backend *be, gt_type type, const gt_partition_run *run, size_t count, gt_array **a);
/* View of the i-th run as a shared array; owns nothing. */
gt_array  gt_array_run  (const gt_array *a, size_t i);
/* Shared array of `count` consecutive fields of `each` elements. A rank holds elements first ... first+n-1 of each
 * field, in the caller's memory; `apart` is the distance of fields there. If there are gaps (apart > n), only put, get,
 * fill and part are supported. */
typedef struct { size_t count, each, first, n, apart; } gt_partition_fields;
gt_status gt_array_wrap_fields(gt_backend *be, gt_type type, void *data, const gt_partition_fields *f, gt_array **a);

gt_status gt_runs_like (const gt_array *model, gt_array **a);
int       gt_runs_equal(const gt_array *x, const gt_array *y);  /* 1: operations may take both */
void      gt_partition_mul_normals(uint64_t seed, gt_array *a); /* on the host, independent of the partition */
gt_status gt_partition_part(const gt_array *whole, size_t first, size_t n, gt_array **part);
/* Copies the local elements to host memory of `type`. */
void      gt_partition_get_own(const gt_array *a, gt_type type, void *host);
#endif
