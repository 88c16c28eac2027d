/* CUDA downloads: copies in a separate stream, which an event orders after the backend's queue. */
#include <stdlib.h>
#include "core/device/cuda.cuh"
#include "core/device/download_impl.h"

struct state {
	gt_backend *be;
	cudaStream_t copies;
	cudaEvent_t computed;
};

static void close_(void *self)
{
	struct state *s = (struct state *)self;
	gt_cuda_queue(s->be);
	if (s->copies) {
		cudaStreamSynchronize(s->copies);
		cudaStreamDestroy(s->copies);
	}
	if (s->computed)
		cudaEventDestroy(s->computed);
	free(s);
}

static gt_status open_(gt_backend *be, void **out)
{
	struct state *s = (struct state *)calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for downloads");
	s->be = be;
	gt_cuda_queue(be);
	if (gt_cuda_check(be, cudaStreamCreateWithFlags(&s->copies, cudaStreamNonBlocking), "download: stream") ||
	    gt_cuda_check(be, cudaEventCreateWithFlags(&s->computed, cudaEventDisableTiming), "download: event")) {
		close_(s);
		return gt_backend_status(be);
	}
	*out = s;
	return GT_OK;
}

static void get_(void *self, const void *src, void *host, size_t bytes)
{
	struct state *s = (struct state *)self;
	const cudaStream_t queue = gt_cuda_queue(s->be);
	if (!gt_cuda_check(s->be, cudaEventRecord(s->computed, queue), "download") &&
	    !gt_cuda_check(s->be, cudaStreamWaitEvent(s->copies, s->computed, 0), "download"))
		gt_cuda_check(s->be, cudaMemcpyAsync(host, src, bytes, cudaMemcpyDeviceToHost, s->copies), "download");
}

static void take_(void *self, const void *src, void *host, size_t bytes)
{
	struct state *s = (struct state *)self;
	gt_cuda_queue(s->be);
	gt_cuda_check(s->be, cudaMemcpyAsync(host, src, bytes, cudaMemcpyDeviceToHost, s->copies), "download");
}

static void wait_(void *self)
{
	struct state *s = (struct state *)self;
	gt_cuda_queue(s->be);
	gt_cuda_check(s->be, cudaStreamSynchronize(s->copies), "download");
}

extern "C" const struct gt_download_impl gt_download_cuda = { open_, close_, get_, take_, wait_ };
