#ifndef GT_APPS_STUDY_ITERATIVE_METHODS_H
#define GT_APPS_STUDY_ITERATIVE_METHODS_H
/* Part of `gantry study iterative`: every solver and penalty of the library at the target noise of the scans of
 * `gantry study quality`, found in the same way. One slice of each object. */
#include <gantry/solver.h>
#include "apps/study/iterative/iterative.h"
#include "apps/study/quality/quality.h"

/* Columns of the table of penalties: equal noise ("yes", "no"), and the error over all voxels. */
enum { METHODS_EQUAL = 5, METHODS_ERROR = 6 };

/* One method. */
typedef struct {
	quality_candidate of;           /* name: that of the solver or penalty */
	char solver[STUDY_PATH], text[STUDY_PATH]; /* without and with iterations */
	char penalty[STUDY_PATH];       /* "": none */
	int iterations;
	int by_iterations;              /* 1: only the iterations set its noise */
	double guess;                   /* start value of the key that sets the noise; 0: found from the noise */
	const char *left_out;           /* a sentence: why it cannot be compared; NULL: it can */
} method;
/* noise: the target, HU. With a penalty where the solver takes one: q-GGMRF by its gradient, else tv by its proximal
 * step. */
void      method_of_solver(const study *s, const gt_solver *v, double noise, method *m);
/* With the solver that suits it. prior: a file of an earlier scan, for those that take one. */
gt_status method_of_prior(const study *s, const gt_regularizer *r, const quality_scene *scene, const char *prior, method *m);

/* One run, iteration by iteration. */
typedef struct {
	int iterations;                 /* done */
	size_t n;                       /* voxels */
	double *seconds;                /* [iterations]: from the first one's beginning to the end of each */
	float *x;                       /* [iterations][n] */
	size_t capacity, x_capacity;
	int failed;                     /* no memory */
	double begun, spent;
} method_trace;
/* times: on the method's iterations. */
gt_status method_trace_run(const study *s, const quality_scene *scene, const method *m, int draw, double strength,
                           int times, method_trace *t);
void      method_trace_free(method_trace *t);
static inline const float *method_trace_x(const method_trace *t, int k) { return t->x + (size_t)k * t->n; }
double    method_apart(const quality_scene *scene, const float *a, const float *b);     /* root mean square, HU */

/* A method on an object at equal noise. */
typedef struct {
	quality_result r;               /* r.strength: value of the key that sets the noise */
	double iterations, seconds;     /* to the picture that r is of; iterations between two: the mixture of both */
	double near, near_seconds;      /* until it stays within 1 HU of where it ends; NAN: not in these iterations */
	method_trace trace;             /* the first draw */
} method_run;
gt_status method_measure(study *s, const quality_scene *scene, const method *m, double noise, method_run *run);
void      method_run_free(method_run *run);

/* Cost of a method. forward, back: applications per iteration, in passes over all views. Additional memory in volumes
 * and in arrays of the data; penalty: its memory, in volumes. */
typedef struct { double forward, back, volumes, data, penalty; } method_cost;
gt_status method_cost_of(const study *s, const quality_scene *scene, const method *m, method_cost *c);

/* Fill the tables, write pictures. methods_size: of their scans. */
gt_status methods_measure(study *s);
size_t    methods_steps(const study *s);
quality_size methods_size(const study *s);
/* The objects of the solvers, NULL after the last; the scan of the penalties. */
const quality_case *methods_object(const study *s, int i);
const quality_case *methods_prior_case(void);
const quality_case *methods_case(const char *key);
void      methods_figures(study *s);
void      methods_parts(const study *s, study_page *p);
#endif
