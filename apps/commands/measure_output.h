#ifndef GT_APPS_COMMANDS_MEASURE_OUTPUT_H
#define GT_APPS_COMMANDS_MEASURE_OUTPUT_H
#include <cjson/cJSON.h>
#include <gantry/metrics.h>

typedef struct { const gt_grid *grid; const float *data; const char *unit; } app_measured;

/* Add figures to the report; curves are {"name", "x_unit", "y_unit", "x": [...], "y": [...]} in its list "curves". */
cJSON *app_measured_roi(const gt_roi *roi, const gt_roi_figures *f);
void app_measured_curve(cJSON *report, const char *name, const char *x_unit, const char *y_unit, const gt_curve *c, const double *instead);
void app_measured_mtf(cJSON *report, const gt_mtf *m);
void app_measured_nps(cJSON *report, const gt_nps *s);
void app_measured_fsc(cJSON *report, const gt_fsc *f);
/* Print the figures to stdout; write the curves as CSV or as a figure. */
void app_measured_print(const cJSON *report, const char *unit);
gt_status app_measured_csv(const char *path, const cJSON *report);
gt_status app_measured_plot(const char *path, const cJSON *report);

#endif
