/* Available host memory: the minimum of MemAvailable, the control group limits (v2 memory.max of every level; v1
 * memory.limit_in_bytes), RLIMIT_AS and RLIMIT_DATA. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <gantry/array.h>
#include "core/device/host_memory.h"

/* Number after `key` in its line of the file; key NULL: first number. -1: none ("max" too). */
static double number_in(const char *file, const char *key)
{
	FILE *f = fopen(file, "r");
	char line[256];
	double value = -1;
	if (!f)
		return -1;
	while (fgets(line, sizeof line, f)) {
		const size_t n = key ? strlen(key) : 0;
		if (key && strncmp(line, key, n))
			continue;
		if (sscanf(line + n, " %lf", &value) != 1)
			value = -1;
		break;
	}
	fclose(f);
	return value;
}

/* Control groups count the page cache as used, but it is reclaimable. */
static double group_available(const char *folder, const char *limit, const char *usage, const char *cache)
{
	char file[4400];
	snprintf(file, sizeof file, "%s/%s", folder, limit);
	const double max = number_in(file, NULL);
	snprintf(file, sizeof file, "%s/%s", folder, usage);
	const double used = number_in(file, NULL);
	snprintf(file, sizeof file, "%s/memory.stat", folder);
	const double cached = number_in(file, cache);
	if (max < 0 || used < 0)
		return -1;
	const double room = max - used + (cached > 0 ? cached : 0);
	return room > 0 ? room : 0;
}

static void min(double *room, double other)
{
	if (other >= 0 && (*room < 0 || other < *room))
		*room = other;
}

enum { HUGE_PAGE = 1 << 21 };

void *gt_host_alloc(size_t bytes)
{
	void *p = NULL;
	if (bytes < GT_HOST_LARGE)
		return malloc(bytes ? bytes : 1);
	if (posix_memalign(&p, HUGE_PAGE, bytes) != 0)
		return NULL;
	madvise(p, bytes, MADV_HUGEPAGE); /* avoids TLB misses of strided reads; failure is harmless */
	return p;
}

/* Bytes up to a limit of this process, minus the line `key` of its status; -1: no limit. */
static double limit_available(int resource, const char *key)
{
	struct rlimit limit;
	const double used = number_in("/proc/self/status", key);
	if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || used < 0)
		return -1;
	const double room = (double)limit.rlim_cur - 1024 * used;
	return room > 0 ? room : 0;
}

double gt_host_available(void)
{
	char line[4096];
	double room = number_in("/proc/meminfo", "MemAvailable:");
	if (room >= 0)
		room *= 1024;
	min(&room, limit_available(RLIMIT_AS, "VmSize:"));
	min(&room, limit_available(RLIMIT_DATA, "VmData:"));
	FILE *f = fopen("/proc/self/cgroup", "r");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		const int v2 = !strncmp(line, "0::", 3);
		const char *v1 = strstr(line, ":memory:");
		if (!v2 && !v1)
			continue;
		char folder[4200];
		char *group = v2 ? line + 3 : line + (v1 - line) + 8;
		for (;;) {
			snprintf(folder, sizeof folder, "/sys/fs/cgroup%s%s", v2 ? "" : "/memory", group);
			min(&room, v2 ? group_available(folder, "memory.max", "memory.current", "inactive_file ")
			              : group_available(folder, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "));
			char *slash = strrchr(group, '/');
			if (!slash || !*group)
				break;
			*slash = 0;
		}
	}
	if (f)
		fclose(f);
	return room;
}

double gt_host_used(void) { return 1024 * number_in("/proc/self/status", "VmRSS:"); }

double gt_host_peak(void) { return 1024 * number_in("/proc/self/status", "VmHWM:"); }

gt_status gt_host_has_memory(double bytes, const char *what)
{
	const double room = gt_host_available(), gib = 1024.0 * 1024 * 1024;
	if (room >= 0 && bytes > room)
		return gt_fail(GT_ERR_MEMORY, "%s: needs %.3g GiB of memory, %.3g GiB are available", what, bytes / gib, room / gib);
	return GT_OK;
}
