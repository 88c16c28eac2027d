#include <gantry/array.h>
#include "recon/warm.h"

static void *start(void *self)
{
	const gt_prefetch *w = self;
	gt_backend *be = NULL;
	if (gt_backend_open(w->backend, &be) == GT_OK)
		gt_backend_close(be);
	return NULL;
}

void gt_prefetch_begin(gt_prefetch *w, const char *backend)
{
	w->backend = backend;
	w->runs = pthread_create(&w->thread, NULL, start, w) == 0;
}

void gt_prefetch_end(gt_prefetch *w)
{
	if (w->runs)
		pthread_join(w->thread, NULL);
	w->runs = 0;
}
