/* Weights of the data in a thread with a pool of its own. Loops of one pool are serialised: uploads of the caller would
 * wait for passes over the data. */
#include <pthread.h>
#include <stdlib.h>
#include "core/text.h"
#include "recon/weights/weights_thread.h"

struct gt_weights_thread {
	const gt_weights_spec *o;
	gt_weights_problem q;
	gt_pool *pool; /* NULL: that of the problem, for lack of memory */
	pthread_t thread;
	int is_started;
	gt_status st;
	float *w;
	char *text, *error; /* error: messages of failures belong to a thread */
};

static void *compute(void *self)
{
	gt_weights_thread *t = self;
	t->st = gt_weights_from_spec(t->o, &t->q, &t->w, &t->text);
	t->error = t->st == GT_OK ? NULL : gt_text("%s", gt_error());
	return NULL;
}

gt_status gt_weights_begin(const gt_weights_spec *o, const gt_weights_problem *q, gt_weights_thread **t)
{
	if (!(*t = calloc(1, sizeof **t)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	(*t)->o = o;
	(*t)->q = *q;
	if (gt_pool_new(gt_pool_threads(q->pool), &(*t)->pool) == GT_OK)
		(*t)->q.pool = (*t)->pool;
	(*t)->is_started = pthread_create(&(*t)->thread, NULL, compute, *t) == 0;
	return GT_OK;
}

gt_status gt_weights_end(gt_weights_thread *t, float **w, char **text)
{
	if (t->is_started)
		pthread_join(t->thread, NULL);
	else
		compute(t);
	const gt_status st = t->st == GT_OK ? GT_OK : gt_fail(t->st, "%s", t->error ? t->error : "out of memory");
	*w = t->w;
	*text = t->text;
	gt_pool_free(t->pool);
	free(t->error);
	free(t);
	return st;
}
