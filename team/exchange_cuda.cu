/* Exchange between devices of one process. Each rank pulls its blocks from the peers' memory in its own queue, after
 * the peers' event "ready". The peers continue after its event "taken". The host only waits for the other threads.
 * Devices without peer access copy through the host. */
#include <stdlib.h>
#include "core/device/cuda_current.cuh"
#include "core/device/cuda.cuh"
#include "team/team_impl.h"

struct state {
	int device;
	cudaEvent_t ready, taken;
};

/* Enables peer access in one direction; access that is enabled already is no failure. */
static gt_status reach(int self, int peer)
{
	int can = 0;
	if (self == peer || cudaDeviceCanAccessPeer(&can, self, peer) != cudaSuccess || !can)
		return GT_OK;
	const cudaError_t e = cudaDeviceEnablePeerAccess(peer, 0);
	if (e == cudaErrorPeerAccessAlreadyEnabled)
		cudaGetLastError();
	else if (e != cudaSuccess)
		return gt_fail(GT_ERR_DEVICE, "cuda:%d: memory of cuda:%d: %s", self, peer, cudaGetErrorString(e));
	return GT_OK;
}

static int device_of(gt_backend *be)
{
	int device = 0;
	gt_cuda_queue(be);
	cudaGetDevice(&device);
	return device;
}

static gt_status open_(gt_backend *const *be, int n, int self, void **out)
{
	gt_status st = GT_OK;
	struct state *s = (struct state *)calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for a team");
	*out = s;
	int devices[GT_TEAM_MAX];
	for (int i = 0; i < n; i++) {
		gt_backend_lock(be[i]);
		devices[i] = device_of(be[i]);
		gt_backend_unlock(be[i]);
	}
	gt_backend_lock(be[self]);
	gt_cuda_queue(be[self]);
	s->device = devices[self];
	if (cudaEventCreateWithFlags(&s->ready, cudaEventDisableTiming) != cudaSuccess ||
	    cudaEventCreateWithFlags(&s->taken, cudaEventDisableTiming) != cudaSuccess)
		st = gt_fail(GT_ERR_DEVICE, "%s: no events for a team", gt_backend_name(be[self]));
	for (int i = 0; i < n && st == GT_OK; i++)
		st = reach(s->device, devices[i]);
	gt_backend_unlock(be[self]);
	return st;
}

static void close_(gt_backend *be, void *state)
{
	struct state *s = (struct state *)state;
	gt_backend_lock(be);
	gt_cuda_queue(be);
	if (s->ready)
		cudaEventDestroy(s->ready);
	if (s->taken)
		cudaEventDestroy(s->taken);
	gt_backend_unlock(be);
	free(s);
}

static void record(gt_backend *be, cudaEvent_t event) { gt_cuda_check(be, cudaEventRecord(event, gt_cuda_queue(be)), "exchange"); }

/* Callers may hold the lock already (it is recursive). */
static void ready_(gt_backend *be, void *state)
{
	gt_backend_lock(be);
	record(be, ((struct state *)state)->ready);
	gt_backend_unlock(be);
}

static void taken_(gt_backend *be, void *state)
{
	gt_backend_lock(be);
	record(be, ((struct state *)state)->taken);
	gt_backend_unlock(be);
}

static void after_(gt_backend *be, const void *peer, int taken)
{
	const struct state *p = (const struct state *)peer;
	gt_backend_lock(be);
	gt_cuda_check(be, cudaStreamWaitEvent(gt_cuda_queue(be), taken ? p->taken : p->ready, 0), "exchange");
	gt_backend_unlock(be);
}

static cudaError_t pull_blocks(cudaStream_t queue, int to_device, int from_device, const gt_exchange_block *from,
                               const gt_exchange_block *to)
{
	struct cudaMemcpy3DPeerParms p = {};
	const size_t from_pitch = from->stride ? from->stride : from->bytes, to_pitch = to->stride ? to->stride : to->bytes;
	p.srcDevice = from_device;
	p.srcPtr = make_cudaPitchedPtr(from->at, from_pitch, from->bytes, from->count);
	p.dstDevice = to_device;
	p.dstPtr = make_cudaPitchedPtr(to->at, to_pitch, to->bytes, to->count);
	p.extent = make_cudaExtent(to->bytes, to->count, 1);
	return cudaMemcpy3DPeerAsync(&p, queue);
}

static void pull_(gt_backend *be, const void *peer, const gt_exchange_block *from, const gt_exchange_block *to)
{
	const struct state *p = (const struct state *)peer, *mine = (const struct state *)be->rank->state;
	gt_backend_lock(be);
	cudaStream_t queue = gt_cuda_queue(be);
	cudaError_t e;
	if (to->count > 1)
		e = pull_blocks(queue, mine->device, p->device, from, to);
	else if (p->device == mine->device)
		e = cudaMemcpyAsync(to->at, from->at, to->bytes, cudaMemcpyDeviceToDevice, queue);
	else
		e = cudaMemcpyPeerAsync(to->at, mine->device, from->at, p->device, to->bytes, queue);
	gt_cuda_check(be, e, "exchange");
	gt_backend_unlock(be);
}

static int reaches_(gt_backend *be, gt_backend *peer)
{
	int can = 0;
	gt_backend_lock(be);
	gt_backend_lock(peer);
	const int from = device_of(be), to = device_of(peer);
	const int known = from == to || cudaDeviceCanAccessPeer(&can, from, to) == cudaSuccess;
	gt_backend_unlock(peer);
	gt_backend_unlock(be);
	return known && (from == to || can);
}

extern "C" const struct gt_exchange_impl gt_exchange_cuda = { open_, close_, ready_, after_, pull_, taken_, reaches_ };
