#ifndef GT_RECON_PRESET_H
#define GT_RECON_PRESET_H
/* Whole settings of a reconstruction by one word. */
#include <stdio.h>
#include <gantry/io.h>

typedef enum { APP_QUALITY_NONE, APP_QUALITY_FAST, APP_QUALITY_ITERATIVE } app_quality;
extern const char *const app_quality_names[];   /* NULL-terminated */
/* Fills what was not asked for otherwise. *solver is NULL or malloc'ed: the caller's to free. GT_ERR_ARG where they cannot be combined. */
typedef struct { const char *solver, *weights, *penalty; } app_settings;
gt_status app_quality_help(const char *name, FILE *out); /* all of them, or one */
gt_status app_quality_check(app_quality q, const app_settings *asked);
gt_status app_quality_set(app_quality q, const gt_projections *p, app_settings *s, char **solver);
#endif
