/* Messages through MPI. Messages above 1 GiB are split, because MPI counts with int. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <gantry/processes.h>
#include "core/team/transport.h"

enum { LAUNCHERS = 3 };
static const char *const sizes[LAUNCHERS] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK" };
#define MOST ((size_t)1 << 30)

struct gt_transfer {
	int takes, n, done;
	size_t bytes;
	MPI_Request part[];
};

static gt_transport_position place_here = { 0, 1, 0, 1 };
static int started, stopped;

int gt_has_mpi(void) { return 1; }

/* A launcher rank may run several commands in sequence, but MPI permits one MPI_Init. A file in the launcher's folder
 * records that a command has joined, or has left; OpenMPI removes the folder at the end. */
enum { NOTHING_YET, HAS_JOINED = 'j', HAS_PARTED = 'p' };

static int note_path(char path[512])
{
	const char *folder = getenv("PMIX_SERVER_TMPDIR"), *rank = getenv("PMIX_RANK");
	return folder && rank && snprintf(path, 512, "%s/gantry-%s", folder, rank) < 512;
}

static int read_note(void)
{
	char path[512];
	FILE *f = note_path(path) ? fopen(path, "r") : NULL;
	const int c = f ? fgetc(f) : NOTHING_YET;
	if (f)
		fclose(f);
	return c > 0 ? c : NOTHING_YET;
}

static void write_note(int c)
{
	char path[512];
	FILE *f = note_path(path) ? fopen(path, "w") : NULL;
	if (f) {
		fputc(c, f);
		fclose(f);
	}
}

int gt_transport_is_launched(void)
{
	int launched = 0;
	for (int i = 0; i < LAUNCHERS; i++)
		launched |= getenv(sizes[i]) != NULL;
	return launched && (started || read_note() != HAS_PARTED);
}

gt_status gt_transport_start(gt_transport_position *place)
{
	int provided, inited = 0;
	MPI_Comm host;
	*place = place_here;
	if (stopped)
		return gt_fail(GT_ERR_ARG, "MPI: the processes have left the group");
	if (started)
		return GT_OK;
	MPI_Initialized(&inited);
	if (!inited && read_note() == HAS_JOINED)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "MPI: an earlier command of this mpirun rank already called MPI_Init: use one command per mpirun, "
		               "or one output per process");
	if (!inited && MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
		return gt_fail(GT_ERR_DEVICE, "MPI: MPI_Init failed");
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_rank(MPI_COMM_WORLD, &place_here.me);
	MPI_Comm_size(MPI_COMM_WORLD, &place_here.n);
	if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place_here.me, MPI_INFO_NULL, &host) == MPI_SUCCESS) {
		MPI_Comm_rank(host, &place_here.local);
		MPI_Comm_size(host, &place_here.locals);
		MPI_Comm_free(&host);
	}
	started = !inited; /* the code that called MPI_Init also calls MPI_Finalize */
	if (started)
		write_note(HAS_JOINED);
	*place = place_here;
	return GT_OK;
}

void gt_transport_stop(void)
{
	if (started && !stopped)
		MPI_Finalize();
	stopped = started;
}

void gt_transport_leave(void)
{
	gt_transport_stop();
	if (stopped)
		write_note(HAS_PARTED);
}

void gt_transport_abort(int code)
{
	if (started && !stopped)
		MPI_Abort(MPI_COMM_WORLD, code);
}

static gt_transfer *new_transfer(size_t bytes, int takes)
{
	const size_t n = bytes ? (bytes + MOST - 1) / MOST : 1;
	gt_transfer *w = malloc(sizeof *w + n * sizeof *w->part);
	if (!w)
		return NULL;
	*w = (gt_transfer){ .takes = takes, .n = (int)n, .bytes = bytes };
	for (size_t i = 0; i < n; i++)
		w->part[i] = MPI_REQUEST_NULL;
	return w;
}

static int part_bytes(const gt_transfer *w, int i)
{
	const size_t left = w->bytes - (size_t)i * MOST;
	return (int)(left < MOST ? left : MOST);
}

gt_transfer *gt_transport_send(int to, int tag, const void *at, size_t bytes)
{
	gt_transfer *w = new_transfer(bytes, 0);
	for (int i = 0; w && i < w->n; i++)
		MPI_Isend((const char *)at + (size_t)i * MOST, part_bytes(w, i), MPI_BYTE, to, tag, MPI_COMM_WORLD, &w->part[i]);
	return w;
}

gt_transfer *gt_transport_receive(int from, int tag, void *at, size_t bytes)
{
	gt_transfer *w = new_transfer(bytes, 1);
	for (int i = 0; w && i < w->n; i++)
		MPI_Irecv((char *)at + (size_t)i * MOST, part_bytes(w, i), MPI_BYTE, from, tag, MPI_COMM_WORLD, &w->part[i]);
	return w;
}

int gt_transport_test(gt_transfer *w)
{
	for (; w->done < w->n; w->done++) {
		MPI_Status status;
		int flag = 0, count = 0;
		if (MPI_Test(&w->part[w->done], &flag, &status) != MPI_SUCCESS)
			return -1;
		if (!flag)
			return 0;
		if (w->takes && (MPI_Get_count(&status, MPI_BYTE, &count) != MPI_SUCCESS || count != part_bytes(w, w->done)))
			return -1;
	}
	return 1;
}

/* After cancellation MPI must not write into a receive buffer. A sent message is left to MPI. */
static void give_up(gt_transfer *w, int i)
{
	int flag = 0;
	if (w->part[i] == MPI_REQUEST_NULL)
		return;
	if (!w->takes) {
		MPI_Request_free(&w->part[i]);
		return;
	}
	MPI_Cancel(&w->part[i]);
	for (int k = 0; k < 1000 && !flag; k++) {
		if (MPI_Test(&w->part[i], &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS)
			return;
		if (!flag)
			usleep(1000);
	}
}

void gt_transport_free(gt_transfer *w)
{
	for (int i = 0; w && i < w->n; i++)
		give_up(w, i);
	free(w);
}

int gt_transport_waiting(int from, int tag)
{
	MPI_Status status;
	int flag = 0;
	const int source = from < 0 ? MPI_ANY_SOURCE : from;
	return MPI_Iprobe(source, tag, MPI_COMM_WORLD, &flag, &status) == MPI_SUCCESS && flag ? status.MPI_SOURCE : -1;
}
