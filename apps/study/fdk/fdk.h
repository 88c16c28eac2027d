#ifndef GT_APPS_STUDY_FDK_FDK_H
#define GT_APPS_STUDY_FDK_FDK_H
/* `gantry study fdk`: analytic reconstruction and its published optimisations. Sources:
 *   Okitsu, Ino, Hagihara: fast cone beam reconstruction using CUDA, IPSJ SIG (2008), forms A to F, tables 4 and 6.
 *   Papenhausen, Mueller: Rapid Rabbit, IEEE NSS/MIC (2013), table I.
 *   Lu, Ino, Hagihara: cache-aware GPU optimization for out-of-core cone beam CT, IEICE (2016), tables 1, 3, 4,
 *   figures 7, 9, 10.
 * Forms with textures run on CUDA alone; the CPU is measured everywhere. */
#include "apps/study/study.h"

/* Its tables. */
enum {
	STUDY_FORMS = STUDY_OWN, STUDY_LIMITS, STUDY_LADDER, STUDY_QUALITY, STUDY_ANGLES, STUDY_BLOCKS, STUDY_PASSES, STUDY_LAUNCHES,
	STUDY_FDK_SIZES, STUDY_STRUCTURES, STUDY_PATTERNS, STUDY_STAGES, STUDY_PIPELINES, STUDY_RABBITCT, STUDY_COUNTS,
	STUDY_COPIES, STUDY_CACHE
};

/* A form of the backprojection, as fdk's kernel= names it. */
typedef struct {
	const char *name, *published, *block, *how;
	int views;                      /* per launch: N'; 0: all of a batch */
	int upright;                    /* takes detectors whose rows are upright */
	int baseline;                   /* the others are compared with it */
	int apart;                      /* in the ladder and separate tables, but not against angles and sizes */
	int flops;                      /* per voxel and view in its inner loop, a fused one as two; 0: not counted */
} fdk_form;
extern const fdk_form fdk_forms[];                      /* ends with name = NULL */
const fdk_form *fdk_form_find(const char *name);


/* A form on a device. */
typedef struct {
	const fdk_form *form;           /* NULL: the CPU's */
	char backend[32], label[64];    /* "CPU, 2 threads", "tiles" */
	gt_type type;
	int gpu, all;                   /* all: threads of the CPU */
	double rate;                    /* updates per second, when known */
} fdk_way;

enum { FDK_MAX_WAYS = 24 };
typedef struct {
	fdk_way way[FDK_MAX_WAYS];      /* available ones */
	size_t ways;
	size_t cube;                    /* voxels along an edge of the cube of the ladder */
	double bandwidth;               /* bytes per second of the main device's memory */
	double enough;                  /* s of a case: what takes longer is not repeated */
	/* Slices of both data; form NULL: none. */
	struct { size_t n[2]; double pitch[2], psnr; const char *form; } picture[2];
} study_fdk;
static inline study_fdk *fdk_of(const study *s) { return (study_fdk *)s->own; }
/* The way of a form; NULL: it is not here. The CPU or GPU of a way. */
const fdk_way *fdk_way_of(const study *s, const char *form);
static inline const char *fdk_device(const fdk_way *w) { return w->gpu ? "GPU" : "CPU"; }

/* Seconds of one reconstruction, medians; total: all of it, data resident. */
typedef struct { double filter, back, total; } fdk_seconds;
/* One reconstruction. */
typedef struct {
	const fdk_way *way;
	const gt_scan *scan;
	const gt_grid *grid;
	const char *options;            /* of the solver; NULL: none */
	const float *data;              /* NULL: random */
	float *x;                       /* receives the volume; NULL: not wanted */
	double enough;                  /* limit of the repeated runs, s, if below the study's; 0: none */
} fdk_case;
/* Medians of runs after a warm-up, while they are short. GT_ERR_UNSUPPORTED: the form refuses. */
gt_status fdk_run(study *s, const fdk_case *c, fdk_seconds *t);
/* The same; an impossible case is left out: t is NAN. */
gt_status fdk_try(study *s, const char *part, const fdk_case *c, fdk_seconds *t);
double fdk_updates(const gt_scan *scan, const gt_grid *grid);
/* The cube of n^3 voxels: the workload cube512 at that size. */
gt_orbit fdk_cube(size_t n, size_t views, gt_grid *grid);

/* Images one by one through their matrices, as the benchmark RabbitCT has them; from the first image to the whole
 * volume. */
typedef struct {
	gt_grid grid;
	size_t views, rows, columns;
	const double (*matrix)[12];
	const float *images;
} fdk_images;
/* batch: views per pass over the volume, 0: chosen. x: where the volume goes, NULL: nowhere. Short runs are
 * repeated. */
gt_status fdk_images_run(const fdk_images *p, const char *backend, gt_type type, size_t batch, float *x, double *seconds);
/* Devices that take images so: the GPU by the form that it chooses; without one the CPU, on one thread and on all. */
enum { FDK_TAKERS = 2 };
typedef struct { const char *backend, *label; int gpu; } fdk_taker;
size_t fdk_takers(const study *s, fdk_taker taker[FDK_TAKERS]);

/* The measurements, and how many steps each takes. All but the first are parts of --case. */
gt_status fdk_limits(study *s);
size_t    fdk_ladder_steps(const study *s);
gt_status fdk_ladder(study *s);
size_t    fdk_sweeps_steps(const study *s);
gt_status fdk_angles(study *s);
gt_status fdk_passes(study *s);
gt_status fdk_sizes(study *s);
size_t    fdk_rabbit_steps(const study *s);
gt_status fdk_rabbit(study *s);
size_t    fdk_launches_steps(const study *s);
gt_status fdk_blocks(study *s);                         /* these four on CUDA alone */
gt_status fdk_launches(study *s);
gt_status fdk_textures(study *s);
gt_status fdk_patterns(study *s);                       /* one step */
gt_status fdk_stages(study *s);                         /* four steps */
gt_status fdk_cache(study *s);                          /* one step */

void      fdk_figures(study *s);
void      fdk_parts  (const study *s, study_page *p);
#endif
