#ifndef GT_CORE_VARIANT_SOURCES_H
#define GT_CORE_VARIANT_SOURCES_H
/* Sources of kernels in the library, made by cmake/embed_kernels.cmake: the kernels, then all that they include of this
 * tree, by the names under which it is included. */
#ifdef __cplusplus
extern "C" {
#endif
struct gt_kernel_file { const char *name, *text; };
extern const struct gt_kernel_file gt_kernel_files[];   /* ends with name = NULL */
/* What was found on some devices, as store.c writes it: by the kernels' names. */
extern const struct gt_kernel_file gt_kernel_tables[];  /* ends with name = NULL */
/* That which has a kernel's space, a line "tune KERNEL"; NULL if there is none. */
const struct gt_kernel_file *gt_kernel_file_of(const char *kernel);
/* Of that and all that it includes, without comments and layout; "" if there is none. */
const char *gt_kernel_hash_of(const char *kernel);
const char *gt_kernel_hash_of_source(const char *name);
#ifdef __cplusplus
}
#endif
#endif
