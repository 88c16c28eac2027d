#ifndef GT_ANALYTIC_WFBP_WFBP_CUDA_CUH
#define GT_ANALYTIC_WFBP_WFBP_CUDA_CUH
/* CUDA side of helical weighted filtered backprojection: input of its kernels. Pointers are device addresses. */
#include "analytic/fbp/fbp_cuda.cuh"
#include "analytic/wfbp/wfbp.h"

struct gt_helix_device {
	struct gt_helix_detector detector;
	size_t rows, source_columns, spots, turns;
	double sense;
	const struct gt_helix_spot *spot;
	const struct gt_helix_view *view;
	const double *direction, *height, *fan, *column, *reach;
	double *z; /* [view][column] */
};

struct gt_helix_grid {
	size_t n[3];
	double first[3], pitch[3], radius, margin; /* margin: height above or below its source that no view exceeds */
	double flat;
	int extend;
};

/* Tables of a plan on the device. Views are those of a batch. */
struct gt_helix_tables {
	gt_backend *be;
	const gt_wfbp_plan *plan;
	struct gt_helix_device d;
	struct gt_helix_grid grid;
	struct gt_helix_view *host;
	struct gt_back_view *back_view; /* for the filter of rows */
	/* On the device, with sizes in bytes. */
	void *tables, *view, *z;
	size_t table_bytes, view_bytes, back_view_bytes, z_bytes;
};
/* tables: zeroed; the caller closes them also after a failure. The plan must live as long. */
gt_status gt_helix_tables_open(gt_backend *be, const gt_wfbp_plan *plan, struct gt_helix_tables *tables);
void      gt_helix_tables_close(struct gt_helix_tables *tables);
/* Transfers the records of the views of n bins from `first` on; returns their number. */
size_t    gt_helix_tables_send(struct gt_helix_tables *tables, size_t first, size_t n);

/* Finds the source views of column k of a parallel view, and the height of its source. */
static __device__ __forceinline__ void gt_helix_ray(const struct gt_helix_device &d, const struct gt_helix_view *w, size_t k,
                                                    struct gt_helix_tap *tap)
{
	const struct gt_helix_spot *spot = &d.spot[w->spot];
	gt_helix_find(d.direction + spot->first, d.height + spot->first, spot->views,
	              d.sense * (w->direction - GT_PI - d.fan[w->spot * d.detector.columns + k]), tap);
}

/* Finds the four detector columns around column k of a parallel view: returns the first. */
static __device__ __forceinline__ size_t gt_helix_pixels(const struct gt_helix_device &d, size_t spot, size_t k, double weight[4])
{
	const double column = d.column[spot * d.detector.columns + k];
	const size_t first = gt_helix_first(column > 0 ? (size_t)column : 0, d.source_columns);
	gt_lagrange_pixels(first, column, weight);
	return first;
}

/* Returns whether neither the source nor the cone of the view comes near these slices. */
static __device__ __forceinline__ int gt_helix_is_far(const struct gt_helix_device &d, const struct gt_helix_grid &g, size_t v, double low,
                                                      double high)
{
	const double *z = d.z + v * d.detector.columns, a = z[0], b = z[d.detector.columns - 1];
	return !d.view[v].used || fmin(a, b) - g.margin > high || fmax(a, b) + g.margin < low;
}

/* Filtered views as the backprojection reads them: [view][column][row], with the first and the last row repeated. */
size_t gt_helix_lines_bytes(size_t views, size_t rows, size_t wide, gt_type type);
/* Scratch: list of views near each chunk of slices. */
size_t gt_helix_list_bytes(size_t views, size_t slices);

/* Adds `bins` bins to x: copies filtered [view][row][pitch], `wide` columns, into lines. list and lines: scratch of the
 * sizes above. */
struct gt_helix_backproject {
	struct gt_helix_device d;
	struct gt_helix_grid g;
	size_t bins, wide, pitch;
	const void *filtered;
	void *lines, *x;
	unsigned *list;
};
void gt_helix_backproject_run(gt_backend *be, gt_type type, const struct gt_helix_backproject *s);

/* Transposed backprojection: sets filtered [view][row][filtered column] of the views of some bins from x. */
struct gt_helix_gather {
	struct gt_helix_device d;
	struct gt_helix_grid g;
	gt_type type;
	size_t wide, bins; /* bins at a time */
	/* Scratch on the device, with sizes in bytes. incomplete: [slices]. */
	void *share, *ends;
	unsigned char *incomplete;
	size_t share_bytes, ends_bytes;
};
/* s: zeroed; the caller closes it also after a failure. The tables must live as long. */
gt_status gt_helix_gather_open(gt_backend *be, const struct gt_helix_tables *tables, gt_type type, struct gt_helix_gather *s);
void      gt_helix_gather_close(gt_backend *be, struct gt_helix_gather *s);
/* bins: those of the batch whose views the tables hold, after gt_helix_unbin_prepare(). */
void      gt_helix_gather_run(gt_backend *be, const struct gt_helix_gather *s, size_t bins, const void *x, void *filtered);

/* Transposed rebinning: adds the parallel views [view][row][column] of n bins to data. */
struct gt_helix_unbin {
	const gt_wfbp_plan *plan;
	struct gt_helix_device d;
	gt_type type;
	size_t source_views;
	void *taps;      /* on the device, with sizes in bytes */
	unsigned *range;
	size_t tap_bytes, range_bytes;
};
gt_status gt_helix_unbin_open(gt_backend *be, const struct gt_helix_tables *tables, gt_type type, struct gt_helix_unbin *s);
void      gt_helix_unbin_close(gt_backend *be, struct gt_helix_unbin *s);
/* Finds the rays of the batch, and sets the heights of their sources. */
void      gt_helix_unbin_prepare(gt_backend *be, const struct gt_helix_unbin *s, size_t views);
void      gt_helix_unbin_run(gt_backend *be, const struct gt_helix_unbin *s, size_t first, size_t n, const void *samples, void *data);

#endif
