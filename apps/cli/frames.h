#ifndef GT_APPS_CLI_FRAMES_H
#define GT_APPS_CLI_FRAMES_H
/* The options of commands that read folders and files of images: how counts become line integrals, and where the views
 * were. */
#include <math.h>
#include "apps/cli/cli.h"

typedef struct {
	const char *flat, *dark, *angles, *air;
	double white, axis, pixel, source_to_axis, source_to_detector;
	int angle_unit, sinogram, gaps, values, direction, axis_side;
	const char *geometry, *raw, *flat_after, *flat_at, *entry;
} cli_frames;
#define CLI_FRAMES_DEFAULTS { .axis = NAN, .pixel = NAN }
extern const char *const cli_angle_units[], *const cli_frames_values[], *const cli_signs[];

/* Lines of a table of options; AT(member) is where that member of a cli_frames is in the options of the command. */
#define CLI_FRAMES_OPTIONS(AT) \
	{ .name = "axis", .kind = CLI_REAL, .value = "COLUMN", .at = AT(axis), .min = -1e6, .max = 1e6, \
	  .help = "images, Data Exchange: column where the axis is seen, from 0 at the middle of the first pixel (default: found)" }, \
	{ .name = "pixel", .kind = CLI_LENGTH, .value = "LENGTH", .at = AT(pixel), .min = 1e-9, .max = 1e6, \
	  .help = "pitch of the detector's pixels, where the file has none (1.2um; default 1mm; RabbitCT 0.32)" }, \
	{ .name = "source-to-axis", .kind = CLI_LENGTH, .value = "LENGTH", .at = AT(source_to_axis), .min = 1e-9, .max = 1e9, \
	  .help = "images of a cone or fan beam: with --source-to-detector; without both the rays are parallel" }, \
	{ .name = "source-to-detector", .kind = CLI_LENGTH, .value = "LENGTH", .at = AT(source_to_detector), .min = 1e-9, \
	  .max = 1e9, .help = "see --source-to-axis" }, \
	{ .name = "geometry", .kind = CLI_INPUT, .value = "FILE", .at = AT(geometry), \
	  .help = "images: a scanner's or another program's geometry file; 'gantry help geometry' lists the kinds" }, \
	{ .name = "direction", .kind = CLI_CHOICE, .at = AT(direction), .names = cli_signs, \
	  .help = "--geometry of files that leave the rotation direction open (default auto: found in the images)" }, \
	{ .name = "axis-side", .kind = CLI_CHOICE, .at = AT(axis_side), .names = cli_signs, \
	  .help = "the same of the side to which the axis is off the middle" }, \
	{ .name = "raw", .kind = CLI_TEXT, .value = "TYPE:COLUMNSxROWS[xVIEWS][+HEADER]|FILE.json", .at = AT(raw), \
	  .help = "images without a head: u8, u16le, u16be, i16le, f32le ..., and their size" }, \
	{ .name = "entry", .kind = CLI_TEXT, .value = "NAME", .at = AT(entry), \
	  .help = "HDF5 of several scans: the group that holds the one to read (entry0001, exchange1)" }, \
	{ .name = "angles", .kind = CLI_INPUT, .value = "FILE|FIRST:STEP|FIRST..LAST", .at = AT(angles), \
	  .help = "images: angles of the views, in degrees (default: angles.txt in the folder)" }, \
	{ .name = "angle-unit", .kind = CLI_CHOICE, .at = AT(angle_unit), .names = cli_angle_units, \
	  .help = "of --angles and of files that name none (default auto: half a turn or a turn in radians, else degrees)" }, \
	{ .name = "flat", .kind = CLI_INPUT, .value = "FILE|FOLDER|none", .at = AT(flat), \
	  .help = "images: flat fields (default: those named so in the folder)" }, \
	{ .name = "flat-after", .kind = CLI_INPUT, .value = "FILE|FOLDER", .at = AT(flat_after), \
	  .help = "flat fields after the scan, where --flat or the folder has those before: what is between is used" }, \
	{ .name = "flat-at", .kind = CLI_TEXT, .value = "VIEWS,VIEWS,...", .at = AT(flat_at), \
	  .help = "flat fields were taken after so many views, as many each time: 0,300,600 (default: before the first one)" }, \
	{ .name = "dark", .kind = CLI_INPUT, .value = "FILE|FOLDER|none", .at = AT(dark), \
	  .help = "the same of dark fields" }, \
	{ .name = "white", .kind = CLI_REAL, .value = "COUNTS", .at = AT(white), .min = 1e-9, .max = 1e30, \
	  .help = "images without flat fields: counts without a body" }, \
	{ .name = "air", .kind = CLI_TEXT, .value = "auto|no|LEFT,RIGHT", .at = AT(air), \
	  .help = "images: divide views by the air in so many columns at both edges (default auto: where there is any)" }, \
	{ .name = "values", .kind = CLI_CHOICE, .at = AT(values), .names = cli_frames_values, \
	  .help = "images: what their numbers are (default counts)" }, \
	{ .name = "sinogram", .kind = CLI_FLAG, .at = AT(sinogram), \
	  .help = "images: each is one row of the detector in all views, a line a view" }, \
	{ .name = "gaps", .kind = CLI_FLAG, .at = AT(gaps), .help = "images: numbers may be missing among the files" }

/* Hands them to a reader; all three must stay while it reads. */
void cli_frames_apply(const cli_frames *given, gt_frames_options *frames, gt_read_options *o);
/* 1: of images of counts, in files of whatever kind, to which these options apply. */
int cli_is_frames(const gt_format *format);
/* GT_ERR_ARG names an option that is given and means nothing for the file or folder. */
gt_status cli_frames_check(const cli_frames *given, const char *path);

#endif
