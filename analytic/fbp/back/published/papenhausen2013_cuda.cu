/* Kernels of Papenhausen, Mueller 2013:
 * - rsqrt: 16 views per launch, the reciprocal as rsqrt(w w)
 * - transposed: in addition, views along y use a volume with x and y exchanged, which is added at the end
 * - atomic: in addition, sums are added without being read
 *
 * Memory in addition to the volume: textures of 16 views; transposed and atomic hold a second volume. */
#include "analytic/fbp/back/published/published.cuh"

ONE(rsqrt, 16, RSQRT)
TURNED(transposed, 16, RSQRT)
TURNED(atomic, 16, RSQRT | ATOMIC)
