#ifndef GT_RECON_WARM_H
#define GT_RECON_WARM_H
/* A device takes part of a second to start: it does so while files are read. */
#include <pthread.h>

typedef struct { pthread_t thread; const char *backend; int runs; } app_warm;
void app_warm_begin(app_warm *w, const char *backend); /* *w stays where it is; what fails is said by who opens the backend to use it */
void app_warm_end  (app_warm *w);                       /* waits; twice is fine */
#endif
