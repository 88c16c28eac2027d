#ifndef GANTRY_LINK_H
#define GANTRY_LINK_H
/* What the ways between memories carry, measured: host and devices, and each pair of devices. */
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	size_t size;                    /* sizeof(gt_link) of the library: later versions add members at the end */
	char from[32], to[32];          /* "host", "host-paged" (memory that is not page-locked), or a backend */
	int peer;                       /* between devices: 1: each reaches the other's memory, 0: copies go through the host; else -1 */
	double bytes_per_second;        /* one way */
	double both_ways;               /* bytes per second each way, while as many go back; 0: not measured */
	double latency;                 /* s of a copy of 8 bytes, with waiting for it */
} gt_link;

/* All of them in this process, by copies of that many bytes: medians of a few. Where there is no device: between two members of a team
 * on the host. *links is freed with gt_free(). GT_ERR_ARG: bytes below 8. */
GT_API gt_status gt_links_measure(size_t bytes, gt_link **links, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
