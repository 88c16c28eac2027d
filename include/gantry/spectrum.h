#ifndef GANTRY_SPECTRUM_H
#define GANTRY_SPECTRUM_H
#include <stddef.h>
#include <gantry/status.h>
#include <gantry/threads.h>
#ifdef __cplusplus
extern "C" {
#endif

/* What a detector measures of a body of several materials by the rays of a spectrum: line[i] = -ln of the mean over
 * the spectrum of exp(-sum over k of mu_k(E)/density_k integral[k][i]).
 * spectrum: as the step beam-hardening takes it, "kv=120,aluminium=3" or "spectrum=FILE,energy-weighted=no".
 * material[k]: "water", "bone", ... or a file, as there. integral[k]: of the density, relative to water, in mm; of a
 * material from a file, whose density is not known, of 1 where it is. The pool may be NULL. GT_ERR_UNKNOWN,
 * GT_ERR_ARG, GT_ERR_IO, GT_ERR_FORMAT: spectrum or material. */
GT_API gt_status gt_mix_spectrum(const char *spectrum, const char *const *material, size_t materials, const float *const *integral,
                                 size_t n, gt_pool *pool, float *line);

#ifdef __cplusplus
}
#endif
#endif
