#ifndef GT_CORE_VARIANT_OF_RUN_H
#define GT_CORE_VARIANT_OF_RUN_H
/* Selects the kernel variants of one run instead of the tuned ones. */
#ifdef __cplusplus
extern "C" {
#endif
/* Operators that this thread creates later take only these variants, written as gt_variant_taken(). The text is not
 * copied. "built-in": none; NULL: the default. A variant under evaluation has priority. */
void gt_variant_only(const char *taken);
/* 1: later operators of this thread take the variant that the first one for their kernel took, whatever their problem
 * class. gt_variant_taken() then holds for all. 0: the default. */
void gt_variant_same(int same);
#ifdef __cplusplus
}
#endif
#endif
