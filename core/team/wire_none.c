/* A build without MPI: a process knows whether it was started with others, and cannot join them. */
#include <stdlib.h>
#include <gantry/recon.h>
#include "core/team/wire.h"

int gt_has_mpi(void) { return 0; }

int gt_wire_is_launched(void)
{
	const char *n = getenv("OMPI_COMM_WORLD_SIZE");
	if (!n)
		n = getenv("PMI_SIZE");
	return n && atoi(n) > 1;
}

gt_status gt_wire_start(gt_wire_place *place)
{
	*place = (gt_wire_place){ 0, 1, 0, 1 };
	return gt_fail(GT_ERR_UNSUPPORTED, "processes of MPI: this build has no MPI (GANTRY_MPI): expected one process");
}

void gt_wire_stop(void) {}
void gt_wire_part(void) {}
void gt_wire_abort(int code) { (void)code; }
gt_wire *gt_wire_send(int to, int tag, const void *at, size_t bytes)
{
	(void)to, (void)tag, (void)at, (void)bytes;
	return NULL;
}
gt_wire *gt_wire_take(int from, int tag, void *at, size_t bytes)
{
	(void)from, (void)tag, (void)at, (void)bytes;
	return NULL;
}
int gt_wire_test(gt_wire *w)
{
	(void)w;
	return -1;
}
void gt_wire_free(gt_wire *w) { (void)w; }
int gt_wire_waiting(int from, int tag)
{
	(void)from, (void)tag;
	return -1;
}
