/* Reads measured projections with their fields, and applies the steps that the data need. */
#include <gantry/prepare.h>
#include "analytic/consistency/conjugate.h"
#include "apps/cli/progress.h"
#include "apps/cli/try.h"
#include "apps/commands/prepare_auto.h"
#include "prepare/bad_pixels.h"

gt_status app_read_measured(const cli_call *call, const gt_read_options *reading, gt_projections **p)
{
	cli_notes notes = { "" };
	gt_read_options r = *reading;
	app_progress progress = app_progress_start("read", call->common.quiet);
	r.progress = app_progress_fraction;
	r.progress_self = &progress;
	r.notes = cli_collect(&notes);
	const gt_status st = gt_read_projections(call->file[0], &r, p);
	app_progress_end(&progress);
	if (st != GT_OK)
		return st;
	gt_conjugate_move_assumed_axis(*p, &r, &r.notes, call->file[0], 0);
	if (notes.text[0])
		cli_note(call, "%s", notes.text);
	return GT_OK;
}

gt_status app_read_fields(const cli_call *call, const gt_read_options *reading, const gt_projections *p, gt_fields *flats, gt_fields *darks)
{
	const gt_scan *scan = gt_projections_scan(p);
	gt_fields_request want = { scan->rows, scan->columns, 0 };
	double gain, photons;
	gt_status st = GT_OK;
	GT_TRY(gt_read_fields(call->file[0], reading, &want, flats));
	want.dark = 1;
	GT_TRY(gt_read_fields(call->file[0], reading, &want, darks));
	const gt_field_images bright = { flats->data, flats->images }, dark = { darks->data, darks->images };
	if (bright.images > 1 && gt_detector_gain(&bright, &dark, scan->rows * scan->columns, &gain, &photons) == GT_OK)
		cli_note(call, "gain of the detector: %.3g counts per photon, %.4g photons a pixel in the flat field", gain, photons);
done:
	return st;
}

gt_status app_prepare_auto(const cli_call *call, const gt_read_options *reading, const char *backend, gt_projections **p)
{
	gt_prepare_options how = gt_prepare_defaults;
	gt_fields flats = { 0 }, darks = { 0 };
	gt_status st = GT_OK;
	GT_TRY(app_read_measured(call, reading, p));
	GT_TRY(app_read_fields(call, reading, *p, &flats, &darks));
	how.notes = call->log;
	how.backend = backend;
	how.flats = (gt_field_images){ flats.data, flats.images };
	how.darks = (gt_field_images){ darks.data, darks.images };
	GT_TRY(gt_prepare_auto(p, &how, NULL));
done:
	gt_fields_free(&flats);
	gt_fields_free(&darks);
	return st;
}
