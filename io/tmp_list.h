#ifndef GT_IO_TMP_LIST_H
#define GT_IO_TMP_LIST_H
/* Unfinished files and folders of this process, which a fatal signal removes. The list changes only between
 * gt_tmp_list_begin() and gt_tmp_list_end(); removal waits for changes in progress and blocks new ones. */
#include <signal.h>
#include <sys/types.h>
#include <gantry/status.h>

enum { GT_TMP_DIGITS = 6, GT_TMP_EXTENSION = 15 };

typedef struct gt_unfinished {
	char *name;
	pid_t owner; /* a forked child must not remove its parent's files */
	struct gt_unfinished *next;
	/* Folders: number of files 000001.EXTENSION ... that may exist. gone: new name that a folder gets first, so
	 * that other threads create no more files in it (NULL: not a folder). */
	size_t files;
	char *gone, extension[GT_TMP_EXTENSION + 1];
} gt_unfinished;

void gt_tmp_list_begin(sigset_t *before);
void gt_tmp_list_end(const sigset_t *before);
/* Call between begin and end. u is complete; the list then owns it. */
void gt_tmp_list_add(gt_unfinished *u);
/* The entry whose `name` is this pointer, or NULL. */
gt_unfinished *gt_tmp_list_find(const char *name);
/* Removes the entry from the list and frees it, but not its name. */
void gt_tmp_list_drop(gt_unfinished *u);
/* Deletes the file or folder; async-signal-safe. */
void gt_tmp_delete(const gt_unfinished *u);

/* Checks that a file of this name may be written or replaced. GT_ERR_IO: a folder, a device, a symbolic link, or
 * write-protected. */
gt_status gt_tmp_check_target(const char *path);
/* gt_tmp_commit() for a folder: path may end in slashes. Frees tmp. */
gt_status gt_tmp_commit_folder(char *tmp, const char *path);
/* 1 if the name ends in a slash. */
int       gt_names_folder(const char *path);

/* Commits only if path does not exist; otherwise *taken is 1 and tmp stays. */
gt_status gt_tmp_commit_new(char *tmp, const char *path, int *taken);
/* Removes all unfinished files of this process; for signal handlers. */
void      gt_tmp_remove(void);
#endif
