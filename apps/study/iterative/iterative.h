#ifndef GT_APPS_STUDY_ITERATIVE_ITERATIVE_H
#define GT_APPS_STUDY_ITERATIVE_ITERATIVE_H
/* `gantry study iterative`: all solvers and penalties at equal noise (methods/); iterative reconstruction after Liu, Fu,
 * De Man, Yu (see study.h), section IV C, and noise against resolution. Runs on the GPU, or where there is none on the
 * CPU in single precision; the reference is the CPU in double, at 1/cpu_reduce of the size with all iterations, and on
 * all voxels from some views with cpu_iterations of os-sart. */
#include <gantry/linop.h>
#include <gantry/metrics.h>
#include <gantry/phantom.h>
#include "apps/study/study.h"

enum { STUDY_CASES = 4 };
/* Its tables. */
enum {
	STUDY_ERRORS = STUDY_OWN, STUDY_CONVERGENCE, STUDY_REFERENCE, STUDY_ITERATION, STUDY_PROFILES,
	STUDY_NOISE = STUDY_PROFILES + STUDY_CASES, STUDY_RESOLUTION,
	STUDY_METHODS, STUDY_PATHS, STUDY_COSTS, STUDY_PRIORS
};

/* Body, scan and grid at one size. */
typedef struct {
	gt_scan *scan;
	gt_grid shown, grid;            /* grid: with the slices below and above that the cone needs */
	size_t below;
	gt_phantom *body;
	float *truth, *lines;           /* of shown; of scan: means of 4 x 4 rays */
} study_scene;
/* 1/by of the study's size; by < 0: -by times it with as many views, for small studies. */
gt_status study_scene_new(study *s, const char *body, int by, study_scene *scene);
void      study_scene_free(study_scene *scene);
/* The same with every so-manieth view; borrows the rest. */
gt_status study_scene_thin(const study_scene *from, size_t every, study_scene *thin);
void      study_scene_thin_free(study_scene *thin);

typedef struct {
	const char *key, *title, *body, *solver;        /* "os-sart:subsets=10" */
	double strength;                /* of q-GGMRF, in views x pitch^2; 0: no penalty */
	double photons;                 /* 0: no noise */
	int iterations, quick;          /* in full; in the small study */
	unsigned seed;
	int weighted, start_fdk, show_fdk;
	double low, high;               /* window of pictures, water = 1 */
	double error;                   /* of their differences from the truth, HU */
} study_case;
extern const study_case study_cases[STUDY_CASES];
int study_case_iterations(const study *s, const study_case *c);

typedef struct { const char *backend, *name; gt_type type; int gpu; } study_device;
study_device study_device_main(const study *s);
study_device study_device_reference(const study *s);

/* What came of a run. Seconds are of one iteration, the first left out; NAN where there was only one. */
typedef struct {
	float *x, *fdk;                 /* of the slices shown; fdk NULL: not asked for */
	double *rmse;                   /* [iterations]: from the truth, HU */
	int iterations;
	double seconds;                 /* as it runs */
	double forward, back, split;    /* with the queue finished before and after each operator; split: all of it then */
} study_outcome;
/* data, weights (NULL: none): as the scene's lines. A GPU runs some iterations again for the split. */
gt_status study_iterate(study *s, const study_case *c, const study_scene *scene, const float *data, const float *weights,
                        const study_device *d, int iterations, study_outcome *out);
void      study_outcome_free(study_outcome *o);
/* Copies with noise, malloc'ed; weights NULL where the case has none. */
gt_status study_case_data(study *s, const study_case *c, const study_scene *scene, float **data, float **weights);
char     *study_penalty_spec(double strength, const study_scene *scene, size_t views);

/* From b, over the central share of the slices. Differences in HU; ssim: range of b. */
typedef struct { double rmse, mean, largest, ssim; } study_distance;
gt_status study_distance_of(const study *s, const gt_grid *grid, const float *a, const float *b, double central, study_distance *d);

/* The three planes through the middle, NAME-transverse.f32, -coronal, -sagittal: a as a share of water, or a - b in HU; returns the root mean
 * square of what was written in *rms (may be NULL). */
gt_status study_planes(study *s, const char *name, const gt_grid *grid, const float *a, const float *b, double *rms);

/* An operator that counts its applications and adds the time of each to a clock, with the queue finished before and
 * after. A is borrowed. */
typedef struct { double forward, back; size_t forwards, backs; } study_clock;
gt_status study_timed_new(gt_linop *A, study_clock *clock, gt_linop **timed);

gt_status study_noise(study *s, const study_scene *scene);
size_t    study_noise_steps(const study *s);
int       study_noise_iterations(const study *s);         /* of pcg */
/* What the study keeps: what to draw and to say, beside the tables. */
typedef struct {
	int cpu_reduce, cpu_iterations; /* see above */
	int methods_alone;              /* --size small: all solvers and penalties on a slice, and nothing else */
	double narrow[STUDY_CASES];     /* windows of differences from the reference, HU */
	char fdk[160], pcg[160];         /* of the pictures of noise; empty: none */
	const float *shown[2];          /* those, while they are there */
	gt_grid grid;
	char claim[1024];
} study_findings;
static inline study_findings *found_of(const study *s) { return (study_findings *)s->own; }
gt_status study_iterative_figures(study *s);
void      study_iterative_parts(const study *s, study_page *p);
#endif
