/* CUDA uploads: copies in a separate stream, which events order against the backend's queue. */
#include <stdlib.h>
#include <sys/mman.h>
#include <gantry/threads.h>
#include "core/device/cuda.cuh"
#include "core/device/upload_impl.h"

struct state {
	gt_backend *be;
	cudaStream_t copies;
	cudaEvent_t filled, used[GT_UPLOAD_BLOCKS];
};

static void close_(void *self)
{
	struct state *s = (struct state *)self;
	gt_cuda_queue(s->be);
	if (s->copies) {
		cudaStreamSynchronize(s->copies);
		cudaStreamDestroy(s->copies);
	}
	gt_backend_wait(s->be);
	if (s->filled)
		cudaEventDestroy(s->filled);
	for (int b = 0; b < GT_UPLOAD_BLOCKS; b++)
		if (s->used[b])
			cudaEventDestroy(s->used[b]);
	free(s);
}

static gt_status open_(gt_backend *be, void **out)
{
	struct state *s = (struct state *)calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for uploads");
	s->be = be;
	gt_cuda_queue(be);
	int failed = gt_cuda_check(be, cudaStreamCreateWithFlags(&s->copies, cudaStreamNonBlocking), "upload: stream") ||
	             gt_cuda_check(be, cudaEventCreateWithFlags(&s->filled, cudaEventDisableTiming), "upload: event");
	for (int b = 0; b < GT_UPLOAD_BLOCKS && !failed; b++)
		failed = gt_cuda_check(be, cudaEventCreateWithFlags(&s->used[b], cudaEventDisableTiming), "upload: event");
	if (failed) {
		close_(s);
		return gt_backend_status(be);
	}
	*out = s;
	return GT_OK;
}

/* waiting for an event that was never recorded returns at once */
static void put_(void *self, size_t block, const void *host, void *dst, size_t bytes)
{
	struct state *s = (struct state *)self;
	gt_cuda_queue(s->be);
	if (!gt_cuda_check(s->be, cudaStreamWaitEvent(s->copies, s->used[block], 0), "upload"))
		gt_cuda_check(s->be, cudaMemcpyAsync(dst, host, bytes, cudaMemcpyHostToDevice, s->copies), "upload");
}

static void wait_(void *self)
{
	struct state *s = (struct state *)self;
	gt_cuda_queue(s->be);
	gt_cuda_check(s->be, cudaStreamSynchronize(s->copies), "upload");
}

static void ready_(void *self)
{
	struct state *s = (struct state *)self;
	const cudaStream_t queue = gt_cuda_queue(s->be);
	if (!gt_cuda_check(s->be, cudaEventRecord(s->filled, s->copies), "upload"))
		gt_cuda_check(s->be, cudaStreamWaitEvent(queue, s->filled, 0), "upload");
}

static void used_(void *self, size_t block)
{
	struct state *s = (struct state *)self;
	gt_cuda_check(s->be, cudaEventRecord(s->used[block], gt_cuda_queue(s->be)), "upload");
}

#define PAGE ((size_t)4096)
#define HUGE_PAGE ((size_t)2 << 20)

static void touch(void *self, size_t begin, size_t end, int)
{
	for (volatile char *p = (volatile char *)self; begin < end; begin++)
		p[begin * PAGE] = 0;
}

/* Whether the device registers memory of the host. */
static int registers(void)
{
	int device, yes = 0;
	return cudaGetDevice(&device) == cudaSuccess &&
	       cudaDeviceGetAttribute(&yes, cudaDevAttrHostRegisterSupported, device) == cudaSuccess && yes;
}

/* Registering memory that exists in huge pages takes a quarter of the time of cudaHostAlloc(). */
static void *lock_(gt_backend *be, size_t bytes)
{
	const size_t page = bytes < HUGE_PAGE ? PAGE : HUGE_PAGE, all = bytes ? (bytes + PAGE - 1) / PAGE * PAGE : PAGE;
	void *p = NULL;
	gt_cuda_queue(be);
	if (!registers())
		return cudaHostAlloc(&p, all, cudaHostAllocDefault) == cudaSuccess ? p : NULL;
	if (posix_memalign(&p, page, all) != 0)
		return NULL;
	if (page == HUGE_PAGE)
		madvise(p, all, MADV_HUGEPAGE); /* failure is harmless */
	gt_parallel(gt_backend_pool(be), all / PAGE, page / PAGE, touch, p);
	if (cudaHostRegister(p, all, cudaHostRegisterDefault) == cudaSuccess)
		return p;
	cudaGetLastError();
	free(p);
	return NULL;
}

static void unlock_(gt_backend *be, void *p)
{
	gt_cuda_queue(be);
	if (!registers())
		gt_cuda_check(be, cudaFreeHost(p), "page-locked memory");
	else if (!gt_cuda_check(be, cudaHostUnregister(p), "page-locked memory"))
		free(p); /* otherwise a device may still write to it */
}

extern "C" const struct gt_upload_impl gt_upload_cuda = { open_, close_, put_, wait_, ready_, used_, lock_, unlock_ };
