#ifndef GT_CORE_VARIANT_SOURCES_H
#define GT_CORE_VARIANT_SOURCES_H
/* Kernel sources in the library, embedded by cmake/embed_kernels.cmake: the kernels, then all files of this tree that
 * they include, by their include names. */
#ifdef __cplusplus
extern "C" {
#endif
struct gt_kernel_file { const char *name, *text; };
extern const struct gt_kernel_file gt_kernel_files[];   /* ends with name = NULL */
/* Shipped tables of tuned kernels, as store.c writes them, sorted by kernel. */
extern const struct gt_kernel_file gt_kernel_tables[];  /* ends with name = NULL */
/* Source with the kernel's search space, a line "tune KERNEL"; NULL: none. */
const struct gt_kernel_file *gt_kernel_file_of(const char *kernel);
/* Hash of this source and its includes, without comments and layout; "" if there is none. */
const char *gt_kernel_hash_of(const char *kernel);
const char *gt_kernel_hash_of_source(const char *name);
#ifdef __cplusplus
}
#endif
#endif
