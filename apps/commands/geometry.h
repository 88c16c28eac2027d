#ifndef GT_APPS_COMMANDS_GEOMETRY_H
#define GT_APPS_COMMANDS_GEOMETRY_H
/* Parts of `gantry geometry`: options, making of scans, and their description. */
#include <gantry/io.h>
#include "apps/cli/cli.h"
#include "apps/commands/orbit_options.h"

/* Options that are not given are NULL, NAN or -1. Angles in degrees. */
typedef struct {
	const char *output, *scanner, *format, *origin, *grid;
	int detector, parallel, direction, offset, reverse_direction, reverse_columns, reverse_rows, short_scan;
	long long views, rows, columns, reduce;
	double pixel, column_pitch, row_pitch, source_to_axis, source_to_detector, axis, column_offset, row_offset, roll;
	double start, range, pitch, turns, z_center, length_unit;
	tilted_options tilted;
} geometry_options;
extern const cli_option geometry_table[];
extern const geometry_options geometry_defaults;

/* make ORBIT */
gt_status geometry_make(const geometry_options *o, const char *orbit, gt_scan **scan);
/* Prints the description of a scan to stdout, as text or JSON. */
void      geometry_describe(const cli_call *call, const char *name, const gt_scan *scan, const gt_grid *grid);
#endif
