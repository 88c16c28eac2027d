#include "tests/support/scarce.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

static atomic_long calls, last = -1;
static int own;

void gt_scarce_after(long most, int whose)
{
	own = whose == GT_SCARCE_OWN;
	last = most;
	calls = 0;
}

long gt_scarce_calls(void) { return calls; }

#if defined(__GLIBC__) && !defined(SANITIZED)
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *memory, size_t size);

int gt_scarce_works(void) { return 1; }

/* The library, the C library that it calls, or the program: all but libraries of other names. */
static int is_own(void *caller)
{
	Dl_info at;
	if (!dladdr(caller, &at) || !at.dli_fname)
		return 0;
	const char *slash = strrchr(at.dli_fname, '/'), *name = slash ? slash + 1 : at.dli_fname;
	return !strncmp(name, "libgantry", 9) || !strncmp(name, "libc.", 5) || !strncmp(name, "test_", 5);
}

static int fails(void *caller)
{
	if (own && !is_own(caller))
		return 0;
	if (atomic_fetch_add(&calls, 1) != last)
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size); }
void *realloc(void *memory, size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(memory, size); }
#else
int gt_scarce_works(void) { return 0; }
#endif
