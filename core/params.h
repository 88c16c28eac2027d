#ifndef GT_CORE_PARAMS_H
#define GT_CORE_PARAMS_H
/* Numbers of texts with their units, and help on tables of parameters. */
#include <stdio.h>
#include <gantry/author/params.h>
#ifdef __cplusplus
extern "C" {
#endif

/* One line per parameter: key, help, range or choices, default. */
void      gt_params_help (const gt_param *table, const void *defaults, FILE *out);

/* Whole-string numbers: GT_ERR_ARG "what=text: expected a number from LEAST to MOST". */
gt_status gt_parse_real(const char *what, const char *text, double min, double max, double *value);
/* Differences of attenuation: "2e-4" or "2e-4mm-1" in mm^-1, or "10HU" thousandths of water of GT_MU_WATER. */
gt_status gt_parse_mu  (const char *what, const char *text, double min, double max, double *value);
/* "12", "12mm", "3um", "1.2cm" -> mm; "30", "30deg", "0.5rad" -> degrees. */
gt_status gt_parse_length(const char *what, const char *text, double min, double max, double *mm);
gt_status gt_parse_angle (const char *what, const char *text, double min, double max, double *degrees);
gt_status gt_parse_int (const char *what, const char *text, double min, double max, long long *value);

#ifdef __cplusplus
}
#endif
#endif
