#ifndef GANTRY_AUTHOR_PARAMS_H
#define GANTRY_AUTHOR_PARAMS_H
#include <stddef.h>
#include <stdio.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Parameters of a module as a table, for parsing, range checks and help. The module gets a filled struct. Members are
 * int (GT_INT, GT_CHOICE, GT_FLAG), double (GT_REAL, GT_MU) or char[GT_PARAM_TEXT] without commas. GT_MU is an
 * attenuation in mm^-1, written "2e-4", "2e-4mm-1" or "5HU". */
typedef enum { GT_INT = 1, GT_REAL, GT_CHOICE, GT_FLAG, GT_MU, GT_TEXT } gt_param_kind;
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
/* The same into new memory that begins as the defaults; free() it. *options is NULL if size is 0, and after a
 * failure. */
GT_API gt_status gt_params_new  (const gt_param *table, const char *text, const void *defaults, size_t size, void **options);
/* "key=value,..." of all of them, for the record in output files. Returns as snprintf. */
GT_API int       gt_params_print(const gt_param *table, const void *options, char *text, size_t size);

/* Attenuation of water for differences in HU, mm^-1. */
#define GT_MU_WATER 0.02

#ifdef __cplusplus
}
#endif
#endif
