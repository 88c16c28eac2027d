/* Copies filtered images on the device into the layout of the backprojection. */
#include "analytic/fbp/fbp_cuda.cuh"

#define LANES 256 /* threads of a block: 128, 256, 512 */

struct places {
	size_t rows, columns, pitch, below; /* size of an image; samples of a row; rows before the first of the image */
};

/* One block per row of the layout, in a grid-stride loop. */
template <typename T>
static __global__ void __launch_bounds__(LANES) place(struct places p, size_t lines, size_t per_view, const float *images, T *out)
{
	for (size_t line = blockIdx.x; line < lines; line += gridDim.x) {
		const size_t v = line / per_view, l = line % per_view;
		const int inside = l >= p.below && l - p.below < p.rows;
		const float *in = images + (v * p.rows + (inside ? l - p.below : 0)) * p.columns;
		for (size_t k = threadIdx.x; k < p.pitch; k += LANES)
			out[line * p.pitch + k] = inside && k >= 1 && k - 1 < p.columns ? (T)in[k - 1] : (T)0;
	}
}

void gt_upload_images(gt_backend *be, const gt_fbp_plan *plan, gt_type type, const gt_layout *layout, size_t n, const float *images,
                      void *filtered)
{
	const struct places p = { plan->rows - 2, plan->columns, layout->pitch, layout->pad + 1 };
	const size_t per_view = plan->rows + 2 * layout->pad, lines = n * per_view;
	const unsigned blocks = (unsigned)(lines < 65536 ? lines : 65536);
	if (type == GT_F32)
		place<float><<<blocks, LANES, 0, gt_cuda_queue(be)>>>(p, lines, per_view, images, (float *)filtered);
	else
		place<double><<<blocks, LANES, 0, gt_cuda_queue(be)>>>(p, lines, per_view, images, (double *)filtered);
	gt_cuda_check(be, cudaGetLastError(), "placing images");
}
