#ifndef GT_APPS_CLI_FRAMES_H
#define GT_APPS_CLI_FRAMES_H
/* Options of commands that read images: conversion of counts into line integrals, and positions of the views. */
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

/* Lines of an option table; AT(field) is the offset of a field of cli_frames in the options of the command. */
#define CLI_FRAMES_OPTIONS_BUT_GEOMETRY(AT) \
	{ .name = "axis", .was = "column-center", .group = "Images: positions and counts", .kind = CLI_REAL, .value = "COLUMN", \
	  .at = AT(axis), .min = -1e6, .max = 1e6, \
	  .help = "column of the rotation axis, 0 at the centre of the first pixel (default: found, or from the file)" }, \
	{ .name = "pixel", .kind = CLI_LENGTH, .value = "LENGTH", .at = AT(pixel), .min = 1e-9, .max = 1e6, \
	  .help = "pixel pitch of the detector if the file has none (1.2um; default 1mm; RabbitCT 0.32)" }, \
	{ .name = "source-to-axis", .kind = CLI_LENGTH, .value = "LENGTH", .at = AT(source_to_axis), .min = 1e-9, .max = 1e9, \
	  .help = "images of a cone or fan beam: distance from source to axis (default: parallel beam)" }, \
	{ .name = "source-to-detector", .kind = CLI_LENGTH, .value = "LENGTH", .at = AT(source_to_detector), .min = 1e-9, \
	  .max = 1e9, .help = "distance from source to detector, with --source-to-axis" }, \
	{ .name = "direction", .kind = CLI_CHOICE, .at = AT(direction), .names = cli_signs, \
	  .help = "rotation direction if --geometry leaves it open (default auto: found in the images)" }, \
	{ .name = "axis-side", .kind = CLI_CHOICE, .at = AT(axis_side), .names = cli_signs, \
	  .help = "side of the axis offset if --geometry leaves it open (default auto: found in the images)" }, \
	{ .name = "raw", .kind = CLI_TEXT, .value = "TYPE:COLUMNSxROWS[xVIEWS][+HEADER]|FILE.json", .at = AT(raw), \
	  .help = "raw images: sample type u8, u16le, u16be, i16le, f32le ..., and size" }, \
	{ .name = "entry", .kind = CLI_TEXT, .value = "NAME", .at = AT(entry), \
	  .help = "HDF5 with several scans: group of the scan to read (entry0001, exchange1)" }, \
	{ .name = "angles", .kind = CLI_INPUT, .value = "FILE|FIRST:STEP|FIRST..LAST", .at = AT(angles), \
	  .help = "images: angles of the views, in degrees (default: angles.txt in the folder)" }, \
	{ .name = "angle-unit", .kind = CLI_CHOICE, .at = AT(angle_unit), .names = cli_angle_units, \
	  .help = "unit of --angles and of files that state none (default auto: radians if they span pi or 2 pi, else degrees)" }, \
	{ .name = "flat", .kind = CLI_INPUT, .value = "FILE|FOLDER|none", .at = AT(flat), \
	  .help = "images: flat fields (default: files named flat* in the folder)" }, \
	{ .name = "flat-after", .kind = CLI_INPUT, .value = "FILE|FOLDER", .at = AT(flat_after), \
	  .help = "flat fields after the scan; views use the interpolation from those before" }, \
	{ .name = "flat-at", .kind = CLI_TEXT, .value = "VIEWS,VIEWS,...", .at = AT(flat_at), \
	  .help = "numbers of views before each group of flat fields, groups of equal size: 0,300,600 (default: 0)" }, \
	{ .name = "dark", .kind = CLI_INPUT, .value = "FILE|FOLDER|none", .at = AT(dark), \
	  .help = "images: dark fields (default: files named dark* in the folder)" }, \
	{ .name = "white", .kind = CLI_REAL, .value = "COUNTS", .at = AT(white), .min = 1e-9, .max = 1e30, \
	  .help = "blank-scan (I0) counts of images without flat fields" }, \
	{ .name = "air", .kind = CLI_TEXT, .value = "auto|no|LEFT,RIGHT", .at = AT(air), \
	  .help = "images: divide each view by the air in this number of columns at both edges (default auto: if air is found)" }, \
	{ .name = "values", .kind = CLI_CHOICE, .at = AT(values), .names = cli_frames_values, \
	  .help = "images: quantity of the pixel values (default counts)" }, \
	{ .name = "sinogram", .kind = CLI_FLAG, .at = AT(sinogram), \
	  .help = "images: each is one detector row in all views, one line per view" }, \
	{ .name = "gaps", .kind = CLI_FLAG, .at = AT(gaps), .help = "images: accept gaps in the numbers of the files" }
#define CLI_FRAMES_OPTIONS(AT) \
	CLI_FRAMES_OPTIONS_BUT_GEOMETRY(AT), \
	{ .name = "geometry", .kind = CLI_INPUT, .value = "FILE", .at = AT(geometry), \
	  .help = "images: geometry file of a scanner or of another program; 'gantry help geometry' lists the formats" }

/* Sets the options of a reader; all three must stay valid while it reads. */
void cli_frames_apply(const cli_frames *given, gt_frames_options *frames, gt_read_options *o);
/* 1: a format of image files, to which these options apply. */
int cli_is_frames(const gt_format *format);
/* GT_ERR_ARG names a given option that does not apply to the file or folder. */
gt_status cli_frames_check(const cli_frames *given, const char *path);
/* Reads projections, or images as they are stored if their geometry is unknown and no option states it; the note gives
 * the reason. *each: 0 for projections; else every *each-th image was read. */
gt_status cli_read_images(const cli_call *call, const char *path, const cli_frames *given, int what, gt_projections **p, size_t *each);

#endif
