#ifndef GT_PROJECTORS_SF_SF_DERIVATIVE_BACK_CUH
#define GT_PROJECTORS_SF_SF_DERIVATIVE_BACK_CUH
/* Transpose of the derivative of sf-tr on CUDA: see sf_derivative_cuda.cu. */
#include "projectors/sf/sf_derivative_lines.cuh"

#ifndef GT_SF_LINE_BLOCKS /* minimum blocks of columns per multiprocessor: 1 to 4 */
#define GT_SF_LINE_BLOCKS 3
#endif

enum { MAX_BLOCKS = 256 /* per view and kernel */ };
static size_t blocks_for(size_t all)
{
	const size_t blocks = gt_pixel_blocks(all);
	return blocks < MAX_BLOCKS ? blocks : (size_t)MAX_BLOCKS;
}
static size_t pixel_blocks(const gt_sf *d) { return blocks_for(pixels_of(d)); }
static size_t line_blocks(const gt_sf *d) { return blocks_for((size_t)d->n[0] * d->n[1]); }
static size_t batch_views(const gt_sf *d, gt_type t)
{
	const size_t most = max_batch / (pixels_of(d) * gt_type_size(t));
	return most < 1 ? 1 : most < d->views ? most : d->views;
}

/* A batch of views of the transpose. image: [view of the batch][ascending row][column], data times slants. part:
 * [view][blocks][GT_VELOCITIES], first those of pixels, then those of voxels. */
template <typename T> struct sf_back_batch {
	gt_sf_derivative d;
	size_t first, of_pixels, of_voxels;
	const T *x, *y, *projections;
	T *image;
	double *part;
};
template <typename T> static __global__ void __launch_bounds__(GT_PIXEL_BLOCK) slant_pixels(sf_back_batch<T> b)
{
	__shared__ gt_sf_pose pose;
	const struct sf_view_block at = place_of(b.first, b.of_pixels);
	const gt_sf *d = &b.d.d;
	const gt_sf_view *v = &d->view[at.view];
	const size_t all = (size_t)d->rows * d->columns;
	double by[GT_VELOCITIES];
	for (int c = 0; c < GT_VELOCITIES; c++)
		by[c] = 0;
	if (threadIdx.x == 0)
		pose = gt_sf_pose_of(&b.d, at.view);
	__syncthreads();
	for (size_t i = at.block * GT_PIXEL_BLOCK + threadIdx.x; i < all; i += b.of_pixels * GT_PIXEL_BLOCK) {
		const int k = (int)(i % d->columns), l = (int)(i / d->columns);
		const size_t pixel = gt_sf_pixel(d, v, at.view, l, k);
		const double value = b.y[pixel];
		double turn[GT_VELOCITIES];
		const double slant = gt_sf_slant_by(&pose, k, l, turn), plain = (double)b.projections[pixel] / slant;
		b.image[(at.view - b.first) * all + i] = (T)(slant * value);
		for (int c = 0; c < GT_VELOCITIES; c++)
			by[c] += turn[c] * (value * plain);
	}
	gt_add_block(by, b.part + (at.view * (b.of_pixels + b.of_voxels) + at.block) * GT_VELOCITIES);
}

/* Sets the shared pose and view, and clears the sums of a thread. Returns 0 if the view is of the other kind. */
static __device__ __forceinline__ int begin_voxels(const gt_sf_derivative *d, size_t view, int upright, gt_sf_pose *pose, gt_sf_view *v,
                                                   double in_frame[GT_VELOCITIES])
{
	if (!d->d.view[view].upright == upright)
		return 0;
	if (threadIdx.x == 0) {
		*pose = gt_sf_pose_of(d, view);
		*v = d->d.view[view];
	}
	__syncthreads();
	for (int c = 0; c < GT_VELOCITIES; c++)
		in_frame[c] = 0;
	return 1;
}
/* Turns the sums of the threads out of the frame and adds them. */
template <typename T>
static __device__ __forceinline__ void add_voxels(const sf_back_batch<T> &b, const struct sf_view_block &at, const gt_sf_pose *pose,
                                                  const double *in_frame)
{
	double by[GT_VELOCITIES];
	for (int c = 0; c < GT_VELOCITIES; c++)
		by[c] = 0;
	gt_sf_out_of_frame(pose, 1, in_frame, by);
	gt_add_block(by, b.part + (at.view * (b.of_pixels + b.of_voxels) + b.of_pixels + at.block) * GT_VELOCITIES);
}

/* The upright views of a batch: one thread per column of voxels. */
template <typename T> static __global__ void __launch_bounds__(GT_PIXEL_BLOCK, GT_SF_LINE_BLOCKS) gather_lines(sf_back_batch<T> b)
{
	__shared__ gt_sf_pose pose;
	__shared__ gt_sf_view v;
	const struct sf_view_block at = place_of(b.first, b.of_voxels);
	const gt_sf *d = &b.d.d;
	const size_t slice = (size_t)d->n[0] * d->n[1];
	double in_frame[GT_VELOCITIES];
	if (!begin_voxels(&b.d, at.view, 1, &pose, &v, in_frame))
		return;
	for (size_t i = at.block * GT_PIXEL_BLOCK + threadIdx.x; i < slice; i += b.of_voxels * GT_PIXEL_BLOCK) {
		const int x = (int)(i % d->n[0]), y = (int)(i / d->n[0]);
		gt_sf_footprint s;
		gt_sf_line line;
		if (gt_sf_footprint_at(d, &v, x, y, &s) &&
		    lines<T>::gather(d, &s, b.x + i, b.image + (at.view - b.first) * d->rows * d->columns, &line))
			gt_sf_line_back(d, &v, &pose, x, y, &line, in_frame);
	}
	add_voxels(b, at, &pose, in_frame);
}

/* The other views of a batch. */
template <typename T> static __global__ void __launch_bounds__(GT_PIXEL_BLOCK) gather_voxels(sf_back_batch<T> b)
{
	__shared__ gt_sf_pose pose;
	__shared__ gt_sf_view v;
	const struct sf_view_block at = place_of(b.first, b.of_voxels);
	const gt_sf *d = &b.d.d;
	const size_t slice = (size_t)d->n[0] * d->n[1];
	double in_frame[GT_VELOCITIES], change[GT_SF_QUANTITIES];
	if (!begin_voxels(&b.d, at.view, 0, &pose, &v, in_frame))
		return;
	for (size_t i = at.block * GT_PIXEL_BLOCK + threadIdx.x; i < slice * d->n[2]; i += b.of_voxels * GT_PIXEL_BLOCK) {
		const int voxel[3] = { (int)(i % d->n[0]), (int)(i / d->n[0] % d->n[1]), (int)(i / slice) };
		const double value = b.x[i];
		gt_sf_voxel s;
		if (value != 0 && gt_sf_snapped_voxel(d, &v, voxel[0], voxel[1], voxel[2], &s) &&
		    gt_sf_gather(d, &s, value, b.image + (at.view - b.first) * d->rows * d->columns, sizeof(T) == sizeof(float), change))
			gt_sf_changes_back(d, &v, &pose, voxel, change, in_frame);
	}
	add_voxels(b, at, &pose, in_frame);
}

/* Bytes of gt_scratch(): first the scratch of the projector, which then holds the sums of blocks and a batch of images.
 * The projections are after them. */
static size_t part_bytes(const gt_sf *d)
{
	return (d->views * (pixel_blocks(d) + line_blocks(d)) * GT_VELOCITIES * sizeof(double) + 255) / 256 * 256;
}
static size_t projections_at(const gt_sf_derivative *d)
{
	const size_t own = part_bytes(&d->d) + batch_views(&d->d, d->type) * pixels_of(&d->d) * gt_type_size(d->type);
	const size_t other = d->projector->scratch(d->be, &d->d, d->state, d->type);
	return ((own > other ? own : other) + 255) / 256 * 256;
}

template <typename T> static void gather(const gt_sf_derivative *d, const T *x, const T *y, double *velocity)
{
	char *scratch = (char *)gt_scratch(d->be);
	T *projections = (T *)(scratch + projections_at(d));
	T *image = (T *)(scratch + part_bytes(&d->d));
	sf_back_batch<T> b = { *d, 0, pixel_blocks(&d->d), line_blocks(&d->d), x, y, projections, image, (double *)scratch };
	const size_t most = batch_views(&d->d, d->type), all = d->d.views * GT_VELOCITIES;
	cudaStream_t queue = gt_cuda_queue(d->be);
	d->projector->forward(d->be, &d->d, d->state, d->type, x, projections);
	for (; b.first < d->d.views; b.first += most) {
		const size_t views = d->d.views - b.first < most ? d->d.views - b.first : most;
		slant_pixels<T><<<(unsigned)(b.of_pixels * views), GT_PIXEL_BLOCK, 0, queue>>>(b);
		gather_lines<T><<<(unsigned)(b.of_voxels * views), GT_PIXEL_BLOCK, 0, queue>>>(b);
		if (d->d.tilted)
			gather_voxels<T><<<(unsigned)(b.of_voxels * views), GT_PIXEL_BLOCK, 0, queue>>>(b);
	}
	gt_add_pixel_blocks<<<(unsigned)pieces(all, (size_t)GT_PIXEL_BLOCK), GT_PIXEL_BLOCK, 0, queue>>>(all, b.of_pixels + b.of_voxels,
	                                                                                                   b.part, velocity);
	gt_cuda_check(d->be, cudaGetLastError(), "transpose of the derivative by motions");
}
#endif
