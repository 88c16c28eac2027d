/* Stubs for builds without MPI: detect an MPI launcher, but cannot join. */
#include <stdlib.h>
#include <gantry/processes.h>
#include "core/team/transport.h"

int gt_has_mpi(void) { return 0; }

int gt_transport_is_launched(void)
{
	const char *n = getenv("OMPI_COMM_WORLD_SIZE");
	if (!n)
		n = getenv("PMI_SIZE");
	return n && atoi(n) > 1;
}

gt_status gt_transport_start(gt_transport_position *place)
{
	*place = (gt_transport_position){ 0, 1, 0, 1 };
	return gt_fail(GT_ERR_UNSUPPORTED, "MPI: this build has no MPI (GANTRY_MPI): expected one process");
}

void gt_transport_stop(void) {}
void gt_transport_leave(void) {}
void gt_transport_abort(int code) { (void)code; }
gt_transfer *gt_transport_send(int to, int tag, const void *at, size_t bytes)
{
	(void)to, (void)tag, (void)at, (void)bytes;
	return NULL;
}
gt_transfer *gt_transport_receive(int from, int tag, void *at, size_t bytes)
{
	(void)from, (void)tag, (void)at, (void)bytes;
	return NULL;
}
int gt_transport_test(gt_transfer *w)
{
	(void)w;
	return -1;
}
void gt_transport_free(gt_transfer *w) { (void)w; }
int gt_transport_waiting(int from, int tag)
{
	(void)from, (void)tag;
	return -1;
}
