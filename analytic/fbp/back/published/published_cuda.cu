/* Runs the published backprojections. Textures of a few views are filled from the filtered views for each launch; some
 * forms use a second volume with x and y exchanged. Memory on the device: the textures of at most 32 views, and that
 * volume. */
#include <stdlib.h>
#include "analytic/fbp/back/published/published.cuh"
#include "core/try.h"

/* Z' of the papers: default number of slices of a launch. */
static const unsigned slices_per_launch = 128;

/* y[z][y][x] += x[z][x][y], in squares in shared memory (Ruetsch, Micikevicius 2009). */
static __global__ void __launch_bounds__(256) put_back(unsigned nx, unsigned ny, const float *from, float *to)
{
	__shared__ float square[32][33];
	const unsigned across = (nx + 31) / 32, x0 = 32 * (blockIdx.x % across), y0 = 32 * (blockIdx.x / across % ((ny + 31) / 32));
	const size_t z = blockIdx.x / ((size_t)across * ((ny + 31) / 32)) * nx * ny;
	for (unsigned k = threadIdx.y; k < 32; k += 8)
		if (x0 + k < nx && y0 + threadIdx.x < ny)
			square[k][threadIdx.x] = from[z + (size_t)(x0 + k) * ny + y0 + threadIdx.x];
	__syncthreads();
	for (unsigned k = threadIdx.y; k < 32; k += 8)
		if (y0 + k < ny && x0 + threadIdx.x < nx)
			to[z + (size_t)(y0 + k) * nx + x0 + threadIdx.x] += square[threadIdx.x][k];
}

struct published {
	gt_backend *be;
	const struct gt_published_form *form;
	const struct gt_published_kernel *kernel;
	cudaArray_t array[MAX_VIEWS];
	cudaTextureObject_t texture[MAX_VIEWS];
	unsigned arrays, textures; /* allocated numbers */
	float *turned;             /* volume with x and y exchanged */
	size_t turned_bytes;
};

static const struct gt_published_kernel *kernel_of(const struct gt_published_form *form, const gt_fbp_plan *p)
{
	const unsigned views = p->launch.views ? p->launch.views : form->views;
	const struct gt_published_kernel *k = form->kernel;
	while (k->views && k->views != views)
		k++;
	return k->views ? k : NULL;
}

const char *gt_published_choose(const struct gt_published_form *form, const gt_fbp_plan *p, gt_type type, struct gt_back_choice *c)
{
	c->layout = { 0, p->row.wide, 0 };
	if (type != GT_F32)
		return "expected single precision";
	if (p->shape == GT_ARC)
		return "expected a flat detector or a parallel beam, not an arc";
	if (!p->clamp_rows)
		return "expected rows=clamp";
	if (p->row.wide > 32768 || p->rows > 32768)
		return "expected at most 32768 rows and columns, which is what a layered texture holds";
	if ((form->flags & CIRCLE) && p->tilted)
		return "expected rows of the detector parallel to slices";
	return kernel_of(form, p) ? NULL : form->other;
}

void gt_published_close(void *self)
{
	struct published *s = (struct published *)self;
	gt_backend_wait(s->be);
	while (s->textures)
		cudaDestroyTextureObject(s->texture[--s->textures]);
	while (s->arrays)
		cudaFreeArray(s->array[--s->arrays]);
	gt_backend_free(s->be, s->turned, s->turned_bytes);
	free(s);
}

cudaError_t gt_published_texture(struct cudaExtent size, cudaArray_t *array, cudaTextureObject_t *texture)
{
	const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	struct cudaResourceDesc resource = {};
	struct cudaTextureDesc how = {};
	const cudaError_t e = cudaMalloc3DArray(array, &format, size, size.depth ? cudaArrayLayered : 0);
	if (e != cudaSuccess)
		return e;
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = *array;
	how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
	how.filterMode = cudaFilterModeLinear;
	how.readMode = cudaReadModeElementType;
	return cudaCreateTextureObject(texture, &resource, &how, NULL);
}

static gt_status make_textures(struct published *s, const gt_fbp_plan *p)
{
	const unsigned views = s->kernel->views, separate = (s->form->flags & SEPARATE) != 0;
	cudaError_t e = cudaSuccess;
	while (s->textures < (separate ? views : 1) && e == cudaSuccess) {
		e = gt_published_texture(make_cudaExtent(p->row.wide, p->rows, separate ? 0 : views), &s->array[s->arrays],
		                         &s->texture[s->textures]);
		s->arrays += s->array[s->arrays] != NULL;
		s->textures += e == cudaSuccess;
	}
	return e == cudaSuccess
	               ? GT_OK
	               : gt_fail(GT_ERR_MEMORY, "textures of %zu x %zu x %u: %s", p->row.wide, p->rows, views, cudaGetErrorString(e));
}

/* Registers times threads may exceed the registers of a multiprocessor. */
static gt_status check_block(const gt_fbp_plan *p, const struct gt_published_kernel *k)
{
	const unsigned *block = p->launch.block;
	const char *name = gt_kernel_names[p->kernel];
	struct cudaFuncAttributes a, turned;
	cudaError_t e = cudaFuncGetAttributes(&a, k->straight);
	if (e == cudaSuccess && k->turned)
		e = cudaFuncGetAttributes(&turned, k->turned);
	if (e != cudaSuccess)
		return gt_fail(GT_ERR_DEVICE, "kernel=%s: %s", name, cudaGetErrorString(e));
	if (k->turned && turned.maxThreadsPerBlock < a.maxThreadsPerBlock)
		a = turned;
	if (block[0] * block[1] <= (unsigned)a.maxThreadsPerBlock)
		return GT_OK;
	return gt_fail(
		GT_ERR_UNSUPPORTED,
		"kernel=%s: block=%ux%u is %u threads of %d registers each with views=%u: expected at most %d threads, which this device has registers for",
		name, block[0], block[1], block[0] * block[1], a.numRegs, k->views, a.maxThreadsPerBlock);
}

gt_status gt_published_open(gt_backend *be, const gt_fbp_plan *p, const struct gt_published_form *form, void **out)
{
	struct published *s = (struct published *)calloc(1, sizeof *s);
	gt_status st = GT_OK;
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for filtered backprojection");
	s->be = be;
	s->form = form;
	s->kernel = kernel_of(form, p);
	gt_cuda_queue(be);
	GT_TRY(check_block(p, s->kernel));
	if (!be->dry_run)
		GT_TRY(make_textures(s, p));
	if (s->kernel->turned) {
		s->turned_bytes = gt_grid_voxels(&p->grid) * sizeof *s->turned;
		if (!(s->turned = (float *)gt_backend_alloc(be, s->turned_bytes, "a volume with x and y exchanged")))
			st = GT_ERR_MEMORY;
	}
	*out = s;
done:
	if (st != GT_OK)
		gt_published_close(s);
	return st;
}

/* In double, from the centre of the grid. */
static struct gt_view_matrix matrix_of(const gt_fbp_plan *p, const struct gt_back_view *w)
{
	const gt_grid *g = &p->grid;
	double rows[12];
	for (int a = 0; a < 3; a++) {
		const double depth = p->shape == GT_PARALLEL || a == 2 ? 0 : w->depth[a];
		rows[8 + a] = depth;
		rows[a] = w->column0 * depth + (a < 2 ? w->across[a] : 0);
		rows[4 + a] = w->row0 * depth + (a == 2 ? w->per_row : 0);
	}
	rows[11] = p->shape == GT_PARALLEL ? 1 : w->depth[2];
	rows[3] = w->column0 * rows[11] + w->across[2];
	rows[7] = w->row0 * rows[11] - w->z0 * w->per_row;
	const double *m = p->tilted ? w->matrix : rows;
	struct gt_view_matrix out;
	for (int r = 0; r < 3; r++) {
		out.m[4 * r + 3] = (float)gt_back_dot(m + 4 * r, g->center[0], g->center[1], g->center[2]);
		for (int a = 0; a < 3; a++)
			out.m[4 * r + a] = (float)(m[4 * r + a] * g->pitch[a]);
	}
	return out;
}

/* Copies views into the layers of the texture. */
static cudaError_t fill_texture(const struct published *s, const struct gt_back_call *c, const size_t *view, unsigned count)
{
	cudaError_t e = cudaSuccess;
	const size_t row = c->layout.pitch * sizeof(float);
	for (unsigned i = 0; i < count && e == cudaSuccess; i++) {
		struct cudaMemcpy3DParms copy = {};
		copy.srcPtr = make_cudaPitchedPtr((char *)c->filtered + view[i] * row * c->plan->rows, row, c->plan->row.wide,
		                                  c->plan->rows);
		copy.dstArray = s->array[s->arrays > 1 ? i : 0];
		copy.dstPos = make_cudaPos(0, 0, s->arrays > 1 ? 0 : i);
		copy.extent = make_cudaExtent(c->plan->row.wide, c->plan->rows, 1);
		copy.kind = cudaMemcpyDeviceToDevice;
		e = cudaMemcpy3DAsync(&copy, gt_cuda_queue(c->be));
	}
	return e;
}

static struct published_in in_of(const struct gt_back_call *c, float *out)
{
	const gt_fbp_plan *p = c->plan;
	struct published_in in;
	for (int a = 0; a < 3; a++) {
		in.n[a] = (unsigned)p->grid.n[a];
		in.middle[a] = 0.5f * (float)(p->grid.n[a] - 1);
	}
	for (int a = 0; a < 2; a++) {
		in.pitch[a] = (float)p->grid.pitch[a];
		in.center[a] = (float)(p->center[a] - p->grid.center[a]);
	}
	in.radius = (float)p->radius;
	in.wide = (unsigned)p->row.wide;
	in.out = out;
	return in;
}

static void launch(const struct published *s, const struct gt_back_call *c, const size_t *view, unsigned count, int turned)
{
	const gt_launch *l = &c->plan->launch;
	struct published_in in = in_of(c, turned ? s->turned : (float *)c->x);
	struct gt_view_matrix views[MAX_VIEWS];
	void *arguments[] = { &in, views, (void *)s->texture };
	const unsigned blocks = (in.n[0] + l->block[0] - 1) / l->block[0] * ((in.n[1] + l->block[1] - 1) / l->block[1]);
	const int lanes_y = (s->form->flags | (turned ? TRANSPOSED : 0)) & LANES_Y;
	const dim3 threads(l->block[lanes_y ? 1 : 0], l->block[lanes_y ? 0 : 1]);
	const unsigned slices = l->slices ? l->slices : slices_per_launch;
	in.count = count;
	for (unsigned i = 0; i < s->kernel->views; i++)
		views[i] = matrix_of(c->plan, &c->host[view[i < count ? i : 0]]);
	if (gt_cuda_check(c->be, fill_texture(s, c, view, count), "backprojection: texture"))
		return;
	for (in.from = 0; in.from < in.n[2] && c->be->status == GT_OK; in.from += slices) {
		in.to = in.n[2] - in.from > slices ? in.from + slices : in.n[2];
		gt_cuda_check(c->be,
		              cudaLaunchKernel(turned ? s->kernel->turned : s->kernel->straight, dim3(blocks), threads, arguments, 0,
		                               gt_cuda_queue(c->be)),
		              "backprojection by textures");
	}
}

/* Returns whether the central ray runs more along y than along x. */
static int along_y(const gt_fbp_plan *p, const struct gt_back_view *w)
{
	const double *d = p->tilted ? w->matrix + 8 : w->depth;
	return fabs(d[1]) > fabs(d[0]);
}

/* Processes all views of the batch in groups; with a turned volume, views along y separately. */
static void run_groups(const struct published *s, const struct gt_back_call *c)
{
	for (int pass = 0; pass < (s->turned ? 2 : 1); pass++) {
		size_t view[MAX_VIEWS];
		unsigned count = 0;
		for (size_t v = 0; v <= c->views && c->be->status == GT_OK; v++) {
			if (v < c->views && (!s->turned || along_y(c->plan, &c->host[v]) == pass))
				view[count++] = v;
			if (count < s->kernel->views && (v < c->views || !count))
				continue;
			launch(s, c, view, count, pass);
			count = 0;
		}
	}
}

void gt_published_run(void *self, const struct gt_back_call *c)
{
	const struct published *s = (const struct published *)self;
	const size_t *n = c->plan->grid.n;
	cudaStream_t queue = gt_cuda_queue(c->be);
	if (s->turned && gt_cuda_check(c->be, cudaMemsetAsync(s->turned, 0, s->turned_bytes, queue), "backprojection"))
		return;
	run_groups(s, c);
	if (!s->turned || c->be->status != GT_OK)
		return;
	put_back<<<(unsigned)((n[0] + 31) / 32 * ((n[1] + 31) / 32) * n[2]), dim3(32, 8), 0, queue>>>((unsigned)n[0], (unsigned)n[1],
	                                                                                              s->turned, (float *)c->x);
	gt_cuda_check(c->be, cudaGetLastError(), "backprojection: transposition");
}
