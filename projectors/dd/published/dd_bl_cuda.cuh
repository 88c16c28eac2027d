#ifndef GT_PROJECTORS_DD_PUBLISHED_DD_BL_CUDA_CUH
#define GT_PROJECTORS_DD_PUBLISHED_DD_BL_CUDA_CUH
/* Common code of dd-bl and dd-bz on CUDA: textures of integral images in scratch, and the operator's state. */
#include "core/device/cuda.cuh"
#include "projectors/dd/published/dd_bl.h"

/* A texture holds several stacked images, so that a warp seldom switches textures. */
typedef struct {
	const cudaTextureObject_t *texture;
	int images, rows;               /* per texture; rows of nodes per image */
} gt_dd_stack;

/* Iterates over the images. */
struct gt_dd_walk {
	const cudaTextureObject_t *at;
	int left;
	float row;
	__device__ gt_dd_walk(const gt_dd_stack &s, int image) : at(s.texture + image / s.images), left(s.images - image % s.images),
		row((float)(image % s.images * s.rows) + 0.5f) {}
	__device__ void next(const gt_dd_stack &s)
	{
		row += (float)s.rows;
		if (--left == 0) {
			left = s.images;
			row = 0.5f;
			at++;
		}
	}
	/* Integral up to (column, row) inside the image, without the constant. */
	__device__ float sum(float c, float r) const { return tex2D<float>(*at, c + 0.5f, r + row); }
};

typedef struct {
	gt_dd_branchless images;
	gt_dd_screen *screen;           /* [views] */
	size_t screen_bytes;
	gt_dd_stack slices[2], views[2];
	cudaTextureObject_t *texture, *on_host;   /* all textures, on the backend and on the host */
	size_t textures;
	const void *bound;              /* scratch of these textures */
	gt_dd_bz_options column;        /* dd-bz alone */
} gt_dd_bl;

#ifdef __cplusplus
extern "C" {
#endif
gt_status gt_dd_bl_make   (gt_backend *be, const gt_dd *d, const gt_dd_setup *s, gt_type t, void **state);
void      gt_dd_bl_free   (gt_backend *be, void *state);
size_t    gt_dd_bl_scratch(gt_backend *be, const gt_dd *d, void *state, gt_type t);
void      gt_dd_bl_forward(gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *x, void *y);
double    gt_dd_bl_images (gt_backend *be, const gt_dd *d, void *state, gt_type t, int kind, const void *in);
/* Backprojection; `each` adds a batch of views to the volume. */
void      gt_dd_bl_back   (gt_backend *be, const gt_dd *d, void *state, gt_type t, const void *y, gt_dd_each *each, void *x);
#ifdef __cplusplus
}
#endif
#endif
