#ifndef GANTRY_PROJECTOR_H
#define GANTRY_PROJECTOR_H
#include <gantry/linop.h>
#include <gantry/module.h>
#include <gantry/grid.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A matched pair: volume [z][y][x] in mm^-1 -> line integrals [view][row][column], and its adjoint: exact, entry by
 * entry, unless the projector says that it is only near.
 * make() refuses (GT_ERR_UNSUPPORTED, naming projector and view) what the model cannot do. Scan and grid are
 * copied; nothing is allocated after make(). */
typedef struct {
	GT_MODULE_MEMBERS
	const char *model;              /* the projector with the same entries, or near to it (off_model), that is its reference on the CPU; NULL: itself */
	int         cuda_only;          /* no CPU side: make() refuses it, naming model */
	int         single_only;        /* make() refuses GT_F64 */
	double      off_adjoint;        /* entries of the adjoint may differ by this much of the largest; 0: by rounding alone */
	double      off_model;          /* likewise forward's from the model's */
	gt_status (*make)(gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan,
	                  const void *options, gt_linop **A);
	const struct gt_projector_parts *parts;         /* for benchmarks: <gantry/backend_author.h>; may be NULL */
} gt_projector;

GT_API extern const gt_projector *const gt_projectors[];              /* NULL-terminated; the first is the default */
GT_API extern const gt_module_kind gt_projector_kind;
GT_API const gt_projector *gt_projector_find(const char *name);       /* NULL if there is none */
/* spec: "dd" or "NAME:key=value,...". Checks scan and grid first, but not that a view sees
 * the grid: of a subset of a helix, none may. */
GT_API gt_status gt_projector_new(const char *spec, gt_backend *be, gt_type type,
                           const gt_grid *grid, const gt_scan *scan, gt_linop **A);
#ifdef __cplusplus
}
#endif
#endif
