#ifndef GT_APPS_STUDY_SCALE_H
#define GT_APPS_STUDY_SCALE_H
/* `gantry study scale`: what several devices gain, against one and against the model of their time, and beside table
 * IV of Liu, Fu, De Man, Yu, "GPU-based branchless distance-driven projection and backprojection", IEEE Trans. Comput.
 * Imaging (2017). */
#include <gantry/recon.h>
#include "apps/study/study.h"

/* Its tables. */
enum { SCALE_SPEED = STUDY_OWN, SCALE_PAPER };
enum { SCALE_MAX = 8 };

/* A scan with random line integrals: times do not depend on them. */
typedef struct {
	char name[48];
	gt_scan *scan;
	gt_grid grid;
	float *data;
	gt_projections *p;
} scale_problem;
/* Of the name of a problem of `gantry bench`, `by` times smaller, with so many times its views. */
gt_status scale_problem_new (const char *workload, size_t by, size_t views, scale_problem *p);
void      scale_problem_free(scale_problem *p);

typedef struct { const char *solver, *penalty; } scale_method;
typedef struct { double seconds, model; char split[32]; } scale_time;
/* An iteration on so many members, the median of some; model: what was told before. */
gt_status scale_measure(const study *s, const scale_problem *p, const scale_method *m, int ranks, scale_time *t);

typedef struct {
	int count[SCALE_MAX + 1];       /* of members, rising; 0 ends them */
	int threads;                    /* of a member on the CPU */
	size_t by;                      /* so many times smaller than the paper's */
	char claim[256];
} scale_findings;
static inline scale_findings *scale_found(const study *s) { return (scale_findings *)s->own; }

gt_status scale_figures(study *s);
void      scale_parts(const study *s, study_page *p);
#endif
