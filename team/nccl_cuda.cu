/* Exchange through NCCL (team/nccl.h). Sends and receives of one exchange form one group; blocks with gaps are
 * packed through a dense device buffer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/device/cuda.cuh"
#include "team/nccl.h"
#include "team/remote.h"

enum { NCCL_OK = 0, NCCL_BYTES = 1 };

struct state {
	void *comm;
	char *room;
	size_t bytes;
};

/* Opening ---------------------------------------------------------------------- */

static const gt_nccl *nccl(void)
{
	const gt_nccl *n = NULL;
	gt_nccl_open(&n);
	return n;
}

static gt_status failed(int code) { return gt_fail(GT_ERR_DEVICE, "NCCL: %s", nccl()->error_string(code)); }

static gt_status load(int *version)
{
	const gt_nccl *n = NULL;
	const gt_status st = gt_nccl_open(&n);
	*version = st == GT_OK ? n->version : 0;
	return st;
}

static gt_status device(gt_backend *be, char name[GT_REMOTE_DEVICE], int *number)
{
	gt_backend_lock(be);
	gt_cuda_queue(be);
	cudaGetDevice(number);
	const cudaError_t e = cudaDeviceGetPCIBusId(name, GT_REMOTE_DEVICE, *number);
	gt_backend_unlock(be);
	return e == cudaSuccess ? GT_OK : gt_fail(GT_ERR_DEVICE, "%s: %s", gt_backend_name(be), cudaGetErrorString(e));
}

static gt_status make_id(char id[GT_REMOTE_ID])
{
	gt_nccl_id made;
	const int code = nccl()->get_unique_id(&made);
	if (code != NCCL_OK)
		return failed(code);
	memcpy(id, made.bytes, GT_REMOTE_ID);
	return GT_OK;
}

static gt_status open_(int device, const char id[GT_REMOTE_ID], int ranks, int rank, void **out)
{
	struct state *s = (struct state *)calloc(1, sizeof *s);
	gt_nccl_id same;
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for a team");
	memcpy(same.bytes, id, GT_REMOTE_ID);
	cudaSetDevice(device);
	const int code = nccl()->comm_init_rank(&s->comm, ranks, same, rank);
	if (code != NCCL_OK) {
		free(s);
		return failed(code);
	}
	*out = s;
	return GT_OK;
}

static void close_(gt_backend *be, void *state)
{
	struct state *s = (struct state *)state;
	gt_backend_lock(be);
	gt_cuda_queue(be);
	nccl()->comm_destroy(s->comm);
	gt_backend_free(be, s->room, s->bytes);
	gt_backend_unlock(be);
	free(s);
}

/* Exchanging --------------------------------------------------------------------- */

static int is_dense(const gt_exchange_block *p) { return p->count == 1 || p->stride == p->bytes; }

static size_t room_of(const gt_exchange_block *p, size_t n)
{
	size_t bytes = 0;
	for (size_t k = 0; k < n; k++)
		bytes += is_dense(&p[k]) ? 0 : p[k].bytes * p[k].count;
	return bytes;
}

static int reserve(gt_backend *be, struct state *s, size_t bytes)
{
	if (bytes <= s->bytes)
		return 1;
	gt_backend_free(be, s->room, s->bytes);
	s->room = (char *)gt_backend_alloc(be, bytes, "buffer for blocks with gaps");
	s->bytes = s->room ? bytes : 0;
	if (!s->room)
		gt_backend_fail(be, GT_ERR_MEMORY);
	return s->room != NULL;
}

/* Copies between a block and its dense copy; a dense block is used directly. */
static char *dense(gt_backend *be, const struct state *s, const gt_exchange_block *p, size_t *at, int copies, int unpacks)
{
	if (is_dense(p))
		return (char *)p->at;
	char *packed = s->room + *at;
	*at += p->bytes * p->count;
	if (copies) {
		void *to = unpacks ? p->at : packed;
		const void *from = unpacks ? packed : p->at;
		gt_cuda_check(be,
		              cudaMemcpy2DAsync(to, unpacks ? p->stride : p->bytes, from, unpacks ? p->bytes : p->stride, p->bytes,
		                                p->count, cudaMemcpyDeviceToDevice, gt_cuda_queue(be)),
		              "exchange");
	}
	return packed;
}

static int post(gt_backend *be, const struct state *s, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins,
                size_t at)
{
	const cudaStream_t queue = gt_cuda_queue(be);
	size_t packed = 0;
	int code = nccl()->group_start();
	for (size_t k = 0; k < outs && code == NCCL_OK; k++)
		code = nccl()->send(dense(be, s, &out[k], &packed, 0, 0), out[k].bytes * out[k].count, NCCL_BYTES, out[k].peer, s->comm,
		                    queue);
	for (size_t k = 0; k < ins && code == NCCL_OK; k++)
		code = nccl()->recv(dense(be, s, &in[k], &at, 0, 1), in[k].bytes * in[k].count, NCCL_BYTES, in[k].peer, s->comm, queue);
	const int end = nccl()->group_end();
	return code == NCCL_OK ? end : code;
}

static void exchange(gt_backend *be, void *state, const gt_exchange_block *out, size_t outs, const gt_exchange_block *in, size_t ins)
{
	struct state *s = (struct state *)state;
	const size_t sent = room_of(out, outs);
	size_t at = 0;
	gt_backend_lock(be);
	if (reserve(be, s, sent + room_of(in, ins))) {
		for (size_t k = 0; k < outs; k++)
			dense(be, s, &out[k], &at, 1, 0);
		const int code = post(be, s, out, outs, in, ins, sent);
		if (code != NCCL_OK)
			gt_backend_fail(be, failed(code));
		at = sent;
		for (size_t k = 0; k < ins && code == NCCL_OK; k++)
			dense(be, s, &in[k], &at, 1, 1);
	}
	gt_backend_unlock(be);
}

extern "C" const struct gt_remote_impl gt_remote_nccl = { load, device, make_id, open_, close_, exchange };
