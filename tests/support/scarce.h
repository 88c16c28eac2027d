#ifndef GT_TESTS_SCARCE_H
#define GT_TESTS_SCARCE_H
/* Memory that ends. Linked into a program, this takes the place of malloc(), calloc() and realloc() of all libraries, where the C library
 * is glibc and no sanitizer has done so already. */
int  gt_scarce_works(void);
void gt_scarce_after(long calls);       /* the call after so many fails, and no other; < 0: none */
long gt_scarce_calls(void);             /* since gt_scarce_after() */
#endif
