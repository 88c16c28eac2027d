/* Pool of threads that sleep between calls. One atomic counter distributes the pieces, which balances unequal ones;
 * results do not depend on the distribution. A mutex serialises the callers. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/threads.h>
#include "core/fork.h"
#include "core/arguments.h"
#include "core/poll.h"

struct gt_pool {
	gt_fork_watch fork; /* first member: its address is the pool's */
	int threads;
	int workers;          /* running threads: threads - 1, or 0 in a child of fork() until needed */
	pthread_t *thread;    /* [threads - 1]; the caller is worker 0 */
	pthread_mutex_t turn; /* held by the caller that uses the workers */
	pthread_mutex_t lock;
	pthread_cond_t start, done;
	unsigned long round; /* a new round wakes the workers */
	int open;            /* workers may join the round: the caller does not wait for those that wake later */
	int busy, quit;      /* busy: workers that have joined */
	gt_loop body;
	void *self;
	size_t n, grain;
	atomic_size_t next;
};
struct worker {
	gt_pool *pool;
	int index;
};

static _Thread_local int inside; /* 1: a nested gt_parallel() runs in this thread */
static _Thread_local int my_index;

static void take_pieces(gt_pool *p, int index, gt_poll *poll)
{
	inside++;
	my_index = index;
	for (size_t begin; (begin = atomic_fetch_add(&p->next, p->grain)) < p->n;) {
		const size_t end = p->n - begin < p->grain ? p->n : begin + p->grain;
		p->body(p->self, begin, end, index);
		gt_poll_took(poll, end, p->n);
		if (gt_poll_ask(poll))
			atomic_store(&p->next, p->n);
	}
	inside--;
}

/* Runs in the caller alone: at once, or piecewise if the call can be cancelled. */
static void work_alone(gt_pool *p, size_t n, size_t grain, gt_loop body, void *self, gt_poll *poll)
{
	const size_t piece = poll ? grain : n;
	const int counts = p || poll;
	my_index = inside ? my_index : 0;
	inside += counts;
	for (size_t begin = 0; begin < n; begin += piece) {
		body(self, begin, n - begin < piece ? n : begin + piece, my_index);
		gt_poll_took(poll, n - begin < piece ? n : begin + piece, n);
		if (gt_poll_ask(poll))
			break;
	}
	inside -= counts;
}

static void *work(void *arg)
{
	const struct worker w = *(struct worker *)arg;
	gt_pool *p = w.pool;
	free(arg);
	pthread_mutex_lock(&p->lock);
	for (unsigned long seen = 0;;) {
		while ((p->round == seen || !p->open) && !p->quit)
			pthread_cond_wait(&p->start, &p->lock);
		if (p->quit)
			break;
		seen = p->round;
		p->busy++;
		pthread_mutex_unlock(&p->lock);
		take_pieces(p, w.index, NULL);
		pthread_mutex_lock(&p->lock);
		if (--p->busy == 0 && !p->open)
			pthread_cond_signal(&p->done);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static int processors(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) == 0)
		return CPU_COUNT(&set);
	const long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (int)n : 1;
}

static int start_worker(gt_pool *p)
{
	struct worker *w = malloc(sizeof *w);
	if (!w)
		return 0;
	*w = (struct worker){ p, p->workers + 1 };
	if (pthread_create(&p->thread[p->workers], NULL, work, w) == 0) {
		p->workers++;
		return 1;
	}
	free(w);
	return 0;
}

static void init_locks(gt_pool *p)
{
	pthread_mutex_init(&p->turn, NULL);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->start, NULL);
	pthread_cond_init(&p->done, NULL);
}

/* The child has no workers, and no thread that would unlock the mutex. */
static void in_child(gt_fork_watch *self)
{
	gt_pool *p = (gt_pool *)self;
	init_locks(p);
	p->workers = 0;
	p->busy = 0;
	p->open = 0;
	p->round = 0;
}

gt_status gt_pool_new(int threads, gt_pool **out)
{
	GT_NEED(out);
	if (threads < 0 || threads > 65536)
		return gt_fail(GT_ERR_ARG, "threads=%d: expected a number from 0 to 65536", threads);
	if (threads == 0)
		threads = processors();
	gt_pool *p = calloc(1, sizeof *p);
	pthread_t *thread = calloc((size_t)threads, sizeof *thread);
	if (!p || !thread) {
		free(p);
		free(thread);
		return gt_fail(GT_ERR_MEMORY, "no memory for a pool of %d threads", threads);
	}
	p->thread = thread;
	p->threads = threads;
	init_locks(p);
	while (p->workers < threads - 1)
		if (!start_worker(p)) {
			gt_pool_free(p);
			return gt_fail(GT_ERR_MEMORY, "cannot start %d threads", threads);
		}
	gt_fork_watch_begin(&p->fork, in_child);
	*out = p;
	return GT_OK;
}

void gt_pool_free(gt_pool *p)
{
	if (!p)
		return;
	gt_fork_watch_end(&p->fork);
	pthread_mutex_lock(&p->lock);
	p->quit = 1;
	pthread_cond_broadcast(&p->start);
	pthread_mutex_unlock(&p->lock);
	for (int k = 0; k < p->workers; k++)
		pthread_join(p->thread[k], NULL);
	pthread_mutex_destroy(&p->turn);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->start);
	pthread_cond_destroy(&p->done);
	free(p->thread);
	free(p);
}

int gt_pool_threads(const gt_pool *p) { return p ? p->threads : 1; }

/* Requires the lock. In a child of fork() it starts new workers; fewer workers give the same result. */
static void share(gt_pool *p, size_t n, size_t grain, gt_loop body, void *self)
{
	while (p->workers < p->threads - 1 && start_worker(p)) {}
	pthread_mutex_lock(&p->lock);
	p->body = body;
	p->self = self;
	p->n = n;
	p->grain = grain;
	atomic_store(&p->next, 0);
	p->open = 1;
	p->round++;
	pthread_cond_broadcast(&p->start);
	pthread_mutex_unlock(&p->lock);
	take_pieces(p, 0, gt_poll_get());
	pthread_mutex_lock(&p->lock);
	p->open = 0;
	while (p->busy)
		pthread_cond_wait(&p->done, &p->lock);
	pthread_mutex_unlock(&p->lock);
}

void gt_parallel(gt_pool *p, size_t n, size_t grain, gt_loop body, void *self)
{
	gt_poll *poll = inside ? NULL : gt_poll_get();
	const size_t piece = grain ? grain : n ? (n - 1) / (size_t)gt_pool_threads(p) + 1 : 1;
	if (n == 0 || (poll && poll->stopped))
		return;
	if (!p || p->threads == 1 || inside || n <= piece) {
		work_alone(p, n, piece, body, self, poll);
		return;
	}
	pthread_mutex_lock(&p->turn);
	share(p, n, piece, body, self);
	pthread_mutex_unlock(&p->turn);
}

void gt_parallel_once(size_t n, size_t alone, size_t grain, gt_loop body, void *self)
{
	gt_pool *pool = NULL;
	if (n > alone && gt_pool_new(0, &pool) != GT_OK)
		pool = NULL;
	gt_parallel(pool, n, grain, body, self);
	gt_pool_free(pool);
}
