#ifndef GT_RECON_PRESET_H
#define GT_RECON_PRESET_H
/* Whole settings of a reconstruction by one word. */
#include <stdio.h>
#include <gantry/io.h>

typedef enum { GT_PRESET_NONE, GT_PRESET_FAST, GT_PRESET_ITERATIVE } gt_preset;
extern const char *const gt_preset_names[];   /* NULL-terminated */
/* Fills what was not asked for otherwise. *solver is NULL or malloc'ed: the caller's to free. GT_ERR_ARG where they cannot be combined. */
typedef struct { const char *solver, *weights, *penalty; } gt_preset_settings;
gt_status gt_preset_help(const char *name, FILE *out); /* all of them, or one */
gt_status gt_preset_check(gt_preset q, const gt_preset_settings *asked);
gt_status gt_preset_set(gt_preset q, const gt_projections *p, gt_preset_settings *s, char **solver);
#endif
