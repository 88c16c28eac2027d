#ifndef GT_APPS_COMMANDS_RECON_H
#define GT_APPS_COMMANDS_RECON_H
/* Parts of `gantry recon`: options, progress and reports. */
#include <gantry/image.h>
#include <gantry/recon.h>
#include "apps/cli/cli.h"
#include "apps/cli/frames.h"
#include "apps/cli/progress.h"
#include "apps/cli/runlog.h"
#include "apps/commands/recon/recon_page.h"
#include "viewer/live.h"

typedef struct {
	const char *output, *grid, *like, *solver, *projector, *init, *weights, *penalty, *stop, *log, *plot, *checkpoint, *resume;
	const char *data, *device_memory, *host_memory, *scratch, *range, *gpus, *split, *balance, *report, *voxel, *slice, *views;
	int unit, preset, dry_run, team, reproducible, padding, outside, no_overlap, keep, no_check, force, number, watch, automatic;
	long long port;
	double water;
	cli_frames frames;
} recon_options;

extern const cli_option recon_table[];
extern const recon_options recon_defaults;
extern const cli_hint recon_hints[];
/* Passes the options to the library. */
gt_status recon_set(gt_recon *r, const cli_call *call, const recon_options *o);

/* Progress on stderr, the log and Ctrl-C while the library runs. */
typedef struct {
	const cli_call *call;
	const recon_options *o;
	gt_recon *r;
	app_progress progress;
	cli_notes notes;                /* notes of the reader, printed after reading */
	int reads;                      /* 1: reading is in progress */
	int direct;                     /* 1: the bar shows an analytic method */
	app_runlog log;
	recon_journal journal;          /* for --report */
	gt_live_page *page;             /* for --watch; NULL without it */
	int iteration, iterations;      /* completed, and maximum */
	int writes;                     /* 1: the volume is being written */
	gt_status st;                   /* error of opening the log */
} recon_monitor;
void recon_say(void *self, const gt_message *m);
int recon_progress(void *self, const gt_recon_progress *p);
/* Removes the bar of an analytic method, if there is one. */
void recon_end_direct(recon_monitor *m);

/* Reconstructs several scans jointly, into numbered files. */
gt_status recon_joint(const cli_call *call, const recon_options *o, recon_monitor *m, const gt_read_options *reading);

/* --dry-run: prints the plan to stdout. */
gt_status recon_print_plan(const cli_call *call, gt_recon *r);
/* Prints the report as text or JSON. */
void recon_report(const cli_call *call, const recon_options *o, gt_recon *r);
/* Returns the end of the run; the messages of GT_ERR_DIVERGED and GT_STOPPED state the contents of the output. */
gt_status recon_how_it_ended(const recon_options *o, gt_recon *r);
/* Returns the name of the method; the caller frees it. */
char *recon_method(gt_recon *r);
#endif
