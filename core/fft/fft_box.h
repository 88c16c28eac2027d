#ifndef GT_CORE_FFT_FFT_BOX_H
#define GT_CORE_FFT_FFT_BOX_H
/* Discrete Fourier transforms of small boxes of complex numbers on the host, in double precision, by FFTW. */
#include <stddef.h>
#include <gantry/status.h>

typedef struct {
	size_t n[3], size;              /* x, y, z; their product */
	double (*value)[2];             /* [z][y][x], real and imaginary part; owned */
	void *forward, *inverse;        /* FFTW plans */
} gt_fft_box;
/* Zero-initialised. GT_ERR_MEMORY; call gt_fft_box_free() in either case. */
gt_status gt_fft_box_new (const size_t n[3], gt_fft_box *b);
void      gt_fft_box_free(gt_fft_box *b);
/* In place; forward with exp(-i ...), inverse divided by the size. Bit-identical when repeated. */
void gt_fft_box_forward(gt_fft_box *b);
void gt_fft_box_inverse(gt_fft_box *b);

/* Spectrum, real and even, of a shift-invariant operator on boxes, from its response to a unit at voxel (n/2). Averages
 * the response with its mirror image. With `taper` multiplies it along each axis by a triangle that is 0 at the ends,
 * which keeps a spectrum non-negative. spectrum: [size]. */
gt_status gt_fft_box_spectrum(const size_t n[3], const double *response, int taper, double *spectrum);

#endif
