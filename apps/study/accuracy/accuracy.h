#ifndef GT_APPS_STUDY_ACCURACY_ACCURACY_H
#define GT_APPS_STUDY_ACCURACY_ACCURACY_H
/* `gantry study accuracy`: what the projectors cost and how near they are, after Liu, Fu, De Man, Yu, "GPU-based branchless
 * distance-driven projection and backprojection", IEEE Trans. Comput. Imaging 3 (2017), section IV A and B. */
#include <gantry/projector.h>
#include "apps/study/study.h"

/* Its tables. */
enum {
	STUDY_TIMES = STUDY_OWN, STUDY_GUPS, STUDY_VIEWS_FORWARD, STUDY_VIEWS_BACK, STUDY_SIZE_FORWARD, STUDY_SIZE_BACK,
	STUDY_SLICES_FORWARD, STUDY_SLICES_BACK, STUDY_FEW_FORWARD, STUDY_FEW_BACK, STUDY_FORWARD_ERRORS, STUDY_FORWARD_0,
	STUDY_FORWARD_45, STUDY_BACK_ERRORS, STUDY_RANDOM, STUDY_RANDOM_CUBE, STUDY_BAR_ERRORS, STUDY_BAR, STUDY_BAR_DIFFERENCES = STUDY_BAR + 3,
	STUDY_HEAD = STUDY_BAR_DIFFERENCES + 3,
	STUDY_ACCURACY_END
};

/* Pictures of differences from the model in double. */
enum { STUDY_AT_0, STUDY_AT_45, STUDY_FROM_ONE, STUDY_FROM_ALL, STUDY_PICTURES };

/* A projector on a device: one line of most tables. */
typedef struct {
	const gt_projector *projector;
	char backend[32], label[96];    /* "dd (16 threads)", "dd-bl (GPU)" */
	char key[48];                   /* for names of files: "dd-cpu", "dd-bl-gpu" */
	gt_type type;
	int gpu, threads;               /* threads: of the CPU */
	int times, gups, accuracy, sweeps;      /* takes part in which */
	double update;                  /* s for a voxel and a view, of the slower direction; 0: not known yet */
	double window[STUDY_PICTURES];  /* of each picture of differences: from -window to window; 0: none differs */
} study_variant;

/* What the study keeps. */
typedef struct {
	const gt_projector *reference;  /* the first that takes the scan on the CPU: what the others are compared with */
	study_variant *variant;
	size_t variants;
	size_t shown[2];                /* the views at 0 and 45 degrees */
} study_accuracy_own;
static inline study_accuracy_own *accuracy_of(const study *s) { return (study_accuracy_own *)s->own; }

/* Finds the variants; projectors that refuse the scan go to the table of what is left out. */
gt_status study_find_variants(study *s);

/* The problem of table III. */
const app_workload *study_cube(const study *s);
gt_status study_ones(size_t n, float **x);              /* malloc'ed */

/* Times: tables and sweeps. */
size_t    study_times_steps(const study *s);
gt_status study_times(study *s);
/* Accuracy: ones and random numbers forward and back, the bar, the head. */
size_t    study_accuracy_steps(const study *s);
gt_status study_accuracy(study *s);
size_t    study_random_steps(const study *s);
gt_status study_random_errors(study *s);
size_t    study_bar_steps(const study *s);
gt_status study_bar(study *s);
size_t    study_head_steps(const study *s);
gt_status study_head_error(study *s);
extern const double study_bar_angle[3];                 /* degrees */

/* A projector on a backend that is opened for it. */
typedef struct { const char *backend, *projector; gt_type type; int gpu; } study_way;
study_way study_way_of(const study_variant *v);
/* out = A in or A' in, in double whatever it computes in. */
gt_status study_apply(const study_way *way, int adjoint, const gt_grid *grid, const gt_scan *scan, const float *in, double *out);
/* Some voxels of a grid. */
typedef struct { size_t first[3], n[3]; } study_box;
size_t study_box_voxels(const study_box *b);
/* Parts of A' data, each [z][y][x], one behind the other: computed for themselves on the CPU, taken from the whole on a GPU. */
gt_status study_back(const study_way *way, const gt_grid *grid, const gt_scan *scan, const float *data, const study_box *box, size_t n,
                     double *out);
/* The projector with the same entries that runs on the CPU. */
const char *study_model(const study_variant *v);
/* Differences of x from reference, over n values: their root mean square, also relative to `size`, that of the reference; the largest
 * and its index; the largest value of the reference. */
typedef struct { double rmse, relative, largest, size, peak; size_t at; } study_error;
study_error study_compare(const double *x, const double *reference, size_t n);

gt_status study_accuracy_figures(study *s);
void      study_accuracy_parts(const study *s, study_page *p);
#endif
