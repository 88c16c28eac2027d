/* gantry recon of several scans: one volume per scan, with a joint penalty. */
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/commands/recon/recon.h"
#include "io/same_file.h"

/* Refuses options that apply to one scan alone. */
static gt_status check(const cli_call *call, const recon_options *o)
{
	const struct {
		const char *name;
		int given;
	} alone[] = { { "dry-run", o->dry_run },
		      { "watch", o->watch },
		      { "report", o->report != NULL },
		      { "log", o->log != NULL },
		      { "plot", o->plot != NULL },
		      { "data", o->data != NULL },
		      { "init=FILE", o->init && strchr(o->init, '.') } };
	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
		if (alone[i].given)
			return gt_fail(GT_ERR_ARG, "--%s: applies to one scan, found %zu", alone[i].name, call->files);
	return cli_check_numbered(call, o->output);
}

static gt_status check_checkpoint(const cli_call *call, const recon_options *o, gt_recon *r)
{
	const char *checkpoint = gt_recon_text(r, "checkpoint");
	gt_status st = GT_OK;
	for (size_t i = 0; i < call->files && checkpoint && st == GT_OK; i++) {
		char *name = cli_numbered(o->output, i + 1);
		if (!name)
			st = gt_fail(GT_ERR_MEMORY, "out of memory");
		else if (gt_same_file(checkpoint, name))
			st = gt_fail(GT_ERR_ARG,
			             "--checkpoint=%s: is the same file as %s, which would be overwritten: expected another name",
			             checkpoint, name);
		free(name);
	}
	return st;
}

/* Checks each output before the computation, because the disks may differ. */
static gt_status check_space(const cli_call *call, const recon_options *o, const gt_grid *grid)
{
	gt_write_options w = gt_write_defaults;
	gt_status st = cli_set_numbers(o->number, o->range, &w);
	for (size_t i = 0; i < call->files && st == GT_OK; i++) {
		char *name = cli_numbered(o->output, i + 1);
		st = name ? gt_has_space_for_volume(name, &w, grid) : gt_fail(GT_ERR_MEMORY, "out of memory");
		free(name);
	}
	return st;
}

static gt_status open_all(const cli_call *call, const recon_options *o, recon_monitor *m, const gt_read_options *reading, gt_recon **r,
                          gt_volume **v)
{
	gt_grid grid;
	gt_status st = GT_OK;
	for (size_t i = 0; i < call->files; i++) {
		GT_TRY(gt_recon_open(call->file[i], reading, &r[i]));
		GT_TRY(recon_set(r[i], call, o));
		gt_recon_on_message(r[i], call->common.quiet ? NULL : recon_say, m);
	}
	m->r = r[0];
	gt_recon_on_progress(r[0], recon_progress, m);
	GT_TRY(gt_recon_choose(r[0]));
	GT_TRY(check_checkpoint(call, o, r[0]));
	GT_TRY(gt_recon_chosen_grid(r[0], &grid));
	GT_TRY(check_space(call, o, &grid));
	for (size_t i = 0; i < call->files; i++)
		GT_TRY(gt_volume_new(&grid, &v[i]));
done:
	return st;
}

static gt_status write_all(const cli_call *call, const recon_options *o, gt_volume *const *v)
{
	gt_write_options w = gt_write_defaults;
	gt_status st = cli_set_numbers(o->number, o->range, &w);
	w.unit = (gt_unit)o->unit;
	for (size_t i = 0; i < call->files && st == GT_OK; i++) {
		char *name = cli_numbered(o->output, i + 1);
		st = name ? cli_write_volume(name, &w, v[i]) : gt_fail(GT_ERR_MEMORY, "out of memory");
		free(name);
	}
	return st;
}

gt_status recon_joint(const cli_call *call, const recon_options *o, recon_monitor *m, const gt_read_options *reading)
{
	gt_recon **r = calloc(call->files, sizeof *r);
	gt_volume **v = calloc(call->files, sizeof *v);
	char *name = NULL;
	gt_status st = r && v ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	recon_options first = *o; /* the report describes the first volume */
	GT_TRY(st);
	GT_TRY(check(call, o));
	if (!(first.output = name = cli_numbered(o->output, 1)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(open_all(call, o, m, reading, r, v));
	GT_TRY(gt_recon_run_joint(r, call->files, v));
	GT_TRY(write_all(call, o, v));
	recon_report(call, &first, r[0]);
	cli_note(call, "%zu volumes with numbered names", call->files);
	st = recon_how_it_ended(&first, r[0]);
done:
	for (size_t i = 0; i < call->files && r && v; i++) {
		gt_recon_free(r[i]);
		gt_volume_free(v[i]);
	}
	free(name);
	free(r);
	free(v);
	return st;
}
