#ifndef GT_TESTS_SCARCE_H
#define GT_TESTS_SCARCE_H
/* Failing allocations. Replaces malloc(), calloc() and realloc() of all libraries, if the C library is glibc and no
 * sanitizer replaces them. */
int  gt_scarce_works(void);
void gt_scarce_after(long calls);       /* the call after this number fails, and no other; < 0: none */
long gt_scarce_calls(void);             /* since gt_scarce_after() */
#endif
