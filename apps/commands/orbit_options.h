#ifndef GT_APPS_COMMANDS_ORBIT_OPTIONS_H
#define GT_APPS_COMMANDS_ORBIT_OPTIONS_H
/* Options of laminography (a tilted axis), common to `gantry geometry make lamino` and `gantry simulate`, and the text
 * of --spot. */
#include <gantry/scan.h>
#include "apps/cli/cli.h"

/* Angles in degrees; NAN or -1 if not given. */
typedef struct { double tilt, beam_to_axis, thickness; int panel; } tilted_options;
#define TILTED_DEFAULTS { NAN, NAN, NAN, -1 }

/* Rows of a table of options. WHICH begins the help; NAME is the option of the tilt; FIELD is the member in the struct
 * that AT() of the file refers to. */
#define TILTED_OPTIONS(WHICH, NAME, FIELD) \
	{ .name = NAME, .kind = CLI_ANGLE, .value = "ANGLE", .at = AT(FIELD.tilt), .min = -180, .max = 180, \
	  .help = WHICH "angle of the axis to the plane across the central ray, below 90 degrees; 0: CT" }, \
	{ .name = "beam-to-axis", .kind = CLI_ANGLE, .value = "ANGLE", .at = AT(FIELD.beam_to_axis), .min = -180, .max = 180, \
	  .help = WHICH "angle between central ray and axis, instead of the tilt (90 minus the tilt)" }, \
	{ .name = "panel", .kind = CLI_CHOICE, .names = gt_panel_names, .at = AT(FIELD.panel), \
	  .help = WHICH "panel across the central ray, parallel to the plate (turning or fixed) or to the axis" }, \
	{ .name = "thickness", .kind = CLI_LENGTH, .value = "LENGTH", .at = AT(FIELD.thickness), .min = 1e-9, .max = 1e6, \
	  .help = WHICH "thickness of the plate about z = 0: height of the default grid" }

#define AXIS_OPTION(FIELD) \
	{ .name = "axis", .kind = CLI_REAL, .value = "COLUMN", .at = AT(FIELD), .min = -1e6, .max = 1e6, \
	  .help = "column of the axis, 0 at the centre of the first pixel (instead of --column-offset)" }

/* Whether any of them is given. */
int       tilted_given(const tilted_options *o);
/* Sets tilt, panel and thickness of the orbit; is_lamino: the orbit needs a tilt. GT_ERR_ARG: a missing tilt, one that
 * contradicts --beam-to-axis, or options without laminography. */
gt_status tilted_apply(const tilted_options *o, const char *name, int is_lamino, gt_orbit *orbit);
/* Prints both angles. */
void      tilted_note(const cli_call *call, const tilted_options *o, const gt_scan *scan);
/* Sets the offset of the columns from --axis, the column of the axis; NAN: not given. GT_ERR_ARG: with --column-offset. */
gt_status app_place_axis(double axis, double column_offset, gt_orbit *orbit);
/* Reads "x,r,z;x,r,z" (mm) of --spot. The caller frees *spot, also after a failure. */
gt_status app_parse_spot(const char *text, double (**spot)[3], size_t *spots);
#endif
