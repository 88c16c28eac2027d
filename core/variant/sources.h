#ifndef GT_CORE_VARIANT_SOURCES_H
#define GT_CORE_VARIANT_SOURCES_H
/* Sources of kernels in the library, made by cmake/embed_kernels.cmake: the kernels, then all that they include of this
 * tree, by the names under which it is included. */
#ifdef __cplusplus
extern "C" {
#endif
struct gt_kernel_file { const char *name, *text; };
extern const struct gt_kernel_file gt_kernel_files[];   /* ends with name = NULL */
extern const char gt_kernel_hash[];                     /* of all of them */
#ifdef __cplusplus
}
#endif
#endif
