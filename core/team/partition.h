#ifndef GT_CORE_TEAM_PARTITION_H
#define GT_CORE_TEAM_PARTITION_H
/* Arrays of which each member of a team holds a run of elements. gt_array_size() is of all, gt_array_bytes() of
 * those here; operations work on what is here, sums over all members; gt_array_like() keeps the share,
 * gt_array_part() takes what of a range is here, maybe nothing. gt_array_put() takes a member's elements from a
 * host copy of all; gt_array_get(), which all members call together, gives all to every member that has memory for
 * them. */
#include "core/device/backend.h"
#include "core/team/team.h"

/* An array of `all` elements, of which `own` are here. */
gt_status gt_array_new_partition(gt_backend *be, gt_type type, size_t all, gt_range own, gt_array **a);
/* n things of `each` elements: shared in whole things by the rule of the team; without one an array of its own. */
gt_status gt_array_new_shared(gt_backend *be, gt_type type, size_t each, size_t n, gt_array **a);
size_t    gt_array_here(const gt_array *a);             /* elements on this member */
gt_range  gt_array_own (const gt_array *a);             /* which of all they are */
int       gt_array_is_shared(const gt_array *a);
/* What is here, as an array of its own; lives as long as a. */
gt_status gt_array_local(const gt_array *a, gt_array **local);
/* Of room, an array of its own, from element `at` on: a part that is laid out like model. */
gt_status gt_array_shaped(const gt_array *room, size_t at, const gt_array *model, gt_array **part);
/* All of `count` of these from the beginning of room, one after the other: shared, as long as all together. */
gt_status gt_array_shaped_all(const gt_array *room, size_t count, const gt_array *model, gt_array **all);

/* An array of several that are shared, one after the other: of each a member has one run of elements, which lie one
 * after the other in its memory. run[i].at is not read. Without a team an array of its own of all of them. What is
 * done with arrays of one run is done with these; operations on two want the same runs in both. One run makes such an
 * array. */
gt_status gt_array_new_runs(gt_backend *be, gt_type type, const gt_partition_run *run, size_t count, gt_array **a);
/* What is shared of the i-th of them: an array of one run, which owns nothing. */
gt_array  gt_array_run  (const gt_array *a, size_t i);
/* Of `count` fields of `each` elements, one after the other, of which a member has the n from `first` on, in memory
 * `apart` elements from one to the next: an array that the team shares, to be put, got, filled and taken parts of, and
 * nothing else where there is anything between them. The memory stays the caller's. */
typedef struct { size_t count, each, first, n, apart; } gt_partition_fields;
gt_status gt_array_wrap_fields(gt_backend *be, gt_type type, void *data, const gt_partition_fields *f, gt_array **a);

/* Inside core. */
gt_status gt_runs_like (const gt_array *model, gt_array **a);
int       gt_runs_alike(const gt_array *x, const gt_array *y);  /* 1: operations may take both */
void      gt_runs_put  (const void *host, gt_array *a);
void      gt_runs_fill (double value, gt_array *a);
void      gt_partition_mul_normals(uint64_t seed, gt_array *a); /* by the host: as an array of one member's has them */
gt_status gt_partition_part(const gt_array *whole, size_t first, size_t n, gt_array **part);
void      gt_partition_get (const gt_array *a, gt_type type, void *host); /* type: of host */
#endif
