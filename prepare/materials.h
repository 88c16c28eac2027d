#ifndef GT_PREPARE_MATERIALS_H
#define GT_PREPARE_MATERIALS_H
/* Attenuation and spectra; private to prepare/. */
#include <gantry/status.h>
#include <stddef.h>

/* Attenuation in mm^-1 at an energy in keV. */
typedef struct { double *energy, *mu; size_t n; } gt_material;
/* "water", "aluminium", "copper", "bone", or a text file with lines "keV mm-1", in ascending order. GT_ERR_UNKNOWN,
 * GT_ERR_IO, GT_ERR_FORMAT with the line. */
gt_status gt_material_new(const char *name, gt_material *m);
void      gt_material_free(gt_material *m);
/* Log-log between the table's energies; beyond them the nearest pair goes on. */
double    gt_material_mu(const gt_material *m, double energy);

/* Parts of the signal by energy, their sum is 1. */
typedef struct { double *energy, *part; size_t n; } gt_spectrum;
/* Lines "keV photons" of a text file. */
gt_status gt_spectrum_read(const char *path, gt_spectrum *s);
/* Bremsstrahlung of a thick target after Kramers, photons in proportion to kv/E - 1, in steps of 1 keV. */
gt_status gt_spectrum_kramers(double kv, gt_spectrum *s);
void      gt_spectrum_filter(gt_spectrum *s, const gt_material *m, double mm);
/* energy_weighted: the detector counts energy. GT_ERR_FORMAT: nothing is left. */
gt_status gt_spectrum_finish(gt_spectrum *s, int energy_weighted);
void      gt_spectrum_free(gt_spectrum *s);
/* -ln of the mean of exp(-mu mm): the line integral that is measured. */
double    gt_spectrum_line_integral(const gt_spectrum *s, const gt_material *m, double mm);

#endif
