/* gantry simulate: exact line integrals of a phantom, with noise if requested. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include <gantry/recon.h>
#include "apps/cli/progress.h"
#include "apps/cli/try.h"
#include "apps/commands/orbit_options.h"
#include "apps/commands/rabbitct/rabbitct.h"
#include "apps/commands/simulate_spectrum.h"
#include "geometry/scan.h"
#include "recon/truncation.h"

/* Options that change the scanner are NAN or -1 if not given. */
typedef struct {
	const char *scanner, *phantom, *output, *truth, *grid, *spot, *format, *maker, *spectrum, *materials;
	int detector, short_scan, geometry_only;
	long long views, columns, rows, reduce, rays, points, threads, seed;
	double source_to_axis, source_to_detector, column_pitch, row_pitch, axis, column_offset, row_offset;
	double shift, tilt, pitch, turns, start, z_center, photons, electronic, water, scale;
	tilted_options tilted;
} simulate_options;

static const simulate_options defaults = { .scanner = "ge-ct750hd",
	                                   .detector = -1,
	                                   .views = -1,
	                                   .columns = -1,
	                                   .rows = -1,
	                                   .reduce = 1,
	                                   .rays = 2,
	                                   .points = 3,
	                                   .source_to_axis = NAN,
	                                   .source_to_detector = NAN,
	                                   .column_pitch = NAN,
	                                   .row_pitch = NAN,
	                                   .axis = NAN,
	                                   .column_offset = NAN,
	                                   .row_offset = NAN,
	                                   .pitch = NAN,
	                                   .turns = NAN,
	                                   .start = NAN,
	                                   .z_center = NAN,
	                                   .tilted = TILTED_DEFAULTS,
	                                   .water = GT_WATER_DEFAULT,
	                                   .scale = 1 };

#define AT(field) offsetof(simulate_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "name of the written projections (.nc; weighted and filtered for RabbitCT: .rctd, .rct)", .at = AT(output) },
	{ .name = "format", .kind = CLI_TEXT, .value = "NAME",
	  .help = "format of the output: dicom-ct-pd is a folder of DICOM files (default: by the name's extension)", .at = AT(format) },
	{ .name = "maker", .kind = CLI_TEXT, .value = "NAME",
	  .help = "DICOM: Manufacturer, which also decides how the central column is counted (default Gantry)", .at = AT(maker) },
	{ .name = "phantom", .letter = 'p', .kind = CLI_INPUT, .value = "NAME|FILE",
	  .help = "object to scan: a name of the list below, or a file of shapes", .at = AT(phantom) },
	{ .name = "scanner", .letter = 's', .kind = CLI_TEXT, .value = "NAME",
	  .help = "start from the geometry of this scanner (default ge-ct750hd)", .at = AT(scanner) },
	{ .name = "geometry-only", .kind = CLI_FLAG,
	  .help = "write the scan without projections (no phantom needed)", .at = AT(geometry_only) },
	{ .name = "reduce", .kind = CLI_INT, .value = "N",
	  .help = "N times fewer columns, rows and views of the scanner, same field of view", .at = AT(reduce), .min = 1, .max = 4096 },
	{ .name = "views", .kind = CLI_INT, .value = "N", .help = "total number of views", .at = AT(views), .min = 1, .max = 1e8 },
	{ .name = "columns", .kind = CLI_INT, .value = "N", .help = "detector columns", .at = AT(columns), .min = 1, .max = 1e6 },
	{ .name = "rows", .kind = CLI_INT, .value = "N", .help = "detector rows", .at = AT(rows), .min = 1, .max = 1e6 },
	{ .name = "detector", .kind = CLI_CHOICE, .help = "shape of the detector", .at = AT(detector), .names = gt_shape_names },
	{ .name = "column-pitch", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "pitch of the pixels along a row, at the detector (mm; 50um)", .at = AT(column_pitch), .min = 1e-6, .max = 1e6 },
	{ .name = "row-pitch", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "pitch of the pixels along a column, at the detector (mm; 50um)", .at = AT(row_pitch), .min = 1e-6, .max = 1e6 },
	{ .name = "column-offset", .kind = CLI_REAL, .value = "PIXELS",
	  .help = "shift of the detector along its rows (0.25: quarter offset)", .at = AT(column_offset), .min = -1e6, .max = 1e6 },
	AXIS_OPTION(axis),
	{ .name = "row-offset", .kind = CLI_REAL, .value = "PIXELS",
	  .help = "shift of the detector along z", .at = AT(row_offset), .min = -1e6, .max = 1e6 },
	{ .name = "source-to-axis", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "distance from source to axis (mm; 54cm)", .at = AT(source_to_axis), .min = 1e-3, .max = 1e6 },
	{ .name = "source-to-detector", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "distance from source to detector (mm; 95cm)", .at = AT(source_to_detector), .min = 1e-3, .max = 1e6 },
	{ .name = "start", .kind = CLI_ANGLE, .value = "ANGLE",
	  .help = "first gantry angle (degrees; 0.5rad)", .at = AT(start), .min = -36000, .max = 36000 },
	{ .name = "turns", .kind = CLI_REAL, .value = "T",
	  .help = "number of rotations; negative: reversed direction; without --views the number of views is proportional",
	  .at = AT(turns), .min = -1e5, .max = 1e5 },
	{ .name = "short-scan", .kind = CLI_FLAG, .help = "short scan: 180 degrees plus the fan angle (instead of --turns)", .at = AT(short_scan) },
	{ .name = "pitch", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "helix: table feed per rotation (mm; 4cm; negative: z decreases)", .at = AT(pitch), .min = -1e5, .max = 1e5 },
	{ .name = "z-center", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "z of the centre of the scan (mm; 2cm)", .at = AT(z_center), .min = -1e6, .max = 1e6 },
	TILTED_OPTIONS("laminography, flat or parallel: ", "axis-tilt", tilted),
	{ .name = "spot", .kind = CLI_TEXT, .value = "X,R,Z[;...]",
	  .help = "flying focal spot: shifts in mm (along the rows, away from the axis, along z), repeated over the views", .at = AT(spot) },
	{ .name = "shift", .kind = CLI_LENGTH, .value = "LENGTH",
	  .help = "C-arm: displace source and detector of each view by random lengths up to this along each axis (at most 100 mm)",
	  .at = AT(shift), .min = 0, .max = 100 },
	{ .name = "tilt", .kind = CLI_ANGLE, .value = "ANGLE",
	  .help = "C-arm: rotate the detector of each view by random angles up to this (at most 10 degrees)", .at = AT(tilt), .min = 0, .max = 10 },
	{ .name = "rays", .kind = CLI_INT, .value = "N",
	  .help = "N x N rays per pixel (default 2; 1: the centre ray)", .at = AT(rays), .min = 1, .max = 64 },
	{ .name = "photons", .kind = CLI_REAL, .value = "N",
	  .help = "photons per pixel without the object; 0 (default): no noise", .at = AT(photons), .min = 0, .max = 1e15 },
	{ .name = "electronic", .kind = CLI_REAL, .value = "N",
	  .help = "standard deviation of the electronic noise, in photons", .at = AT(electronic), .min = 0, .max = 1e12 },
	{ .name = "seed", .kind = CLI_INT, .value = "N",
	  .help = "seed of the noise, of --shift and --tilt (default 0)", .at = AT(seed), .min = 0, .max = 9e15 },
	{ .name = "water", .kind = CLI_REAL, .value = "MM-1",
	  .help = "attenuation of water in mm-1 (default 0.02)", .at = AT(water), .min = 1e-9, .max = 1e3 },
	{ .name = "spectrum", .kind = CLI_TEXT, .value = "kv=KV,aluminium=MM|spectrum=FILE",
	  .help = "polychromatic rays, with the keys of gantry prepare --beam-hardening; densities are then in g/cm3", .at = AT(spectrum) },
	{ .name = "materials", .kind = CLI_TEXT, .value = "NAME,DENSITY:NAME,...",
	  .help = "materials of --spectrum from each density on (default water,1.3:bone,3:titanium,6:iron)", .at = AT(materials) },
	{ .name = "scale", .kind = CLI_REAL, .value = "X",
	  .help = "factor on the size of the object", .at = AT(scale), .min = 1e-6, .max = 1e6 },
	{ .name = "truth", .kind = CLI_OUTPUT, .value = "FILE", .help = "also write the object as a volume", .at = AT(truth) },
	{ .name = "grid", .kind = CLI_TEXT, .value = "SPEC",
	  .help = "grid of --truth, NXxNYxNZ@DXxDYxDZ[+CX,CY,CZ] (default: the field of view)", .at = AT(grid) },
	{ .name = "points", .kind = CLI_INT, .value = "N",
	  .help = "N^3 sample points per voxel of --truth (default 3)", .at = AT(points), .min = 1, .max = 64 },
	{ .name = "threads", .kind = CLI_INT, .value = "N",
	  .help = "number of threads; 0 (default): one per processor", .at = AT(threads), .min = 0, .max = 65536 },
	{ 0 },
};
/* clang-format on */

static const char *nth_scanner(size_t i) { return gt_scanners[i].name; }
static size_t count_scanners(void)
{
	size_t n = 0;
	while (gt_scanners[n].name)
		n++;
	return n;
}

static const char *nth_phantom(size_t i) { return gt_phantom_list[i].name; }

static void list(FILE *out)
{
	fprintf(out, "\nscanners:\n");
	for (const gt_scanner *s = gt_scanners; s->name; s++)
		fprintf(out, "  %-18s %s\n", s->name, s->about);
	fprintf(out, "\nphantoms:\n");
	for (const gt_phantom_info *p = gt_phantom_list; p->name; p++)
		fprintf(out, "  %-18s %s\n", p->name, p->about);
}

static void set_real(double given, double *field)
{
	if (!isnan(given))
		*field = given;
}

static void set_size(long long given, size_t *field)
{
	if (given >= 0)
		*field = (size_t)given;
}

static gt_status make_scan(const simulate_options *o, gt_scan **scan)
{
	const gt_scanner *scanner = gt_scanner_find(o->scanner);
	double(*spot)[3] = NULL;
	gt_status st = GT_OK;
	if (!scanner)
		return gt_unknown("scanner", o->scanner, nth_scanner, count_scanners());
	if (o->short_scan && !isnan(o->turns))
		return gt_fail(GT_ERR_ARG, "--short-scan and --turns cannot be combined");
	gt_orbit g = scanner->orbit;
	gt_orbit_reduce(&g, (size_t)o->reduce);
	if (o->detector >= 0)
		g.shape = (gt_shape)o->detector;
	set_size(o->columns, &g.columns);
	set_size(o->rows, &g.rows);
	set_real(o->column_pitch, &g.column_pitch);
	set_real(o->row_pitch, &g.row_pitch);
	set_real(o->column_offset, &g.column_offset);
	set_real(o->row_offset, &g.row_offset);
	GT_TRY(app_place_axis(o->axis, o->column_offset, &g));
	set_real(o->source_to_axis, &g.source_to_axis);
	set_real(o->source_to_detector, &g.source_to_detector);
	set_real(o->pitch, &g.pitch_per_turn);
	set_real(o->z_center, &g.z_center);
	set_real(o->start * GT_PI / 180, &g.start_angle);
	const double turn = o->short_scan ? GT_PI + 2 * gt_orbit_half_fan(&g) : isnan(o->turns) ? g.turn : 2 * GT_PI * o->turns;
	g.views = (size_t)fmax(1, ceil((double)g.views * fabs(turn) / g.turn - 1e-6));
	g.turn = turn;
	if (o->short_scan)
		g.end_view = 1;
	if (tilted_given(&o->tilted))
		GT_TRY(tilted_apply(&o->tilted, "axis-tilt", 1, &g));
	set_size(o->views, &g.views);
	if (o->spot) {
		GT_TRY(app_parse_spot(o->spot, &spot, &g.spots));
		g.spot = (const double(*)[3])spot;
	}
	GT_TRY(gt_scan_orbit(&g, scan));
	if (o->shift > 0 || o->tilt > 0)
		GT_TRY(gt_scan_perturb(*scan, o->shift, o->tilt * GT_PI / 180, (uint64_t)o->seed));
done:
	free(spot);
	return st;
}

static gt_status check_sources(const gt_scan *scan, const gt_phantom *object)
{
	for (size_t v = 0; scan->shape != GT_PARALLEL && v < scan->views; v++) {
		const double *s = scan->view[v].source;
		if (gt_phantom_value(object, s) != 0)
			return gt_fail(
				GT_ERR_ARG,
				"the source of view %zu at (%g, %g, %g) mm, %g mm from the axis, is inside the object: expected a position outside",
				v, s[0] + 0, s[1] + 0, s[2] + 0, hypot(s[0], s[1]));
	}
	return GT_OK;
}

static gt_status make_phantom(const simulate_options *o, gt_phantom **object)
{
	gt_phantom_options p = gt_phantom_defaults;
	p.water = o->water;
	p.scale = o->scale;
	const gt_status st = gt_phantom_new(o->phantom, &p, object);
	size_t n = 0;
	while (gt_phantom_list[n].name)
		n++;
	return st == GT_ERR_UNKNOWN ? gt_unknown("phantom or file", o->phantom, nth_phantom, n) : st;
}

static gt_status project(const cli_call *call, const simulate_options *o, const gt_phantom *object, gt_pool *pool, const gt_projections *p)
{
	const gt_scan *scan = gt_projections_scan(p);
	float *data = gt_projections_data(p);
	app_progress progress = app_progress_start("simulate", call->common.quiet);
	const gt_status st = o->spectrum ? app_simulate_spectrum(&(app_spectrum){ o->spectrum, o->materials, o->water, (int)o->rays },
	                                                         object, pool, p)
	                                 : gt_phantom_project(object, scan, (int)o->rays, pool, app_progress_fraction, &progress, data);
	app_progress_end(&progress);
	if (st == GT_OK && o->photons > 0)
		gt_add_photon_noise(o->photons, o->electronic, (uint64_t)o->seed, 0, pool, data, gt_scan_size(scan));
	return st;
}

static gt_status write_truth(const cli_call *call, const simulate_options *o, const char *parameters, const gt_scan *scan,
                             const gt_phantom *object, gt_pool *pool)
{
	gt_volume *v = NULL;
	gt_grid grid;
	gt_status st = GT_OK;
	GT_TRY(cli_grid(call, o->grid, NULL, scan, &grid));
	GT_TRY(gt_has_space_for_volume(o->truth, NULL, &grid));
	GT_TRY(gt_volume_new(&grid, &v));
	GT_TRY(gt_volume_set_water(v, o->water));
	app_progress progress = app_progress_start("voxels", call->common.quiet);
	st = gt_phantom_voxelise(object, &grid, (int)o->points, pool, app_progress_fraction, &progress, gt_volume_data(v));
	app_progress_end(&progress);
	GT_TRY(st);
	GT_TRY(gt_volume_set_provenance(v, call->line, parameters, NULL));
	GT_TRY(cli_write_volume(o->truth, NULL, v));
done:
	gt_volume_free(v);
	return st;
}

static gt_write_options writing(const simulate_options *o)
{
	gt_write_options w = gt_write_defaults;
	w.format = o->format;
	w.dicom.maker = o->maker;
	w.dicom.photons = o->photons;
	return w;
}

static gt_status check(const simulate_options *o)
{
	gt_status st = GT_OK;
	if (!o->output && !o->truth)
		return gt_fail(GT_ERR_ARG, "--output or --truth is needed");
	if (!o->geometry_only || o->truth)
		GT_TRY(cli_need("--phantom", o->phantom));
	if (o->materials && !o->spectrum)
		return gt_fail(GT_ERR_ARG, "--materials: expected with --spectrum");
	if (o->grid && !o->truth)
		return gt_fail(GT_ERR_ARG, "--grid: expected with --truth");
	gt_rabbitct_layout layout;
	const int dicom = cli_is_dicom_output(o->output, o->format);
	if (o->maker && !dicom)
		return gt_fail(GT_ERR_ARG, "--maker: expected with --format dicom-ct-pd");
	if (o->geometry_only && dicom)
		return gt_fail(GT_ERR_ARG, "--geometry-only: %s would have no images: expected --format netcdf", o->output);
	if (o->output && !o->format && app_rabbitct_name(o->output, &layout)) {
		if (o->geometry_only)
			return gt_fail(GT_ERR_ARG, "--geometry-only: %s would have no images: expected a name that ends in .nc", o->output);
		GT_TRY(gt_can_write(o->output));
	} else if (o->output) {
		const gt_write_options w = writing(o);
		GT_TRY(gt_can_write_projections(o->output, &w));
	}
	if (o->truth)
		GT_TRY(gt_can_write_volume(o->truth, NULL));
done:
	return st;
}

static gt_status check_space(const simulate_options *o, const gt_scan *scan)
{
	const double each = cli_is_dicom_output(o->output, o->format) ? 2 : 4;
	return o->output && !o->geometry_only ? gt_has_space(o->output, each * (double)gt_scan_size(scan)) : GT_OK;
}

static gt_status write_output(const cli_call *call, const simulate_options *o, const char *parameters, gt_projections *p)
{
	gt_rabbitct_layout layout;
	if (!o->format && app_rabbitct_name(o->output, &layout))
		return app_rabbitct_write(o->output, p, o->water, (int)o->threads);
	gt_status st = gt_projections_set_provenance(p, call->line, parameters, gt_projections_scan(p));
	if (st == GT_OK)
		st = gt_projections_set_water(p, o->phantom ? o->water : 0);
	if (st != GT_OK)
		return st;
	app_progress progress = app_progress_start("write", call->common.quiet);
	gt_write_options w = writing(o);
	w.progress = app_progress_fraction;
	w.progress_self = &progress;
	st = cli_write_projections(o->output, &w, p);
	app_progress_end(&progress);
	return st;
}

static int run(const cli_call *call, const void *given)
{
	const simulate_options *o = given;
	gt_scan *scan = NULL;
	gt_projections *p = NULL;
	gt_phantom *object = NULL;
	gt_pool *pool = NULL;
	char *parameters = NULL;
	gt_status st = GT_OK;
	GT_TRY(check(o));
	GT_TRY(make_scan(o, &scan));
	GT_TRY(gt_scan_check(scan));
	GT_TRY(check_space(o, scan));
	GT_TRY(gt_pool_new((int)o->threads, &pool));
	gt_note_detector(&call->log, scan);
	tilted_note(call, &o->tilted, scan);
	if (o->phantom) {
		GT_TRY(make_phantom(o, &object));
		GT_TRY(check_sources(scan, object));
	}
	parameters = cli_text("phantom=%s scanner=%s rays=%lld photons=%g electronic=%g seed=%lld water=%g%s%s%s%s",
	                      o->phantom ? o->phantom : "none", o->scanner, o->rays, o->photons, o->electronic, o->seed, o->water,
	                      o->spectrum ? " spectrum=" : "", o->spectrum ? o->spectrum : "", o->materials ? " materials=" : "",
	                      o->materials ? o->materials : "");
	if (!parameters)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	if (o->truth)
		GT_TRY(write_truth(call, o, parameters, scan, object, pool));
	if (o->output) {
		GT_TRY(o->geometry_only ? gt_projections_wrap(scan, NULL, NULL, NULL, &p) : gt_projections_new(scan, &p));
		if (!o->geometry_only)
			GT_TRY(project(call, o, object, pool, p));
		GT_TRY(write_output(call, o, parameters, p));
	}
done:
	free(parameters);
	gt_phantom_free(object);
	gt_pool_free(pool);
	gt_projections_free(p);
	gt_scan_free(scan);
	return cli_exit(call, st);
}

const cli_command cli_simulate = {
	.name = "simulate",
	.about = "simulate a scan: exact projections of a phantom, with noise",
	.synopsis = "--phantom NAME -o SCAN [options]",
	.notes = "--reduce changes the sizes of the scanner, except those that other options set.\n\n"
		 "  gantry simulate --phantom forbild-head --photons 1e5 --seed 1 -o scan.nc\n"
		 "  gantry simulate --phantom shepp-logan --reduce 8 -o small.nc --truth truth.nc --grid 64x64x8@4x4x5\n"
		 "  gantry simulate --scanner ge-ct750hd --turns 3 --pitch 38.75 --geometry-only -o helix.nc\n",
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.run = run,
	.list = list,
};
