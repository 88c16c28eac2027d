#ifndef GT_PREPARE_MATERIALS_H
#define GT_PREPARE_MATERIALS_H
/* Attenuation and spectra; private to prepare/. */
#include <gantry/status.h>
#include <stddef.h>

/* Attenuation in mm^-1 at an energy in keV. */
typedef struct {
	double *energy, *mu;
	size_t n;
	int smooth;                     /* built-in table: four points make a curve; else straight lines, as edges need */
	double density;                 /* g/cm^3; 1 where it is not known */
} gt_material;
/* "water", "aluminium", "titanium", "iron", "copper", "bone", or a text file with lines "keV mm-1", in ascending
 * order. GT_ERR_UNKNOWN, GT_ERR_IO, GT_ERR_FORMAT with the line. */
gt_status gt_material_new(const char *name, gt_material *m);
void      gt_material_free(gt_material *m);
/* Interpolates log-log between the energies of the table, and extrapolates its outermost pairs. Built-in tables agree
 * with xraylib 4.3 within 0.4 % (copper 1.1 %) from the first energy to 300 keV. */
double    gt_material_mu(const gt_material *m, double energy);

/* Fractions of the signal by energy; their sum is 1. */
typedef struct { double *energy, *part; size_t n; } gt_spectrum;
/* Reads lines "keV photons" of a text file. */
gt_status gt_spectrum_read(const char *path, gt_spectrum *s);
/* Parses "kv=120,aluminium=3" or "spectrum=FILE", as the step beam-hardening takes it, filters and normalises it. */
gt_status gt_spectrum_of_spec(const char *spec, gt_spectrum *s);
/* Bremsstrahlung of a thick target after Kramers, photons in proportion to kv/E - 1, in steps of 1 keV. */
gt_status gt_spectrum_kramers(double kv, gt_spectrum *s);
void      gt_spectrum_filter(gt_spectrum *s, const gt_material *m, double mm);
/* Normalises the spectrum. energy_weighted: the detector integrates energy. GT_ERR_FORMAT: no photons are left. */
gt_status gt_spectrum_finish(gt_spectrum *s, int energy_weighted);
void      gt_spectrum_free(gt_spectrum *s);
/* Returns the attenuation at the energies of the spectrum, malloc'ed; NULL: out of memory. */
double   *gt_spectrum_attenuation(const gt_spectrum *s, const gt_material *m);
/* Returns -ln of the mean of exp(-sum mu[k] mm[k]), mu[k] by energy. */
double    gt_spectrum_measured(const gt_spectrum *s, size_t materials, const double *const *mu, const double *mm);
/* Returns the measured line integral, -ln of the mean of exp(-mu mm). */
double    gt_spectrum_line_integral(const gt_spectrum *s, const gt_material *m, double mm);

#endif
