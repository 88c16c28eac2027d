#ifndef GT_TEAM_LINKS_H
#define GT_TEAM_LINKS_H
/* Bandwidth between host and devices, and between devices. */
#include <stddef.h>
#include <gantry/status.h>

/* Bandwidth between host and a device, or between two devices. */
typedef struct {
	size_t size;                    /* sizeof(gt_link) of the library: later versions add members at its end */
	char from[32], to[32];          /* "host", "host-paged" (not page-locked), or a backend */
	int peer;                       /* between devices: 1: direct access, 0: through the host; otherwise -1 */
	double bytes_per_second;        /* one direction */
	double both_ways;               /* bytes per second in each direction, both at once; 0: not measured */
	double latency;                 /* time of a copy of 8 bytes including the wait, s */
} gt_link;

/* Measures all links of this process by copies of `bytes` bytes, medians of a few. Without a device: between two
 * ranks on the host. *links is freed with gt_free(). GT_ERR_ARG: bytes below 8. */
gt_status gt_links_measure(size_t bytes, gt_link **links, size_t *n);
#endif
