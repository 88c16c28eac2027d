#ifndef GT_CORE_FFT_FFT_H
#define GT_CORE_FFT_FFT_H
/* Fourier transforms: FFTW on the CPU, cuFFT on CUDA. */
#include <pthread.h>
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Smallest even 2^a 3^b 5^c 7^d of at least min. */
size_t gt_fft_size(size_t min);
/* FFTW's planner is not thread-safe: hold this mutex while creating or destroying a plan. */
extern pthread_mutex_t gt_fft_planner;

/* Filter for volumes [z][y][x] of n[0] x n[1] x n[2], slice by slice. Slices are zero-padded to at least twice their
 * sides, which prevents wrap-around. A bounded part of the memory holds as large a batch as possible. */
typedef struct gt_slice_filter gt_slice_filter;
gt_status gt_slice_filter_new (gt_backend *be, gt_type type, const size_t n[3], gt_slice_filter **s);
void      gt_slice_filter_free(gt_slice_filter *s);
void      gt_slice_filter_padded(const gt_slice_filter *s, size_t padded[2]);
/* Real part of the transform of a kernel: a slice on the host, its centre at voxel `center` (x, y).
 * spectrum: [padded y][padded x/2 + 1]. */
gt_status gt_slice_filter_spectrum(const gt_slice_filter *s, const double *kernel, const size_t center[2], double *spectrum);
/* Copies a host spectrum from gt_slice_filter_spectrum() to the backend. */
gt_status gt_slice_filter_response(const gt_slice_filter *s, const double *spectrum, gt_array **response);
/* Factor before and after a filter, S = diag(scale sqrt(max(0, 1 - |place - at|))). It weights one of several filters
 * by the distance of a voxel's `place` from `at`. place NULL: diag(scale). */
typedef struct { const gt_array *scale, *place; double at; } gt_slice_filter_share;
/* y = y + S F' h F S x, or without y if add is 0; F: transform of padded slices, h: response. Symmetric; positive
 * definite if h > 0 and S has no 0. Allocates nothing; y must not be x. */
void      gt_slice_filter_apply(const gt_slice_filter *s, const gt_array *response, const gt_slice_filter_share *share, int add, const gt_array *x,
                           gt_array *y);

#ifdef __cplusplus
}
#endif
#endif
