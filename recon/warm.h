#ifndef GT_RECON_WARM_H
#define GT_RECON_WARM_H
/* A device takes part of a second to start: it does so while files are read. */
#include <pthread.h>

typedef struct { pthread_t thread; const char *backend; int runs; } gt_prefetch;
void gt_prefetch_begin(gt_prefetch *w, const char *backend); /* *w stays where it is; what fails is said by who opens the backend to use it */
void gt_prefetch_end  (gt_prefetch *w);                       /* waits; twice is fine */
#endif
