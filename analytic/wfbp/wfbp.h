#ifndef GT_ANALYTIC_WFBP_WFBP_H
#define GT_ANALYTIC_WFBP_WFBP_H
/* Helical weighted filtered backprojection; private to analytic/. Options -> plan (host, double) -> batches of parallel
 * views through a backend. Stierstorfer, Rauscher, Boese, Bruder, Schaller, Flohr, Phys. Med. Biol. 49 (2004) 2209. */
#include "analytic/fbp/fbp.h"
#include "analytic/wfbp/wfbp_math.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef enum { GT_ENDS_EXTEND, GT_ENDS_ZERO } gt_ends;
typedef struct { int filter; double cutoff, flat; int extend, ends, mask; } gt_wfbp_options;
extern const gt_analytic gt_analytic_wfbp;

enum { GT_MAX_SPOTS = 8 };

/* Parallel view j has the direction first_direction + j step and uses the rays of spot j % spots. The views of a bin, j
 * and j + k bins, have equal or opposite directions: they share a voxel by their row weights. A batch consists of whole
 * bins: view b turns + k is bin first + b, half rotation k. */
typedef struct {
	gt_grid grid;
	size_t rows, source_columns, source_views;      /* sizes of the scan, after gt_wfbp_plan_trim() of the used views */
	size_t source_first;                    /* first used view */
	struct gt_helix_detector detector;
	double radius;                          /* columns of voxels outside this circle stay 0; INFINITY: none */
	size_t spots;
	struct gt_helix_spot spot[GT_MAX_SPOTS];
	double sense;                           /* 1: the source rotates counter-clockwise */
	/* [source_views]: sense x direction of the source, its height; by spot */
	double *direction, *z;
	/* [spots][columns]: fan angle, detector column, distance source to pixel in the x-y plane */
	double *fan, *column, *reach;
	double first_direction, step;
	size_t views, bins, turns;              /* parallel views; per half rotation; half rotations begun */
	double flat;                            /* q of the row weights */
	int extend;                             /* voxels that no view of a bin sees take the nearest row */
	unsigned char *incomplete;              /* [slices] */
	/* table feed per height of the rows at the axis; what the radius below allows */
	double pitch, limit;
	double complete_radius;                 /* radius of the voxels that determine whether a slice is complete */
	size_t batch;                           /* bins */
	gt_fbp_plan *filter;                 /* row filter of one batch */
} gt_wfbp_plan;

/* GT_ERR_UNSUPPORTED names the missing property. Excludes the filter: see gt_wfbp_plan_filter(). */
gt_status gt_wfbp_plan_new(const gt_grid *grid, const gt_scan *scan, const gt_wfbp_options *o, gt_pool *pool, gt_wfbp_plan **plan);
gt_status gt_wfbp_plan_filter(gt_wfbp_plan *plan, const gt_wfbp_options *o, double row_pitch, size_t batch);
void      gt_wfbp_plan_free(gt_wfbp_plan *plan);
/* For the making of a plan. seen: radius of the field of view; rise: mm of z per rad. */
double    gt_wfbp_nearest(const gt_wfbp_plan *plan);     /* distance from source to axis of the nearest spot */
gt_status gt_wfbp_plan_complete(gt_wfbp_plan *plan, const gt_scan *scan, gt_pool *pool, double rise, double seen);
/* Omits the parallel views that the grid does not need, and then unused views of the scan. Call it before the filter is
 * made. Only the order of sums in the result changes. */
void      gt_wfbp_plan_trim(gt_wfbp_plan *plan);
/* Finds the used views that parallel views from ... from+n-1 need: first ... end-1, with some to spare. They count from
 * source_first on, by spot. */
void      gt_wfbp_plan_sources(const gt_wfbp_plan *plan, size_t from, size_t n, size_t *first, size_t *end);
/* Returns view b turns + k of the batch that begins with bin `first`. */
struct gt_helix_view gt_wfbp_view(const gt_wfbp_plan *plan, size_t first, size_t i);
/* Finds the longest run of complete slices: first ... end-1; equal if there is none. */
void      gt_wfbp_complete(const gt_wfbp_plan *plan, size_t *first, size_t *end);
/* Finds the range of z in which every slice would be complete; low > high if there is none: then the sources' range. */
gt_status gt_wfbp_range(const gt_wfbp_plan *plan, gt_pool *pool, double *low, double *high);

/* Operations of a backend, for data and x of one type. */
struct gt_wfbp_impl {
	size_t    (*view_bytes)(const gt_wfbp_plan *plan, gt_type type);    /* approximate scratch per parallel view */
	gt_status (*open)(gt_backend *be, const gt_wfbp_plan *plan, gt_type type, void **state);
	/* Rebins and filters n bins from `first` on of data [view][row][column] into the scratch. data begins with view
	 * source_first of the scan. */
	void      (*filter)(void *state, size_t first, size_t n, const void *data);
	/* Adds them to x. */
	void      (*back)(void *state, size_t first, size_t n, void *x);
	void      (*close)(void *state);
};
extern const struct gt_wfbp_impl gt_wfbp_cpu, gt_wfbp_cuda;
/* Plans, without views that are not used. GT_ERR_UNSUPPORTED: no slice is complete. */
gt_status gt_wfbp_plan_used(gt_backend *be, const gt_grid *grid, const gt_scan *scan, const gt_wfbp_options *o, gt_wfbp_plan **plan);
/* Plans the filter for at least this number of batches, which fit into the memory. Opens the state of the backend. */
gt_status gt_wfbp_open(gt_backend *be, gt_wfbp_plan *plan, const gt_wfbp_options *o, double row_pitch, gt_type type, size_t batches,
                       void **state);
/* Returns the first used view in an array of all views. */
static inline void *gt_wfbp_used(const gt_wfbp_plan *p, const gt_array *data)
{
	return (char *)data->data + p->source_first * p->rows * p->source_columns * gt_type_size(data->type);
}

/* Rays and pixels around a column of a parallel view. */
struct gt_wfbp_tap {
	struct gt_helix_tap ray;
	size_t column;
	double weight[4];
};
/* Finds those of column k; returns the height of the source. */
double gt_wfbp_find_tap(const gt_wfbp_plan *plan, const struct gt_helix_view *w, size_t k, struct gt_wfbp_tap *tap);

/* Exact transpose of rebinning, filter and backprojection of a plan, which must live as long: sets data from x. */
struct gt_wfbp_transpose {
	gt_status (*open)(gt_backend *be, const gt_wfbp_plan *plan, gt_type type, void **state);
	void      (*run)(void *state, const void *x, void *data);
	void      (*close)(void *state);
};
extern const struct gt_wfbp_transpose gt_wfbp_transpose_cpu, gt_wfbp_transpose_cuda;
/* wfbp for gt_analytic_linop(). The backend is locked. */
gt_status gt_wfbp_linop(gt_backend *be, gt_type type, const gt_grid *grid, const gt_scan *scan, const gt_wfbp_options *o, gt_linop **A);

#ifdef __cplusplus
}
#endif
#endif
