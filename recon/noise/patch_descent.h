#ifndef GT_RECON_PATCH_DESCENT_H
#define GT_RECON_PATCH_DESCENT_H
/* Penalised least squares on the patches of a local noise model. The cost of a patch is
 *   1/2 <z, F z> - <z, v> + strength kappa^2 R(about + z).
 * Conjugate gradients minimise it, with a Fourier preconditioner and the step of Fessler and Booth, IEEE Trans. Image
 * Process. 8 (1999) 688. F is positive semidefinite, and the curvature of R along a line bounds R from above. So each
 * step lowers the cost, at any strength. All patches advance together, in the threads of the penalty's backend.
 * Memory: 110 bytes per voxel of a patch, and 16 per number of a spectrum. */
#include <stdint.h>
#include "recon/noise/layers.h"
#include "recon/noise/local_noise_model.h"

typedef struct {
	const gt_noise_patches *p;
	size_t k;               /* patch */
	int used;               /* 0: is left out */
	double strength;        /* times kappa^2 */
	double *M, *FM;         /* spectra of the preconditioner M, and of F M */
	double noise;           /* expectation of |M v|^2 for noise v of spectrum G */
	const double *about;    /* borrowed; NULL: 0 */
	double *z, *d;          /* iterate, direction */
	double *Fz, *Fd;        /* F z - v, F d */
	double *g, *old;        /* gradient, previous gradient */
	double *Mg, *FMg;       /* M g, F M g */
	double before;          /* <Mg, g> of the previous iteration; 0: none */
	int active;             /* 0: converged */
	gt_layers t;            /* scratch: a transform */
	double *sum;            /* scratch: about + z */
	double *scratch;        /* owns the fields above */
} gt_patch_descent;

/* One descent for each patch, GT_NOISE_PATCHES in all. GT_ERR_MEMORY; call gt_patch_descents_free() in any case. */
gt_status gt_patch_descents_new(const gt_noise_patches *p, gt_patch_descent s[GT_NOISE_PATCHES]);
void gt_patch_descents_free(gt_patch_descent s[GT_NOISE_PATCHES]);
/* Calls f for each used patch, in several threads. */
void gt_patch_descents_each(gt_patch_descent *s, void (*f)(gt_patch_descent *s, void *self), void *self);
/* Sets the strength; left: fraction of its curvature that the penalty retains in M. */
void gt_patch_descents_at(gt_patch_descent *s, double strength, double left);
/* Minimises from z and Fz in at most `iterations`. */
void gt_patch_descents_run(gt_patch_descent *s, int iterations);
enum { GT_PATCH_ITERATIONS = 100 };
/* Starts one patch with the linear solution z = M v of the vector v whose transform is s->t: Fz = F M v - v. */
void gt_patch_descent_start(gt_patch_descent *s);
/* g = gradient of R at about + z. */
void gt_patch_penalty_gradient(gt_patch_descent *s, double *g);

/* Inverse of H = F + strength kappa^2 R of patch k at frequency i, [layer][layer]. */
void gt_patch_inverse(const gt_noise_patches *p, size_t k, size_t i, double strength, double *out);
/* t: transform of a normal field with the spectrum G of patch k; z: scratch field. */
void gt_patch_normal_field(const gt_noise_patches *p, size_t k, uint64_t seed, double *z, gt_layers *t);
gt_status gt_patch_no_memory(const gt_noise_patches *p);
#endif
