#ifndef GT_CORE_BASIS_BASIS_H
#define GT_CORE_BASIS_BASIS_H
/* Vectors of one length on one backend, as a tall matrix V, and their products, for Krylov solvers. On the CPU one pass
 * over V in fixed parts, bit-identical on any number of threads. On CUDA cuBLAS, loaded with the first basis, on fixed
 * parts whose sums are added in double. Sums over the vector length are in double, but in single precision cuBLAS first
 * adds 4096 products in single. In a team each rank holds its local range of every vector. Products are collective:
 * partial sums are added in the order of ranks, so that all ranks get the same value. */
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_basis gt_basis;
/* Creates `max` zero vectors like the model. GT_ERR_MEMORY names `who` and the number that would fit. */
gt_status gt_basis_new (const char *who, const gt_array *model, size_t max, gt_basis **b);
void      gt_basis_free(gt_basis *b);
/* Memory of a basis on the model's backend; in a team on this rank's. */
size_t    gt_basis_bytes(const gt_array *model, size_t max);
gt_array *gt_basis_vector(const gt_basis *b, size_t i);         /* read-write */
gt_array *gt_basis_whole (const gt_basis *b);                   /* all vectors, concatenated */
/* y[0..k) = V' w with the first k vectors; one synchronisation. */
void      gt_basis_dots(gt_basis *b, size_t k, const gt_array *w, double *y);
/* w = w - V V' w with the first k vectors, y[0..k) = V' w; one synchronisation. */
void      gt_basis_project_out(gt_basis *b, size_t k, gt_array *w, double *y);
void      gt_basis_add(gt_basis *b, size_t k, const double *y, gt_array *w);

#ifdef __cplusplus
}
#endif
#endif
