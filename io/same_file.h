#ifndef GT_IO_SAME_FILE_H
#define GT_IO_SAME_FILE_H
/* Files that belong together. */

/* Returns 1 if both paths name the same file, or would if both existed. */
int       gt_same_file(const char *a, const char *b);
/* Returns the data file that the header at path names (MetaImage), or the JSON or data file that belongs to it. The
 * caller frees it; NULL: none. */
char *gt_data_file(const char *path);
#endif
