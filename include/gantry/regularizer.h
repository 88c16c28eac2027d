#ifndef GANTRY_REGULARIZER_H
#define GANTRY_REGULARIZER_H
#include <gantry/module.h>
#include <gantry/penalty.h>
#include <gantry/data.h>
#include <gantry/grid.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A kind of penalty on volumes [z][y][x] in mm^-1. Every one has a parameter `strength`, a factor on all of it, 0 or more.
 * make() allocates what the penalty needs; its functions allocate nothing. Options are in range. */
typedef struct {
	GT_MODULE_MEMBERS
	/* kappa: weights per voxel on the penalty's backend and of its type, copied; NULL: 1. A pair of voxels has the product of
	 * theirs (Fessler and Rogers, IEEE Trans. Image Process. 5 (1996) 1346). GT_ERR_UNSUPPORTED if there is no such thing. */
	gt_status (*make)(gt_backend *be, gt_type type, const gt_grid *grid, const void *options, const gt_array *kappa, gt_penalty **R);
	int no_automatic_strength;      /* 1: the strength cannot be found from the noise of the data */
	/* The same of several volumes on one grid, one after the other in an array; NULL: there is no such thing. */
	gt_status (*make_joint)(gt_backend *be, gt_type type, const gt_grid *grid, size_t volumes, const void *options, gt_penalty **R);
	int neighbours_only;            /* 1: terms look at voxels that touch alone; a slab with a slice beside gives what the whole does */
} gt_regularizer;

GT_API extern const gt_regularizer *const gt_regularizers[];               /* NULL-terminated */
GT_API extern const gt_module_kind gt_regularizer_kind;
GT_API const gt_regularizer *gt_regularizer_find(const char *name);        /* NULL if there is none */
/* spec: "huber:strength=3,delta=5HU" or "NAME". */
GT_API gt_status gt_regularizer_new(const char *spec, gt_backend *be, gt_type type, const gt_grid *grid, const gt_array *kappa,
                             gt_penalty **R);

/* The spec with what is in HU turned into mm^-1 by that attenuation of water, mm^-1, for those above, which take HU for
 * thousandths of water of 0.02 mm^-1. For gt_free(); NULL without memory. */
GT_API char *gt_penalty_spec_of_water(const char *spec, double water);

/* A penalty on several volumes: of arrays of volumes * voxels values, one volume after the other. GT_ERR_UNSUPPORTED:
 * it is a penalty of one volume. */
GT_API gt_status gt_regularizer_new_joint(const char *spec, gt_backend *be, gt_type type, const gt_grid *grid, size_t volumes,
                             gt_penalty **R);

/* Denoisers of the caller's as proximal steps ("plug and play": Venkatakrishnan, Bouman, Wohlberg, IEEE GlobalSIP
 * 2013, 945; "regularization by denoising": Romano, Elad, Milanfar, SIAM J. Imaging Sci. 10 (2017) 1804). Solvers
 * that take one: pnp-fista, pnp-admm, red. */

/* What a denoiser is asked. Both volumes lie in the host's memory, [z][y][x] in mm^-1, and do not overlap. */
typedef struct {
	size_t size;                    /* sizeof(gt_denoise_call): later versions add members at the end */
	const gt_grid *grid;
	gt_type type;                   /* GT_F32: in and out are float; GT_F64: double */
	double t;                       /* length of the step: R is weighed against |out - in|^2/(2 t) */
	const void *in;
	void *out;
	size_t written;                 /* 0 before; the denoiser sets it to how many values it wrote */
} gt_denoise_call;

typedef struct {
	size_t size;                    /* sizeof(gt_denoiser) */
	const char *name;               /* for messages; must outlive the penalty */
	/* Another status than GT_OK ends what is computed with that failure; gt_fail() says why. Called by one thread
	 * at a time. It must not use the backend. */
	gt_status (*denoise)(void *self, gt_denoise_call *call);
	void      (*free)(void *self);  /* NULL: self stays the caller's */
	void       *self;
} gt_denoiser;

/* A penalty that has a proximal step alone: the denoiser, and then the bounds. It is not convex, its value is not
 * known and counts 0, its step of length 0 is the bounds alone. Every step moves a volume to the host and one back. A
 * denoiser that fails, writes another number of values or a value that is not finite fails the backend by its name,
 * and the volume stays as it was. Takes `self` over: it is freed with the penalty, also when this call fails. Memory:
 * two volumes on the host. GT_ERR_ARG: no function, or a size that is not known. */
GT_API gt_status gt_penalty_of_denoiser(const gt_denoiser *d, gt_backend *be, gt_type type, const gt_grid *grid, gt_penalty **R);

/* Denoising of what is there, without a reconstruction: u with the least R(u) + |u - z|^2/2, with a penalty R and z
 * the data. */
typedef struct {
	size_t size;                    /* sizeof(gt_denoise_options), as gt_denoise_defaults says */
	const char *penalty;            /* "tv:strength=2e-4", "nlm:h=20HU", of the volume's water; unknown: 0.02 mm^-1 */
	int iterations;                 /* of penalties without a proximal step, by fista */
	double min;                     /* no value of u is below; -INFINITY: no bound */
} gt_denoise_options;
GT_API extern const gt_denoise_options gt_denoise_defaults;   /* copy it, then set what differs */

/* The voxels of v, in mm^-1, in place. GT_ERR_ARG: no such penalty, parameters that it does not take, or no strength
 * of a penalty that has one (it cannot be found: a number in the unit of the data for tv and its relatives). Whatever
 * fails, the data stay as they are. Memory on the backend: the data three times, and what the penalty takes; fista:
 * six times. */
GT_API gt_status gt_denoise_volume     (gt_backend *be, gt_type type, const gt_denoise_options *o, gt_volume *v);
/* Several volumes on one grid together, in place, by a penalty that takes them. GT_ERR_ARG also: grids that differ. */
GT_API gt_status gt_denoise_volumes    (gt_backend *be, gt_type type, const gt_denoise_options *o, gt_volume *const *v, size_t n);
/* The line integrals of p, in place: as a volume of columns, rows and views, whose voxels are pixels as long along
 * the views as along the columns. Parameters are in the unit of line integrals, which is none. Weights and photons
 * stay as they are. GT_ERR_FORMAT: p holds none. */
GT_API gt_status gt_denoise_projections(gt_backend *be, gt_type type, const gt_denoise_options *o, gt_projections *p);

#ifdef __cplusplus
}
#endif
#endif
