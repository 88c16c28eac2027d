#ifndef GANTRY_REGULARIZER_H
#define GANTRY_REGULARIZER_H
#include <gantry/module.h>
#include <gantry/author/penalty.h>
#include <gantry/data.h>
#include <gantry/grid.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A kind of penalty on volumes [z][y][x] in mm^-1. Every one has a parameter `strength`, a factor on all of it, 0 or
 * more. make() allocates what the penalty needs; its functions allocate nothing. Options are in range. */
typedef struct {
	GT_MODULE_MEMBERS
	/* kappa: weights per voxel on the penalty's backend and of its type, copied; NULL: 1. The weight of a pair is the
	 * product (Fessler and Rogers, IEEE Trans. Image Process. 5 (1996) 1346). GT_ERR_UNSUPPORTED: no such weights. */
	gt_status (*make)(gt_backend *be, gt_type type, const gt_grid *grid, const void *options, const gt_array *kappa, gt_penalty **R);
	int no_automatic_strength;      /* 1: the strength cannot be found from the noise of the data */
	/* Likewise for several volumes on one grid, concatenated in an array; NULL: not supported. */
	gt_status (*make_joint)(gt_backend *be, gt_type type, const gt_grid *grid, size_t volumes, const void *options, gt_penalty **R);
	int neighbours_only;            /* 1: only adjacent voxels interact; slabs need one slice of overlap */
} gt_regularizer;

GT_API extern const gt_regularizer *const gt_regularizers[];               /* NULL-terminated */
GT_API const gt_regularizer *gt_regularizer_find(const char *name);        /* NULL if there is none */
/* spec: "huber:strength=3,delta=5HU" or "NAME". */
GT_API gt_status gt_regularizer_new(const char *spec, gt_backend *be, gt_type type, const gt_grid *grid, const gt_array *kappa,
                             gt_penalty **R);

/* A penalty on several volumes: of arrays of volumes * voxels values, one volume after the other. GT_ERR_UNSUPPORTED:
 * it is a penalty of one volume. */
GT_API gt_status gt_regularizer_new_joint(const char *spec, gt_backend *be, gt_type type, const gt_grid *grid, size_t volumes,
                             gt_penalty **R);

/* Denoisers of the caller's as proximal steps ("plug and play": Venkatakrishnan, Bouman, Wohlberg, IEEE GlobalSIP
 * 2013, 945; "regularization by denoising": Romano, Elad, Milanfar, SIAM J. Imaging Sci. 10 (2017) 1804). Solvers
 * that take one: pnp-fista, pnp-admm, red. */

/* Memory of a denoiser's volumes: the host's, or that of the backend (the same on the CPU). */
typedef enum { GT_HOST_MEMORY, GT_DEVICE_MEMORY } gt_denoiser_memory;

/* Call of a denoiser. `in` and `out` hold `slices` slices [z][y][x] of a volume in mm^-1, and do not overlap. `in`
 * must not be changed. Neither is valid after the call. */
typedef struct {
	size_t size;                    /* sizeof(gt_denoise_call): later versions add members at the end */
	const gt_grid *grid;            /* the whole volume */
	gt_type type;                   /* GT_F32: in and out are float; GT_F64: double */
	double t;                       /* length of the step: R is weighed against |out - in|^2/(2 t) */
	const void *in;
	void *out;
	size_t written;                 /* 0 before; the denoiser sets it to how many values it wrote */
	gt_denoiser_memory memory;      /* memory of in and out */
	/* gt_backend_stream() for GT_DEVICE_MEMORY: `in` is ready in its order, and `out` is read in its order. NULL
	 * on the CPU. */
	void *stream;
	size_t first, slices;           /* range of slices in this call */
} gt_denoise_call;

typedef struct {
	size_t size;                    /* sizeof(gt_denoiser); the size without the members below `self` is accepted */
	const char *name;               /* for messages; must outlive the penalty */
	/* Any status but GT_OK ends the computation with this failure; gt_fail() gives the reason. Called by one thread
	 * at a time, and not in a dry run. It may use arrays of the backend in this thread only. */
	gt_status (*denoise)(void *self, gt_denoise_call *call);
	void      (*free)(void *self);  /* NULL: self stays the caller's */
	void       *self;
	gt_denoiser_memory memory;      /* memory of its volumes; default GT_HOST_MEMORY */
	size_t slices;                  /* largest number of slices in a call; 0: the whole volume in one call */
} gt_denoiser;

/* Creates a penalty with only a proximal step: the denoiser, then the bounds. It is not convex, and its unknown value
 * counts as 0. With GT_HOST_MEMORY every step copies a volume to the host and one back. With GT_DEVICE_MEMORY no
 * array crosses the bus, and the host waits once per call for the check of the values. If a denoiser fails, or writes
 * a wrong number of values or non-finite values, the backend fails with its name. The slices of that call and of later
 * ones are unchanged then. Takes ownership of `self`, which is freed with the penalty, also if this call fails. Memory
 * for the slices of a call: two volumes on the host, or one on the backend. GT_ERR_ARG: no function, an unknown size
 * or memory. */
GT_API gt_status gt_penalty_of_denoiser(const gt_denoiser *d, gt_backend *be, gt_type type, const gt_grid *grid, gt_penalty **R);

/* Denoising without reconstruction: minimises R(u) + |u - z|^2/2 with a penalty R and the data z. */
typedef struct {
	size_t size;                    /* sizeof(gt_denoise_options), as gt_denoise_defaults says */
	const char *penalty;            /* "tv:strength=2e-4", "nlm:h=20HU", of the volume's water; unknown: 0.02 mm^-1 */
	int iterations;                 /* number for penalties without a proximal step, by fista */
	double min;                     /* no value of u is below; -INFINITY: no bound */
} gt_denoise_options;
GT_API extern const gt_denoise_options gt_denoise_defaults;   /* copy it, then set what differs */

/* Denoises the voxels of v in place, mm^-1. Parameters are in the unit of the data; the strength must be given.
 * GT_ERR_ARG: no such penalty, unknown parameters, no strength. After a failure the data are unchanged. Memory on the
 * backend: three times the data (fista: six times), and that of the penalty. */
GT_API gt_status gt_denoise_volume     (gt_backend *be, gt_type type, const gt_denoise_options *o, gt_volume *v);
/* Denoises several volumes on one grid together, in place, by a penalty of several volumes. GT_ERR_ARG also: different
 * grids. */
GT_API gt_status gt_denoise_volumes    (gt_backend *be, gt_type type, const gt_denoise_options *o, gt_volume *const *v, size_t n);
/* Denoises the line integrals of p in place, as a volume of columns, rows and views. The pitch along the views is the
 * column pitch. Parameters have no unit, like line integrals. Weights and photons are unchanged. GT_ERR_FORMAT: no
 * data. */
GT_API gt_status gt_denoise_projections(gt_backend *be, gt_type type, const gt_denoise_options *o, gt_projections *p);

#ifdef __cplusplus
}
#endif
#endif
