#ifndef GT_TESTS_BUS_H
#define GT_TESTS_BUS_H
/* What this process moves between host and device and what it allocates there, as the CUDA profiling interface (CUPTI, its activity
 * records) sees it: whoever asks for it, counted by the library or not. */
#include <stddef.h>
struct gt_test_bus {
	size_t to_device, from_device;          /* bytes */
	size_t copies;                          /* how many these were */
	size_t allocations, allocated;          /* on the device, pinned on the host or managed; bytes */
};
/* Starts to watch; before or after CUDA starts. NULL if it does, else why not: "no CUPTI ...". */
const char *gt_test_bus_watch(void);
/* Since then. The device must have nothing left to do. Fails the test where records were lost. */
struct gt_test_bus gt_test_bus_seen(void);
#endif
