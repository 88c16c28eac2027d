#ifndef GT_IO_FRAMES_FILE_NAMES_H
#define GT_IO_FRAMES_FILE_NAMES_H
/* Names of image files: numbers, groups, and kinds of fields; private to io/. */
#include <gantry/status.h>
#include <stddef.h>

/* digits, end: position in the name of the number that orders the files. Without such a number it is -1. dot: position
 * of the extension. The caller sets is_file: 1 if the folder lists a regular file and no link. */
typedef struct { char *name; size_t digits, end, dot; long long number; int is_file; } gt_named_file;
typedef struct { gt_named_file *list; size_t n; } gt_named_files;

enum { GT_NAME_VIEW, GT_NAME_FLAT, GT_NAME_DARK };
int       gt_name_kind(const char *name);

/* Copies the name. GT_ERR_MEMORY names the path. */
gt_status gt_named_files_add (const char *path, const char *name, gt_named_files *l);
void      gt_named_files_free(gt_named_files *l);
/* Sorts by the text around the last number, then by this number. */
void      gt_named_files_sort(gt_named_files *l);
/* The largest group of files that differ in one number only, sorted by it; n is 0 without files. *rival: a file of
 * another group of n files, or NULL. The number is the last one in the names. If more files differ in several numbers,
 * or in another one, the list is sorted again by the number that differs in all of them. Letter case and spelling
 * (.tif, .tiff) of the extension do not separate groups. */
void      gt_named_files_group(gt_named_files *l, size_t *first, size_t *n, const char **rival);

#endif
