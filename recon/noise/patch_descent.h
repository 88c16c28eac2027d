#ifndef GT_RECON_PATCH_DESCENT_H
#define GT_RECON_PATCH_DESCENT_H
/* Penalised least squares on a patch of a local noise model. The cost is
 *   1/2 <z, F z> - <z, v> + strength kappa^2 R(about + z).
 * Conjugate gradients minimise it, with a Fourier preconditioner and the step of Fessler and Booth, IEEE Trans. Image
 * Process. 8 (1999) 688. Memory: 100 bytes per voxel of a patch, and 16 per number of a spectrum. */
#include <stdint.h>
#include "recon/noise/layers.h"
#include "recon/noise/local_noise_model.h"

typedef struct {
	const gt_noise_patches *p;
	size_t k;               /* patch */
	double strength;        /* times kappa^2 */
	double *M, *FM;         /* spectra of the preconditioner M, and of F M */
	const double *about;    /* borrowed; NULL: 0 */
	double *z, *d;          /* iterate, direction */
	double *Fz, *Fd;        /* F z - v, F d */
	double *g, *old;        /* gradient, previous gradient */
	double *Mg, *FMg;       /* M g, F M g */
	gt_layers t;            /* scratch: a transform */
	float *host;
	double *scratch;        /* owns the fields above */
} gt_patch_descent;

/* GT_ERR_MEMORY; call gt_patch_descent_free() in any case. */
gt_status gt_patch_descent_new(const gt_noise_patches *p, gt_patch_descent *s);
void gt_patch_descent_free(gt_patch_descent *s);
/* Chooses patch k and a strength; left: fraction of its curvature that the penalty retains in M. */
void gt_patch_descent_at(gt_patch_descent *s, size_t k, double strength, double left);
/* Starts with the linear solution z = M v of the vector v whose transform is s->t: Fz = F M v - v. */
void gt_patch_descent_start(gt_patch_descent *s);
/* Minimises from z and Fz. */
void gt_patch_descent_run(gt_patch_descent *s);
/* g = gradient of R at about + z. */
void gt_patch_penalty_gradient(gt_patch_descent *s, double *g);

/* Inverse of H = F + strength kappa^2 R of patch k at frequency i, [layer][layer]. */
void gt_patch_inverse(const gt_noise_patches *p, size_t k, size_t i, double strength, double *out);
/* t: transform of a normal field with the spectrum G of patch k; z: scratch field. */
void gt_patch_normal_field(const gt_noise_patches *p, size_t k, uint64_t seed, double *z, gt_layers *t);
/* x = scale z; host: scratch. */
void gt_patch_put(const gt_noise_patches *p, const double *z, double scale, float *host, gt_array *x);
gt_status gt_patch_no_memory(const gt_noise_patches *p);
#endif
