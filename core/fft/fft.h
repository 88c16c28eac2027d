#ifndef GT_CORE_FFT_FFT_H
#define GT_CORE_FFT_FFT_H
/* Fourier transforms: FFTW on the CPU, cuFFT on CUDA. */
#include <pthread.h>
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Smallest even 2^a 3^b 5^c 7^d of at least that much. */
size_t gt_fft_size(size_t min);
/* FFTW's planner is not re-entrant: hold this around every creation and destruction of a plan. */
extern pthread_mutex_t gt_fft_planner;

/* Volumes [z][y][x] of n[0] x n[1] x n[2], filtered slice by slice. Slices are padded with zeros to at least twice
 * their sides, so that nothing comes round; a bounded part of the memory holds as many at a time as it can. */
typedef struct gt_slice_filter gt_slice_filter;
gt_status gt_slice_filter_new (gt_backend *be, gt_type type, const size_t n[3], gt_slice_filter **s);
void      gt_slice_filter_free(gt_slice_filter *s);
/* Sides of the padded slices, x and y. */
void      gt_slice_filter_padded(const gt_slice_filter *s, size_t padded[2]);
/* Real part of the transform of a kernel: a slice on the host, its centre at voxel `center` (x, y).
 * spectrum: [padded y][padded x/2 + 1]. */
gt_status gt_slice_filter_spectrum(const gt_slice_filter *s, const double *kernel, const size_t center[2], double *spectrum);
/* A response for gt_slice_filter_apply() on the backend, from one on the host as gt_slice_filter_spectrum() gives. */
gt_status gt_slice_filter_response(const gt_slice_filter *s, const double *spectrum, gt_array **response);
/* What stands before and after a filter, S = diag(scale sqrt(max(0, 1 - |place - at|))): the share of a filter that is
 * one of several, by how far a voxel's place is from its. place NULL: diag(scale). */
typedef struct { const gt_array *scale, *place; double at; } gt_slice_filter_share;
/* y = y + S F' h F S x, or without y if add is 0: F the transform of padded slices, h a response. Symmetric, and
 * positive definite where h > 0 and S has no 0. Allocates nothing; y is not x. */
void      gt_slice_filter_apply(const gt_slice_filter *s, const gt_array *response, const gt_slice_filter_share *share, int add, const gt_array *x,
                           gt_array *y);

#ifdef __cplusplus
}
#endif
#endif
