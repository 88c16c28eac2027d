#ifndef GT_CORE_FORK_H
#define GT_CORE_FORK_H
/* fork() handlers. Only the forking thread exists in the child, so a mutex held by another thread stays locked. */

/* Embed it in an object. in_child runs in the child before fork() returns there. */
typedef struct gt_fork_watch {
	void (*in_child)(struct gt_fork_watch *self);
	struct gt_fork_watch *before, *next;
} gt_fork_watch;
void gt_fork_watch_begin(gt_fork_watch *w, void (*in_child)(gt_fork_watch *self));
/* Does nothing if it never began. */
void gt_fork_watch_end(gt_fork_watch *w);

#endif
