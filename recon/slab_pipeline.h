#ifndef GT_RECON_SLAB_PIPELINE_H
#define GT_RECON_SLAB_PIPELINE_H
/* Filtered backprojection out of core: slabs of slices, batches of views, and stages that run at the same time. */
#include <gantry/slab.h>
#include "apps/cli/cli.h"
#include "recon/view_cache.h"

typedef struct {
	const cli_call *call;
	const gt_analytic *method;
	const void *options;            /* of the method */
	const gt_scan *scan;
	const gt_grid *grid;
	const char *data;               /* the file of the projections */
	app_kept_where keep;            /* where they are for the slabs after the first; auto: memory, else scratch, else not */
	const char *scratch;            /* folder of the scratch file; NULL: none */
	double device_limit, host_limit;        /* bytes; 0: what is free */
	int hu;                         /* is written in HU */
	int alone;                      /* one stage after the other: the times of each alone */
} app_slabs_case;

/* How the volume and the views are cut, and what that takes at most, in bytes. */
typedef struct {
	size_t slices, slabs, batch, batches, rows;     /* rows: of the detector, most of any slab */
	size_t buffer;                  /* bytes of a batch as it is read */
	size_t piece;                   /* slices of a slab that are written at a time */
	double device, host;
	double process, reserve;        /* all memory of the process, with the device's where that is the host; of it, for stacks and libraries */
	app_kept_where kept;            /* the projections, for the slabs after the first */
} app_slabs_plan;

enum { APP_READ, APP_UPLOAD, APP_FILTER, APP_BACK, APP_DOWNLOAD, APP_WRITE, APP_STAGES };
typedef struct {
	app_slabs_plan plan;
	double seconds[APP_STAGES], bytes[APP_STAGES];  /* NAN: not known, as stages ran at the same time on a device */
	double whole;                   /* s */
	double device_peak, process_peak;       /* bytes: of the backend, of the process */
	char backend[32];
} app_slabs_result;

/* What both need, made once. */
typedef struct {
	const app_slabs_case *c;
	gt_slab_plan *slabs;
	gt_view_reader *views;
	gt_backend *be;
} app_slabs;
gt_status app_slabs_open (const app_slabs_case *c, app_slabs *s);
void      app_slabs_close(app_slabs *s);
/* Within the limits; GT_ERR_MEMORY says the least that works. */
gt_status app_slabs_choose(const app_slabs *s, app_slabs_plan *plan);
gt_status app_slabs_run(const app_slabs *s, gt_slice_writer *out, app_slabs_result *r);

size_t app_slab_slices(const app_slabs *s, const app_slabs_plan *plan, size_t slab);    /* of that slab: the last has fewer */
#endif
