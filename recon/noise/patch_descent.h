#ifndef GT_RECON_PATCH_DESCENT_H
#define GT_RECON_PATCH_DESCENT_H
/* Penalised least squares on the patches of a local noise model. The cost of a patch is
 *   1/2 <z, F z> - <z, v> + strength kappa^2 R(about + z).
 * Conjugate gradients minimise it, with a Fourier preconditioner and the step of Fessler and Booth, IEEE Trans. Image
 * Process. 8 (1999) 688. F is positive semidefinite, and the curvature of R along a line bounds R from above. So each
 * step lowers the cost, at any strength. All descents advance together: in the threads of the penalty's backend, and
 * with one copy to and from the device for all.
 * Memory of a descent: 130 bytes per voxel of a patch, and 16 per number of a spectrum. */
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
	double *g, *old;        /* gradient of R, then of the cost; previous gradient of the cost */
	double *Mg, *FMg;       /* M g, F M g */
	double before;          /* <Mg, g> of the previous iteration; 0: none */
	double slope, curvature;/* data term along d */
	double line[2];         /* slope and curvature of R along d */
	int active;             /* 0: converged */
	gt_layers t;            /* scratch: a transform */
	double *sum;            /* about + z */
	double *scratch;        /* owns the fields above, except sum, d and g */
	double (*kept)[2];      /* transform of a normal field, [layer][box] */
	uint64_t seed;          /* seed of that field plus 1; 0: none */
} gt_patch_descent;

/* One or more descents (lanes) for each patch, [lane][patch]. */
typedef struct {
	const gt_noise_patches *p;
	size_t count;                   /* lanes times patches */
	gt_patch_descent s[GT_PATCH_LANES * GT_NOISE_PATCHES];
	gt_patch_slots slots;
	double *host;                   /* page-locked: sum, d and g of all descents */
} gt_patch_descents;
/* p->x and p->g hold lanes times p->places patches. GT_ERR_MEMORY; call gt_patch_descents_free() in any case. */
gt_status gt_patch_descents_new(const gt_noise_patches *p, size_t lanes, gt_patch_descents *t);
void gt_patch_descents_free(gt_patch_descents *t);
/* Calls f for each used descent, in several threads. */
void gt_patch_descents_each(gt_patch_descents *t, void (*f)(gt_patch_descent *s, void *self), void *self);
/* Likewise for those of a lane. */
void gt_patch_descents_lane(gt_patch_descents *t, size_t lane, void (*f)(gt_patch_descent *s, void *self), void *self);
/* Sets the strength; left: fraction of its curvature that the penalty retains in M. */
void gt_patch_descents_at(gt_patch_descents *t, double strength, double left);
/* Minimises descents first to end - 1 from z and Fz in at most `iterations`. */
void gt_patch_descents_run(gt_patch_descents *t, size_t first, size_t end, int iterations);
enum { GT_PATCH_ITERATIONS = 100 };
/* Starts a descent with the linear solution z = M v of the vector v whose transform is s->t: Fz = F M v - v. */
void gt_patch_descent_start(gt_patch_descent *s);
/* s->t: transform of gt_patch_normal_field(), kept for the next call. s->z is scratch. */
void gt_patch_descent_noise(gt_patch_descent *s, uint64_t seed);
/* s->g = gradient of R at about + z, for descents first to end - 1. */
void gt_patch_penalty_gradients(gt_patch_descents *t, size_t first, size_t end);

/* Bytes of the patches, on host and backend, while that many lanes descend. */
double gt_patch_bytes(const gt_noise_patches *p, size_t lanes);

/* Inverse of H = F + strength kappa^2 R of patch k at frequency i, [layer][layer]. */
void gt_patch_inverse(const gt_noise_patches *p, size_t k, size_t i, double strength, double *out);
/* Inverses at all frequencies, [frequency][layer][layer]. */
void gt_patch_inverses(const gt_noise_patches *p, size_t k, double strength, double *out);
/* t: transform of a normal field with the spectrum G of patch k; z: scratch field. */
void gt_patch_normal_field(const gt_noise_patches *p, size_t k, uint64_t seed, double *z, gt_layers *t);
gt_status gt_patch_no_memory(const gt_noise_patches *p);
#endif
