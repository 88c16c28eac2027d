#ifndef GT_PROJECTORS_TABLE_H
#define GT_PROJECTORS_TABLE_H
/* Parts of projectors, for benchmarks. */
#include <gantry/projector.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Parts of a projector's operators that can run alone on the device. make() creates an operator. Its forward
 * computes one part from a volume or data and writes no result. */
struct gt_projector_parts {
	const char *const *names;       /* NULL-terminated */
	gt_status (*make)(size_t part, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan, const void *options,
	                  gt_linop **A);
};
/* As gt_projector_new(), for part number `part`. GT_ERR_UNSUPPORTED: the projector has no such part. */
gt_status gt_projector_part_new(const char *spec, size_t part, gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
                                gt_linop **A);

#ifdef __cplusplus
}
#endif
#endif
