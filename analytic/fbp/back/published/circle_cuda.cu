/* Kernels for views of a circle, with u independent of z and v updated by addition:
 * - separate: slices outside and views inside, a texture per view (Okitsu, Ino, Hagihara 2010)
 * - layered: one layered texture, in 16 x 16 blocks (Lu, Ino, Hagihara 2016)
 * - intra: that texture, with views outside and slices inside
 *
 * Memory in addition to the volume: textures of one launch's views. */
#include "analytic/fbp/back/published/published.cuh"

FREE(separate, 16, CIRCLE | SEPARATE)
FREE(intra, 16, CIRCLE | INTRA)
FREE(layered, 16, CIRCLE)
