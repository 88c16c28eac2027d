/* Records transfers and allocations by CUPTI, loaded at run time. */
#include <stdlib.h>
#include "tests/support/bus.h"
#include "tests/support/support.h"

#ifdef GT_HAVE_CUPTI
#include <cupti.h>
#include <dlfcn.h>

#if CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityMemcpy6 copy_record;
typedef CUpti_ActivityMemory4 memory_record;
#else
typedef CUpti_ActivityMemcpy5 copy_record;
typedef CUpti_ActivityMemory3 memory_record;
#endif

enum { BUFFER = 1 << 20, ALIGN = 8 };

/* Loaded at run time, so that programs start without this library. */
static struct {
	CUptiResult (*register_callbacks)(CUpti_BuffersCallbackRequestFunc, CUpti_BuffersCallbackCompleteFunc);
	CUptiResult (*enable)(CUpti_ActivityKind);
	CUptiResult (*flush)(uint32_t);
	CUptiResult (*next)(uint8_t *, size_t, CUpti_Activity **);
	CUptiResult (*dropped)(CUcontext, uint32_t, size_t *);
} cupti;
static struct gt_test_bus seen;
static size_t lost;

static void give(uint8_t **buffer, size_t *size, size_t *max)
{
	*buffer = aligned_alloc(ALIGN, BUFFER);
	*size = *buffer ? BUFFER : 0;
	*max = 0;
}

static void count_copy(const copy_record *r)
{
	const int up = r->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD || r->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOA;
	const int down = r->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH || r->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_ATOH;
	seen.to_device += up ? r->bytes : 0;
	seen.from_device += down ? r->bytes : 0;
	seen.copies += (size_t)(up || down);
}

static void count_memory(const memory_record *r)
{
	if (r->memoryOperationType != CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION)
		return;
	seen.allocations++;
	seen.allocated += r->bytes;
}

static void take(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	CUpti_Activity *record = NULL;
	size_t dropped = 0;
	(void)size;
	while (valid && cupti.next(buffer, valid, &record) == CUPTI_SUCCESS)
		if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY)
			count_copy((const copy_record *)record);
		else if (record->kind == CUPTI_ACTIVITY_KIND_MEMORY2)
			count_memory((const memory_record *)record);
	if (cupti.dropped(context, stream, &dropped) == CUPTI_SUCCESS)
		lost += dropped;
	free(buffer);
}

static int find(void *library, const char *name, void *function)
{
	*(void **)function = dlsym(library, name);
	return *(void **)function != NULL;
}

const char *gt_test_bus_watch(void)
{
	static const char *const names[] = { "libcupti.so", "libcupti.so.13", "libcupti.so.12" };
	void *library = NULL;
	for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
		library = dlopen(names[i], RTLD_NOW);
	if (!library)
		return "no CUPTI library on this machine";
	if (!find(library, "cuptiActivityRegisterCallbacks", &cupti.register_callbacks) ||
	    !find(library, "cuptiActivityEnable", &cupti.enable) || !find(library, "cuptiActivityFlushAll", &cupti.flush) ||
	    !find(library, "cuptiActivityGetNextRecord", &cupti.next) ||
	    !find(library, "cuptiActivityGetNumDroppedRecords", &cupti.dropped))
		return "no CUPTI library with activity records on this machine";
	if (cupti.register_callbacks(give, take) != CUPTI_SUCCESS || cupti.enable(CUPTI_ACTIVITY_KIND_MEMCPY) != CUPTI_SUCCESS ||
	    cupti.enable(CUPTI_ACTIVITY_KIND_MEMORY2) != CUPTI_SUCCESS)
		return "no CUPTI: it does not start";
	return NULL;
}

struct gt_test_bus gt_test_bus_seen(void)
{
	ck_assert_int_eq(cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), CUPTI_SUCCESS);
	ck_assert_uint_eq(lost, 0);
	return seen;
}
#else
const char *gt_test_bus_watch(void) { return "no CUPTI headers when this was built"; }

struct gt_test_bus gt_test_bus_seen(void) { return (struct gt_test_bus){ 0 }; }
#endif
