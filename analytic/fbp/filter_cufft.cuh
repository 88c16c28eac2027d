#ifndef GT_ANALYTIC_FBP_FILTER_CUFFT_CUH
#define GT_ANALYTIC_FBP_FILTER_CUFFT_CUH
/* State of the filter of rows on CUDA, for the filter and its transpose. */
#include "analytic/fbp/filter_rows.cuh"
#include "core/fft/cufft.cuh"

#define LANES 256 /* threads of a block, which processes one row */

struct gt_row_filter {
	gt_backend *be;
	const gt_fbp_plan *plan;
	gt_type type;
	gt_layout layout;
	int block;    /* one kernel without cuFFT */
	size_t chunk; /* rows per transform */
	cufftHandle forth, back;
	int has_forth, has_back;
	/* On the device, with sizes in bytes. */
	void *line, *work, *mean, *preweight, *response, *tail;
	double *table;
	size_t line_bytes, work_bytes, mean_bytes, preweight_bytes, response_bytes, tail_bytes, table_bytes;
};

/* Transforms the first `rows` lines, multiplies them by the response and transforms them back. Returns 0 after a
 * failure. */
int gt_row_filter_transform(struct gt_row_filter *f, unsigned rows);

#endif
