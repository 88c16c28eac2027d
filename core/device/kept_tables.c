/* A store of host tables: a list with a mutex, and the store of each thread. */
#include <pthread.h>
#include <stdlib.h>
#include "core/device/kept_tables.h"

struct gt_kept_tables {
	pthread_mutex_t lock;
	gt_kept *first;
	double max;
	size_t bytes;
};

static _Thread_local gt_kept_tables *mine;
static _Thread_local int leaves;

gt_kept_tables *gt_kept_tables_new(double max)
{
	gt_kept_tables *k = calloc(1, sizeof *k);
	if (!k)
		return NULL;
	pthread_mutex_init(&k->lock, NULL);
	k->max = max;
	return k;
}

void gt_kept_tables_clear(gt_kept_tables *k)
{
	if (!k)
		return;
	pthread_mutex_lock(&k->lock);
	gt_kept *e = k->first;
	k->first = NULL;
	k->bytes = 0;
	pthread_mutex_unlock(&k->lock);
	while (e) {
		gt_kept *next = e->next;
		e->free(e);
		e = next;
	}
}

void gt_kept_tables_free(gt_kept_tables *k)
{
	if (!k)
		return;
	gt_kept_tables_clear(k);
	pthread_mutex_destroy(&k->lock);
	free(k);
}

size_t gt_kept_tables_bytes(gt_kept_tables *k)
{
	if (!k)
		return 0;
	pthread_mutex_lock(&k->lock);
	const size_t bytes = k->bytes;
	pthread_mutex_unlock(&k->lock);
	return bytes;
}

void gt_kept_tables_use(gt_kept_tables *k, int leave)
{
	mine = k;
	leaves = leave;
}

gt_kept *gt_kept_take(uint64_t key)
{
	gt_kept *e = NULL;
	if (!mine)
		return NULL;
	pthread_mutex_lock(&mine->lock);
	for (gt_kept **at = &mine->first; *at; at = &(*at)->next)
		if ((*at)->key == key) {
			e = *at;
			*at = e->next;
			mine->bytes -= e->bytes;
			break;
		}
	pthread_mutex_unlock(&mine->lock);
	return e;
}

void gt_kept_leave(gt_kept *e)
{
	int is_kept = 0;
	if (mine && leaves) {
		pthread_mutex_lock(&mine->lock);
		if ((double)mine->bytes + (double)e->bytes <= mine->max) {
			e->next = mine->first;
			mine->first = e;
			mine->bytes += e->bytes;
			is_kept = 1;
		}
		pthread_mutex_unlock(&mine->lock);
	}
	if (!is_kept)
		e->free(e);
}
