#ifndef GT_IO_TMP_LIST_H
#define GT_IO_TMP_LIST_H
/* Files and folders that this process makes and has not finished, so that a signal that ends it can remove them.
 * The list changes only between gt_tmp_list_begin() and gt_tmp_list_end(); whoever removes everything waits until
 * nobody is there, and lets nobody in. */
#include <signal.h>
#include <sys/types.h>
#include <gantry/status.h>

enum { GT_TMP_DIGITS = 6, GT_TMP_EXTENSION = 15 };

typedef struct gt_unfinished {
	char *name;
	pid_t owner; /* a forked child must not remove its parent's files */
	struct gt_unfinished *next;
	/* Folders: how many files 000001.EXTENSION and on may be in it; the name it is given before they go, so
	 * that other threads make no more of them (NULL: not a folder). */
	size_t files;
	char *gone, extension[GT_TMP_EXTENSION + 1];
} gt_unfinished;

void gt_tmp_list_begin(sigset_t *before);
void gt_tmp_list_end(const sigset_t *before);
/* Between these two. u is complete, and the list's from then on. */
void gt_tmp_list_add(gt_unfinished *u);
/* The one whose `name` is this very pointer; NULL if there is none. */
gt_unfinished *gt_tmp_list_find(const char *name);
/* Takes it off the list and frees it, but for its name. */
void gt_tmp_list_drop(gt_unfinished *u);
/* Deletes the thing itself. Only async-signal-safe calls. */
void gt_tmp_delete(const gt_unfinished *u);

/* May a file of that name be written, or replaced? GT_ERR_IO: a folder, a device, a symbolic link, or
 * write-protected. */
gt_status gt_tmp_check_target(const char *path);
/* gt_tmp_commit() of a folder: path may end in slashes. Frees tmp. */
gt_status gt_tmp_commit_folder(char *tmp, const char *path);
/* 1: the name ends in a slash. */
int       gt_names_folder(const char *path);

/* Commits only if path does not exist; otherwise *taken is 1 and tmp stays. */
gt_status gt_tmp_commit_new(char *tmp, const char *path, int *taken);
/* Removes all unfinished files of this process; for signal handlers. */
void      gt_tmp_remove(void);
#endif
