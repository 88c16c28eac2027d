/* Forms of Papenhausen, Mueller 2013:
 *   rsqrt        16 views per launch, the reciprocal as rsqrt(w w)
 *   transposed   besides, views along y work on a volume with x and y exchanged, put back at the end
 *   atomic       besides, sums are added without being read
 * Memory beside the volume: textures of 16 views; transposed and atomic hold a second volume. */
#include "analytic/fbp/back/published/published.cuh"

ONE(rsqrt, 16, RSQRT)
TURNED(transposed, 16, RSQRT)
TURNED(atomic, 16, RSQRT | ATOMIC)
