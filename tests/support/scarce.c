/* Replaces the allocation functions of glibc; one call fails. */
#include "tests/support/scarce.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

static atomic_long calls, last = -1;

void gt_scarce_after(long max)
{
	last = max;
	calls = 0;
}

long gt_scarce_calls(void) { return calls; }

#if defined(__GLIBC__) && !defined(SANITIZED)
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);

int gt_scarce_works(void) { return 1; }

static int fails(void)
{
	if (atomic_fetch_add(&calls, 1) != last)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *memory, size_t size) { return fails() ? NULL : __libc_realloc(memory, size); }
#else
int gt_scarce_works(void) { return 0; }
#endif
