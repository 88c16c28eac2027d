#ifndef GT_TESTS_BUS_H
#define GT_TESTS_BUS_H
/* Transfers between host and device and allocations of this process, recorded by the CUDA profiling interface (CUPTI
 * activity records). Includes everything, also what the library does not count. */
#include <stddef.h>
struct gt_test_bus {
	size_t to_device, from_device;          /* bytes */
	size_t copies;                          /* number of transfers */
	size_t allocations, allocated;          /* on the device, pinned on the host or managed; bytes */
};
/* Starts recording, before or after CUDA starts. Returns NULL, or the reason for a failure: "no CUPTI ...". */
const char *gt_test_bus_watch(void);
/* Counts since gt_test_bus_watch(). The device must be idle. Fails the test if records were lost. */
struct gt_test_bus gt_test_bus_seen(void);
#endif
