#ifndef GT_CORE_BASIS_BASIS_H
#define GT_CORE_BASIS_BASIS_H
/* Vectors of one length in the memory of one backend, and their products with others, as solvers on a Krylov space
 * need them: a tall matrix V, one vector after the other. On the CPU one pass over V in fixed parts, the same bits on
 * any number of threads; on CUDA cuBLAS, opened when the first basis asks for it, on fixed parts whose sums are added
 * in double. Sums over the length of vectors are in double; in single precision cuBLAS adds 4096 products at a time
 * in single first. In a team each rank holds its local range of every vector. Products are collective:
 * partial sums are added in the order of ranks, so that all ranks get the same value. */
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_basis gt_basis;
/* Room for `most` vectors like the model, all 0. Where they do not fit: GT_ERR_MEMORY by the name of who asks, and
 * how many would. */
gt_status gt_basis_new (const char *who, const gt_array *model, size_t max, gt_basis **b);
void      gt_basis_free(gt_basis *b);
/* What one takes on the model's backend, of a team on this member's. */
size_t    gt_basis_bytes(const gt_array *model, size_t max);
gt_array *gt_basis_vector(const gt_basis *b, size_t i);         /* an array to read and write */
gt_array *gt_basis_whole (const gt_basis *b);                   /* all of them, one after the other */
/* y[0..k) = V' w with the first k vectors; waits for it once. */
void      gt_basis_dots(gt_basis *b, size_t k, const gt_array *w, double *y);
/* w = w - V V' w with the first k vectors, y[0..k) = V' w; waits once. */
void      gt_basis_project_out(gt_basis *b, size_t k, gt_array *w, double *y);
/* w = w + V y with the first k vectors. */
void      gt_basis_add(gt_basis *b, size_t k, const double *y, gt_array *w);

#ifdef __cplusplus
}
#endif
#endif
