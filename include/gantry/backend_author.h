#ifndef GANTRY_BACKEND_AUTHOR_H
#define GANTRY_BACKEND_AUTHOR_H
/* For benchmarks, and for authors of backends and operators: what a device could do at most, the least that an operator needs of it, and
 * the time of stages. No reconstruction needs any of this. */
#include <gantry/analytic.h>
#include <gantry/projector.h>
#include <gantry/roofline.h>
#ifdef __cplusplus
extern "C" {
#endif

/* What a projector's operators prepare in the device's memory when they run, and can be asked to do alone. make: an operator whose forward
 * does part number `part`, from a volume or data; its one result is not written. */
struct gt_projector_parts {
	const char *const *names;       /* NULL-terminated */
	gt_status (*make)(size_t part, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan, const void *options,
	                  gt_linop **A);
};
/* As gt_projector_new(), for part number `part`; GT_ERR_UNSUPPORTED if the projector has none of that number. */
GT_API gt_status gt_projector_part_new(const char *spec, size_t part, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                                       gt_linop **A);

/* Seconds of the stages of an analytic method: tables on the host, weights and filter, backprojection. */
struct gt_analytic_times { double plan, filter, back; };
/* As gt_analytic_run(), and what each stage took: the device is waited for between stages. */
GT_API gt_status gt_analytic_run_timed(const gt_analytic *m, gt_backend *be, const gt_grid *grid, const gt_scan *scan, const void *options,
                                       const gt_array *data, gt_array *x, gt_analytic_times *times);

/* What solvers that keep vectors do with them (NULL-terminated): products of all with one, a sum of all added to one,
 * and one made orthogonal to all. */
GT_API extern const char *const gt_basis_parts[];
/* An operator whose forward does number `part` of these with `vectors` random vectors of n values, and a vector of n
 * values; its one result is not written, and it has no adjoint. *bytes: what that cannot but read and write.
 * GT_ERR_MEMORY where they do not fit. */
GT_API gt_status gt_basis_part_new(gt_backend *be, gt_type type, size_t n, size_t vectors, size_t part, gt_linop **A, double *bytes);

#ifdef __cplusplus
}
#endif
#endif
