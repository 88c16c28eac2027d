#ifndef GANTRY_PHANTOM_H
#define GANTRY_PHANTOM_H
#include <stdint.h>
#include <gantry/grid.h>
#include <gantry/threads.h>
#ifdef __cplusplus
extern "C" {
#endif

/* An analytic body: shapes with densities in mm^-1. Known by exact line integrals and by point values. */
typedef struct gt_phantom gt_phantom;

/* One line of the table: `gantry help simulate` prints it. */
typedef struct { const char *name, *about; } gt_phantom_info;
GT_API extern const gt_phantom_info gt_phantom_list[];         /* ends with name = NULL */

typedef struct {
	double water;           /* attenuation of density 1, mm^-1; default 0.02 */
	double scale;           /* multiplies all lengths; default 1 */
	double shift[3];        /* mm, after scaling */
	double rotate;          /* about z, rad, before the shift */
} gt_phantom_options;
GT_API extern const gt_phantom_options gt_phantom_defaults;

/* Creates a phantom: a name of the table, or the path of a file of shapes (docs/phantoms.md). o NULL: defaults.
 * GT_ERR_UNKNOWN, GT_ERR_IO, GT_ERR_FORMAT (with the line and what was expected). */
GT_API gt_status gt_phantom_new(const char *what, const gt_phantom_options *o, gt_phantom **p);
GT_API void      gt_phantom_free(gt_phantom *p);
/* Radius around the origin that holds the whole body, mm. */
GT_API double    gt_phantom_radius(const gt_phantom *p);

GT_API double gt_phantom_value(const gt_phantom *p, const double x[3]);                               /* mm^-1 at a point */
/* Integral along the half-line from `from` along `direction` (any length); both ways if whole is 1. */
GT_API double gt_phantom_line(const gt_phantom *p, const double from[3], const double direction[3], int whole);

/* Called now and then from the calling thread with the fraction done; non-zero stops (GT_STOPPED). May be NULL. */
typedef int (*gt_phantom_progress)(void *self, double done);

/* Exact line integrals [view][row][column], each the mean over rays x rays sub-rays of the cell (1: centre ray). */
GT_API gt_status gt_phantom_project(const gt_phantom *p, const gt_scan *scan, int rays, gt_pool *pool,
                             gt_phantom_progress progress, void *self, float *out);
/* Likewise, only for shapes with densities from band[0] to below band[1], mm^-1: one material of several. */
GT_API gt_status gt_phantom_project_band(const gt_phantom *p, const gt_scan *scan, const double band[2], int rays, gt_pool *pool,
                             float *out);
/* Voxel values: mean over points^3 points of each voxel. */
GT_API gt_status gt_phantom_voxelise(const gt_phantom *p, const gt_grid *grid, int points, gt_pool *pool,
                              gt_phantom_progress progress, void *self, float *out);

/* photons > 0. In place: counts N = Poisson(photons exp(-p)) + Normal(0, electronic), at least 0.5, then p =
 * ln(photons/N). Cell i uses counter first + i of the generator: the same noise on any number of threads. */
GT_API void gt_add_photon_noise(double photons, double electronic, uint64_t seed, uint64_t first, gt_pool *pool, float *p, size_t n);

#ifdef __cplusplus
}
#endif
#endif
