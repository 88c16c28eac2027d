#ifndef GANTRY_PROJECTOR_H
#define GANTRY_PROJECTOR_H
#include <gantry/linop.h>
#include <gantry/module.h>
#include <gantry/grid.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A matched pair: from a volume [z][y][x] in mm^-1 to line integrals [view][row][column], and the adjoint. The adjoint
 * is exact, entry by entry, unless off_adjoint states a deviation. The function make() copies scan and
 * grid and allocates all memory. GT_ERR_UNSUPPORTED names projector and view of an unsupported geometry. */
typedef struct {
	GT_MODULE_MEMBERS
	const char *model;              /* reference projector on the CPU, equal up to off_model; NULL: itself */
	int         cuda_only;          /* no CPU side: make() refuses it, naming model */
	int         single_only;        /* make() refuses GT_F64 */
	double      off_adjoint;        /* maximum deviation of adjoint entries over the largest; 0: rounding */
	double      off_model;          /* likewise forward's from the model's */
	gt_status (*make)(gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
	                  const void *options, gt_linop **A);
	const struct gt_projector_parts *parts;         /* for benchmarks; may be NULL */
} gt_projector;

GT_API extern const gt_projector *const gt_projectors[];              /* NULL-terminated; the first is the default */
GT_API const gt_projector *gt_projector_find(const char *name);       /* NULL if there is none */
/* spec: "dd" or "NAME:key=value,...". Checks scan and grid first, but not that a view sees
 * the grid: of a subset of a helix, none may. */
GT_API gt_status gt_projector_new(const char *spec, gt_backend *be, gt_type type,
                           const gt_grid *grid, const gt_scan *scan, gt_linop **A);
#ifdef __cplusplus
}
#endif
#endif
