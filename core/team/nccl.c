/* Loads the NCCL library once. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/team/nccl.h"
#include "core/variant/symbols.h"

static gt_nccl nccl;
static char why[200]; /* reason why it cannot be used; empty: none */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find(void *library)
{
	const gt_symbol all[] = { { "ncclGetVersion", &nccl.get_version },
		                  { "ncclGetUniqueId", &nccl.get_unique_id },
		                  { "ncclCommInitRank", &nccl.comm_init_rank },
		                  { "ncclCommDestroy", &nccl.comm_destroy },
		                  { "ncclGroupStart", &nccl.group_start },
		                  { "ncclGroupEnd", &nccl.group_end },
		                  { "ncclSend", &nccl.send },
		                  { "ncclRecv", &nccl.recv },
		                  { "ncclGetErrorString", &nccl.error_string } };
	for (size_t i = 0; i < sizeof all / sizeof *all && !*why; i++) {
		void *const found = dlsym(library, all[i].name);
		if (!found)
			snprintf(why, sizeof why, "NCCL has no %s", all[i].name);
		memcpy(all[i].at, &found, sizeof found);
	}
	if (!*why && nccl.get_version(&nccl.version) != 0)
		snprintf(why, sizeof why, "NCCL does not report its version");
}

static void look(void)
{
	const char *asked = getenv("GANTRY_NCCL");
	if (asked && !strcmp(asked, "no")) {
		snprintf(why, sizeof why, "GANTRY_NCCL=no");
		return;
	}
	/* groups of sends and receives do not use multicast, whose buffers take memory */
	setenv("NCCL_NVLS_ENABLE", "0", 0);
	void *library = dlopen(asked && *asked ? asked : "libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
	if (library)
		find(library);
	else
		snprintf(why, sizeof why, "NCCL cannot be opened (%.150s)", dlerror());
}

gt_status gt_nccl_open(const gt_nccl **n)
{
	pthread_once(&once, look);
	*n = &nccl;
	return *why ? gt_fail(GT_ERR_UNSUPPORTED, "%s", why) : GT_OK;
}
