#ifndef GANTRY_PARAMS_H
#define GANTRY_PARAMS_H
#include <stddef.h>
#include <stdio.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A module's parameters as a table: parsing, range checks and help all come from it.
 * The module itself only sees a filled struct. */
typedef enum { GT_INT = 1, GT_REAL, GT_CHOICE, GT_FLAG, GT_MU, GT_TEXT } gt_param_kind;   /* int, double, int, int, double: mm^-1, given so, as "2e-4mm-1" or as "5HU", char[GT_PARAM_TEXT] without a comma */
enum { GT_PARAM_TEXT = 4096 };
typedef struct {
	const char *key, *help;
	gt_param_kind kind;
	size_t at;                      /* offsetof in the options struct */
	double min, max;                /* GT_INT, GT_REAL, GT_MU */
	const char *const *names;       /* GT_CHOICE: NULL-terminated; the int is the index */
} gt_param;                             /* a table ends with key = NULL */

/* text: "iterations=30,order=golden" or NULL; options already holds the defaults. A flag may stand
 * alone ("nonneg") or be yes/no. GT_ERR_ARG names the key, what was found and what was expected. */
GT_API gt_status gt_params_parse(const gt_param *table, const char *text, void *options);
/* The same into new memory that begins as the defaults; free() it. *options is NULL if size is 0, and after a failure. */
GT_API gt_status gt_params_new  (const gt_param *table, const char *text, const void *defaults, size_t size, void **options);
/* One line per parameter: key, help, range or choices, default. */
GT_API void      gt_params_help (const gt_param *table, const void *defaults, FILE *out);
/* "key=value,..." of all of them, for the record in output files. Returns as snprintf. */
GT_API int       gt_params_print(const gt_param *table, const void *options, char *text, size_t size);

/* Whole-string numbers: GT_ERR_ARG "what=text: expected a number from LEAST to MOST". */
GT_API gt_status gt_parse_real(const char *what, const char *text, double min, double max, double *value);
/* Differences of attenuation: "2e-4" or "2e-4mm-1" in mm^-1, or "10HU" thousandths of water of GT_MU_WATER. */
#define GT_MU_WATER 0.02
GT_API gt_status gt_parse_mu  (const char *what, const char *text, double min, double max, double *value);
/* "12", "12mm", "3um", "1.2cm" -> mm; "30", "30deg", "0.5rad" -> degrees. */
GT_API gt_status gt_parse_length(const char *what, const char *text, double min, double max, double *mm);
GT_API gt_status gt_parse_angle (const char *what, const char *text, double min, double max, double *degrees);
GT_API gt_status gt_parse_int (const char *what, const char *text, double min, double max, long long *value);

#ifdef __cplusplus
}
#endif
#endif
