#ifndef GT_CORE_VARIANT_OF_RUN_H
#define GT_CORE_VARIANT_OF_RUN_H
/* Variants of kernels by what a run says, not by what was tuned. */
#ifdef __cplusplus
extern "C" {
#endif
/* From here on operators of this thread take these variants alone, in the words of gt_variant_taken(), which is not
 * copied; "built-in": none; NULL: as before. What is being tried goes before it. */
void gt_variant_only(const char *taken);
/* 1: from here on operators of this thread that ask for a kernel take what the first of them got, of whatever class
 * their problems are, so that gt_variant_taken() holds for all; 0: as before. */
void gt_variant_same(int same);
#ifdef __cplusplus
}
#endif
#endif
