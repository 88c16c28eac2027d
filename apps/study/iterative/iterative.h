#ifndef GT_APPS_STUDY_ITERATIVE_ITERATIVE_H
#define GT_APPS_STUDY_ITERATIVE_ITERATIVE_H
/* `gantry study iterative`: all solvers and penalties at equal noise (methods/); iterative reconstruction after Liu,
 * Fu, De Man, Yu (2017), section IV C; noise against resolution. Runs on the GPU, or without one on the CPU in
 * single precision. The reference is the CPU in double: at 1/cpu_reduce of the size with all iterations, and on all
 * voxels from some views with cpu_iterations of os-sart. */
#include <gantry/linop.h>
#include <gantry/metrics.h>
#include <gantry/regularizer.h>
#include <gantry/recon.h>
#include "apps/study/study.h"
#include "recon/modules.h"

enum { STUDY_CASES = 4 };
/* Its tables. */
enum {
	STUDY_ERRORS = STUDY_OWN, STUDY_CONVERGENCE, STUDY_REFERENCE, STUDY_ITERATION, STUDY_PROFILES,
	STUDY_NOISE = STUDY_PROFILES + STUDY_CASES, STUDY_RESOLUTION,
	STUDY_METHODS, STUDY_PATHS, STUDY_COSTS, STUDY_PRIORS
};

/* Phantom, scan and grid at one size. */
typedef struct {
	gt_scan *scan;
	gt_grid shown, grid;            /* grid: with the slices below and above that the cone needs */
	size_t below;
	float *truth, *lines;           /* voxels of shown; data of scan, means of 4 x 4 rays */
	int thin;                       /* 1: truth belongs to another scene */
} study_scene;
/* 1/by of the study's size; by < 0: -by times it with the same number of views, for small studies. */
gt_status study_scene_new(study *s, const char *object, int by, study_scene *scene);
void      study_scene_free(study_scene *scene);
/* The same with every N-th view; borrows the truth. */
gt_status study_scene_thin(const study_scene *from, size_t every, study_scene *thin);

typedef struct {
	const char *key, *title, *object, *solver;        /* "os-sart:subsets=10" */
	double strength;                /* strength of q-GGMRF, in views x pitch^2; 0: no penalty */
	double photons;                 /* 0: no noise */
	int iterations, quick;          /* in full; in the small study */
	unsigned seed;
	int weighted, start_fdk, show_fdk;
	double low, high;               /* window of pictures, water = 1 */
	double error;                   /* window of differences from the truth, HU */
} study_case;
extern const study_case study_cases[STUDY_CASES];
int study_case_iterations(const study *s, const study_case *c);

typedef struct { const char *backend, *name; gt_type type; int gpu; } study_device;
study_device study_device_main(const study *s);
study_device study_device_reference(const study *s);

/* Result of a run. Seconds per iteration, without the first; NAN if there was only one. */
typedef struct {
	float *x, *fdk;                 /* slices shown; fdk NULL: not wanted */
	double *rmse;                   /* [iterations]: from the truth, HU */
	int iterations;
	double seconds;                 /* as it runs */
	double forward, back, split;    /* with the queue finished before and after each operator; split: all of it then */
} study_outcome;
/* data, weights (NULL: none): as the scene's lines. A GPU runs some iterations again for the split. */
typedef struct { const study_case *c; const study_scene *scene; const float *data, *weights; study_device d; int iterations; } study_job;
gt_status study_iterate(study *s, const study_job *job, study_outcome *out);
void      study_outcome_free(study_outcome *o);
/* Copies with noise, malloc'ed; weights NULL where the case has none. */
gt_status study_case_data(study *s, const study_case *c, const study_scene *scene, float **data, float **weights);

/* From b, over the central share of the slices. Differences in HU; ssim: range of b. */
typedef struct { double rmse, mean, largest, ssim; } study_distance;
gt_status study_distance_of(const study *s, const gt_grid *grid, const float *a, const float *b, double central, study_distance *d);

/* Writes the three central planes, NAME-transverse.f32, -coronal, -sagittal: a over water, or a - b in HU. *rms (may be
 * NULL): root mean square of the values. */
gt_status study_planes(study *s, const char *name, const gt_grid *grid, const float *a, const float *b, double *rms);

/* Operators, penalty and start volume of one solver run on a device; zero at first. */
typedef struct { double forward, back; size_t forwards, backs; } study_clock;
typedef struct {
	gt_backend *be;
	gt_method m;
	gt_subsets subsets;
	gt_linop **timed;               /* [subsets.subsets]: count and time each application, between finished queues */
	gt_penalty *R;
	gt_array *x;
	study_clock clock;
} study_run;
typedef struct {
	const char *backend, *solver;   /* with iterations */
	gt_type type;
	int dry;                        /* 1: a dry run, which only counts memory */
	const gt_scan *scan;
	const gt_grid *grid;
	const float *data, *weights;    /* weights NULL: none */
} study_run_options;
gt_status study_run_open(study_run *w, const study_run_options *o);
gt_status study_run_penalty(study_run *w, const char *spec, gt_type type, const gt_grid *grid);
/* A: subsets.A or timed. */
gt_status study_run_solve(study_run *w, gt_linop *const *A, const gt_grid *grid, const gt_monitor *monitor);
void      study_run_close(study_run *w);

gt_status study_noise(study *s, const study_scene *scene);
size_t    study_noise_steps(const study *s);
int       study_noise_iterations(const study *s);         /* for pcg */
/* Findings for figures and report in addition to the tables. */
typedef struct {
	int cpu_reduce, cpu_iterations; /* see above */
	int methods_alone;              /* --size small: all solvers and penalties on a slice, and nothing else */
	double narrow[STUDY_CASES];     /* windows of differences from the reference, HU */
	char fdk[160], pcg[160];         /* titles of the pictures of noise; empty: none */
	const float *shown[2];          /* these pictures, during the measurement */
	gt_grid grid;
	char claim[1024];
} study_findings;
static inline study_findings *found_of(const study *s) { return (study_findings *)s->own; }
void      study_iterative_figures(study *s);
void      study_iterative_parts(const study *s, study_page *p);
#endif
