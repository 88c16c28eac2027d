#ifndef GT_CORE_FORK_H
#define GT_CORE_FORK_H
/* Who must know that the process was forked: of its threads the child has only the one that forked, and no lock
 * that another held opens. */

/* A member of what wants to know; in_child runs in the child before fork() returns there. */
typedef struct gt_fork_watch {
	void (*in_child)(struct gt_fork_watch *self);
	struct gt_fork_watch *before, *next;
} gt_fork_watch;
void gt_fork_watch_begin(gt_fork_watch *w, void (*in_child)(gt_fork_watch *self));
/* Does nothing for one that never began. */
void gt_fork_watch_end(gt_fork_watch *w);

#endif
