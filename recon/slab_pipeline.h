#ifndef GT_RECON_SLAB_PIPELINE_H
#define GT_RECON_SLAB_PIPELINE_H
/* Filtered backprojection out of core, with slabs of slices, batches of views, and overlapping stages. */
#include <gantry/message.h>
#include "analytic/fbp/slab.h"
#include "recon/view_cache.h"

/* Progress of a run. */
typedef struct {
	double done;                    /* 0 to 1 */
	size_t slab, slabs;             /* slab: current one, counted from 0 */
	double seconds;                 /* since the run began */
	double read, updates, written;  /* bytes read, voxels times views, bytes of complete slabs */
} gt_slab_progress;

typedef struct {
	const gt_listener *log;
	int (*progress)(void *self, const gt_slab_progress *p);         /* after each batch; nonzero stops; NULL:
									 * none */
	void *progress_self;
	const char *backend;            /* name; NULL: auto */
	gt_type type;
	const gt_analytic *method;
	const void *options;            /* options of the method */
	const gt_scan *scan;
	const gt_grid *grid;
	const char *data;               /* file of the projections */
	const gt_read_options *read;    /* options for reading; NULL: defaults */
	gt_view_cache_place keep;       /* cache for later slabs; auto: memory, else scratch, else none */
	const char *scratch;            /* folder of the scratch file; NULL: none */
	double device_limit, host_limit;        /* bytes; 0: all that is free */
	int hu;                         /* output in HU */
	int force;                      /* accept values that are not line integrals */
	int alone;                      /* run stages in sequence, to time each alone */
} gt_slab_case;

/* Cut of volume and views, and its memory bounds, bytes. */
typedef struct {
	size_t slices, slabs, batch, batches, rows;     /* rows: largest number of detector rows of any slab */
	size_t buffer;                  /* bytes of a batch as read */
	size_t piece;                   /* slices of a slab written at a time */
	double device, host;
	double process, reserve;        /* memory of the process, with the device's if that is the host; its reserve */
	gt_view_cache_place kept;       /* cache of the projections for later slabs */
} gt_slab_cut;

enum { GT_STAGE_READ, GT_STAGE_UPLOAD, GT_STAGE_FILTER, GT_STAGE_BACKPROJECT, GT_STAGE_DOWNLOAD, GT_STAGE_WRITE, GT_STAGES };
typedef struct {
	gt_slab_cut plan;
	double seconds[GT_STAGES], bytes[GT_STAGES];  /* NAN: unknown, because stages overlapped on a device */
	double whole;                   /* s */
	double device_peak, process_peak;       /* backend, process; bytes */
	char backend[32];
} gt_slab_result;

/* Resources of planning and running. */
typedef struct {
	const gt_slab_case *c;
	gt_slab_plan *slabs;
	gt_view_reader *views;
	gt_backend *be;
} gt_slab_job;
gt_status gt_slab_job_open (const gt_slab_case *c, gt_slab_job *s);
void      gt_slab_job_close(gt_slab_job *s);
/* Chooses a cut within the limits; GT_ERR_MEMORY names the minimum that works. */
gt_status gt_slab_job_choose(const gt_slab_job *s, gt_slab_cut *plan);
gt_status gt_slab_pipeline(const gt_slab_job *s, gt_slice_writer *out, gt_slab_result *r);

size_t gt_slab_slices(const gt_slab_job *s, const gt_slab_cut *plan, size_t slab);    /* the last slab has fewer */
#endif
