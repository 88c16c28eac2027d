#ifndef GT_RECON_SLAB_PIPELINE_H
#define GT_RECON_SLAB_PIPELINE_H
/* Filtered backprojection out of core: slabs of slices, batches of views, and stages that run at the same time. */
#include <gantry/message.h>
#include "analytic/fbp/slab.h"
#include "recon/view_cache.h"

/* How far a run is. */
typedef struct {
	double done;                    /* 0 to 1 */
	size_t slab, slabs;             /* slab: the one in work, counted from 0 */
	double seconds;                 /* since the run began */
	double read, updates, written;  /* bytes that were read, voxels times views, bytes of the slabs that are complete */
} gt_slab_progress;

typedef struct {
	const gt_listener *log;
	int (*progress)(void *self, const gt_slab_progress *p);         /* after each batch of views; non-zero stops (GT_STOPPED); may be NULL */
	void *progress_self;
	const char *backend;            /* its name; NULL: auto */
	gt_type type;
	const gt_analytic *method;
	const void *options;            /* of the method */
	const gt_scan *scan;
	const gt_grid *grid;
	const char *data;               /* the file of the projections */
	const gt_read_options *read;    /* how it is read; NULL: defaults */
	gt_view_cache_place keep;       /* where they are for the slabs after the first; auto: memory, else scratch, else not */
	const char *scratch;            /* folder of the scratch file; NULL: none */
	double device_limit, host_limit;        /* bytes; 0: all that is free */
	int hu;                         /* is written in HU */
	int force;                      /* take values that are no line integrals */
	int alone;                      /* one stage after the other: the times of each alone */
} gt_slab_case;

/* How the volume and the views are cut, and what that takes at most, in bytes. */
typedef struct {
	size_t slices, slabs, batch, batches, rows;     /* rows: of the detector, most of any slab */
	size_t buffer;                  /* bytes of a batch as it is read */
	size_t piece;                   /* slices of a slab that are written at a time */
	double device, host;
	double process, reserve;        /* all memory of the process, with the device's where that is the host; of it, for stacks and libraries */
	gt_view_cache_place kept;       /* the projections, for the slabs after the first */
} gt_slab_cut;

enum { GT_STAGE_READ, GT_STAGE_UPLOAD, GT_STAGE_FILTER, GT_STAGE_BACKPROJECT, GT_STAGE_DOWNLOAD, GT_STAGE_WRITE, GT_STAGES };
typedef struct {
	gt_slab_cut plan;
	double seconds[GT_STAGES], bytes[GT_STAGES];  /* NAN: not known, as stages ran at the same time on a device */
	double whole;                   /* s */
	double device_peak, process_peak;       /* bytes: of the backend, of the process */
	char backend[32];
} gt_slab_result;

/* Common parts of both, made once. */
typedef struct {
	const gt_slab_case *c;
	gt_slab_plan *slabs;
	gt_view_reader *views;
	gt_backend *be;
} gt_slab_job;
gt_status gt_slab_job_open (const gt_slab_case *c, gt_slab_job *s);
void      gt_slab_job_close(gt_slab_job *s);
/* Within the limits; GT_ERR_MEMORY says the least that works. */
gt_status gt_slab_job_choose(const gt_slab_job *s, gt_slab_cut *plan);
gt_status gt_slab_pipeline(const gt_slab_job *s, gt_slice_writer *out, gt_slab_result *r);

size_t gt_slab_slices(const gt_slab_job *s, const gt_slab_cut *plan, size_t slab);    /* of that slab: the last has fewer */
#endif
