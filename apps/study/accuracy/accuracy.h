#ifndef GT_APPS_STUDY_ACCURACY_ACCURACY_H
#define GT_APPS_STUDY_ACCURACY_ACCURACY_H
/* `gantry study accuracy`: cost and accuracy of the projectors, after Liu, Fu, De Man, Yu, "GPU-based branchless
 * distance-driven projection and backprojection", IEEE Trans. Comput. Imaging 3 (2017), section IV A and B. */
#include <gantry/projector.h>
#include "apps/study/study.h"

/* Its tables. */
enum {
	STUDY_TIMES = STUDY_OWN, STUDY_GUPS, STUDY_VIEWS_FORWARD, STUDY_VIEWS_BACK, STUDY_SIZE_FORWARD, STUDY_SIZE_BACK,
	STUDY_SLICES_FORWARD, STUDY_SLICES_BACK, STUDY_FEW_FORWARD, STUDY_FEW_BACK, STUDY_FORWARD_ERRORS, STUDY_FORWARD_0,
	STUDY_FORWARD_45, STUDY_BACK_ERRORS, STUDY_RANDOM, STUDY_RANDOM_CUBE, STUDY_BAR_ERRORS, STUDY_BAR, STUDY_BAR_DIFFERENCES = STUDY_BAR + 3,
	STUDY_HEAD = STUDY_BAR_DIFFERENCES + 3, STUDY_INTERPOLATION
};

/* Pictures of differences from the model in double. */
enum { STUDY_AT_0, STUDY_AT_45, STUDY_FROM_ONE, STUDY_FROM_ALL, STUDY_PICTURES };
/* Parts of the study that a variant takes part in. */
enum { IN_TIMES = 1, IN_GUPS = 2, IN_ACCURACY = 4, IN_SWEEPS = 8, IN_FEW = 16 }; /* IN_FEW: few slices */

/* A projector on a device. */
typedef struct {
	const gt_projector *projector;
	const char *spec;               /* its name with options */
	char backend[32], label[96];    /* "dd (16 threads)", "dd-bl (GPU)" */
	char key[48];                   /* for names of files: "dd-cpu", "dd-bl-gpu" */
	gt_type type;
	int gpu, threads;               /* threads: of the CPU */
	unsigned parts;
	double update;                  /* s for a voxel and a view, of the slower direction; 0: unknown */
	double window[STUDY_PICTURES];  /* windows of pictures of differences: -window to window; 0: no difference */
} study_variant;

typedef struct {
	const gt_projector *reference;  /* the first that supports the scan on the CPU */
	study_variant *variant;
	size_t variants, capacity;
	size_t shown[2];                /* the views at 0 and 45 degrees */
} study_accuracy_own;
static inline study_accuracy_own *accuracy_of(const study *s) { return (study_accuracy_own *)s->own; }

/* Finds the variants; projectors that refuse the scan are left out. */
gt_status study_find_variants(study *s);
/* The next variant of a part after v (NULL: the first); NULL after the last. */
study_variant *study_next(const study *s, const study_variant *v, unsigned part);
size_t study_count(const study *s, unsigned part);
/* The projector with the same entries that runs on the CPU. */
const char *study_model(const study_variant *v);

/* The problem of table III. */
const app_workload *study_cube(const study *s);

/* Times: tables II and III, then figures 7 to 10. Sweeps without the table of times measure long cases in full. */
size_t    study_times_steps(const study *s);
gt_status study_times(study *s);
gt_status study_gups(study *s);
gt_status study_views(study *s);
gt_status study_size(study *s);
gt_status study_slices(study *s);
gt_status study_few_slices(study *s);

/* Some voxels of a grid. */
typedef struct { size_t first[3], n[3]; } study_box;
size_t study_box_voxels(const study_box *b);
/* Inputs: a volume to project, and data of up to two scans (NULL: none) to backproject into boxes. */
typedef struct {
	const char *part;               /* its name */
	const gt_grid *grid;
	const gt_scan *forward;
	const float *volume;
	const gt_scan *back[2];
	const float *data;              /* shared by the scans, as long as the largest */
	const study_box *box;
	size_t boxes;
	int gpu_alone, no_reference;    /* gpu_alone: without the CPU's variants */
} study_experiment;
/* Results. back: box by box, [z][y][x]. from: of the model in double on the CPU; NULL: unwanted. */
typedef struct study_outputs {
	study_variant *variant;         /* NULL: a model */
	const char *model;
	double *forward, *back[2];
	const struct study_outputs *from;
} study_outputs;
typedef struct { study_outputs *of, *end, *reference; size_t references; } study_results;
/* Applies the variants of IN_ACCURACY, in order, without those left out. reference[0]: of the study's reference. */
gt_status study_compute(study *s, const study_experiment *e, study_results *r);
void      study_results_free(study_results *r);

/* Differences of x from a reference: root mean square, the largest and its index. size, peak: RMS and maximum of the
 * reference. relative: rmse / size. */
typedef struct { double rmse, relative, largest, size, peak; size_t at; } study_error;
study_error study_compare(const double *x, const double *reference, size_t n);

/* Ones and random numbers forward and back (on the scan, on the cube); the bar and the head. */
gt_status study_ones(study *s);
gt_status study_random_errors(study *s);
gt_status study_cube_errors(study *s);
gt_status study_bar(study *s);
gt_status study_head_error(study *s);
gt_status study_interpolation(study *s);            /* between two texels */
extern const double study_bar_angle[3];                 /* degrees */

void study_accuracy_figures(study *s);
void study_accuracy_parts(const study *s, study_page *p);
#endif
