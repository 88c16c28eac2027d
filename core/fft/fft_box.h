#ifndef GT_CORE_FFT_FFT_BOX_H
#define GT_CORE_FFT_FFT_BOX_H
/* Discrete Fourier transforms of small boxes of complex numbers on the host, in double precision, by FFTW. */
#include <stddef.h>
#include <gantry/status.h>

typedef struct {
	size_t n[3], size;              /* x, y, z; their product */
	double (*value)[2];             /* [z][y][x], real and imaginary part; owned */
	void *forward, *inverse;        /* plans of FFTW */
} gt_fft_box;
/* All zeros. GT_ERR_MEMORY; gt_fft_box_free() is due in either case. */
gt_status gt_fft_box_new (const size_t n[3], gt_fft_box *b);
void      gt_fft_box_free(gt_fft_box *b);
/* In place; forward with exp(-i ...), inverse divided by the size. The same bits each time. */
void gt_fft_box_forward(gt_fft_box *b);
void gt_fft_box_inverse(gt_fft_box *b);

/* The spectrum, real and even, of an operator on boxes that is the same at all places, from its response to a unit at voxel (n/2): the mean of
 * the response and its mirror image, multiplied along each axis by a triangle that falls to 0 at the ends if `taper`, which keeps a spectrum
 * that is nowhere below 0 so. spectrum: [size]. */
gt_status gt_fft_box_spectrum(const size_t n[3], const float *response, int taper, double *spectrum);

#endif
