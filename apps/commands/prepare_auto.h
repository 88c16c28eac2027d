#ifndef GT_APPS_COMMANDS_PREPARE_AUTO_H
#define GT_APPS_COMMANDS_PREPARE_AUTO_H
/* Reading of measured projections and their fields, for `gantry prepare` and `gantry recon --auto`. */
#include "apps/cli/cli.h"
#include "io/fields.h"

/* Reads the projections with progress and notes, and moves an axis that was only assumed. */
gt_status app_read_measured(const cli_call *call, const gt_read_options *reading, gt_projections **p);
/* Reads flat and dark fields of the whole detector; gt_fields_free() frees them. */
gt_status app_read_fields(const cli_call *call, const gt_read_options *r, const gt_projections *p, gt_fields *flats, gt_fields *darks);
/* Reads and corrects as prepare --auto does. backend: as in gt_prepare_options. */
gt_status app_prepare_auto(const cli_call *call, const gt_read_options *reading, const char *backend, gt_projections **p);
#endif
