/* Kernels of Okitsu, Ino, Hagihara, "Fast cone beam reconstruction using the CUDA-enabled GPU", HiPC 2008, LNCS 5374,
 * 108:
 * - strided: one view per launch, the lanes of a warp along y (their form A)
 * - coalesced: lanes along x (form B)
 * - local: 4 views per launch, added one by one to a sum in local memory (form C)
 * - local-ahead: 12 views per launch with that sum, positions computed ahead (form D)
 * - local-once: 12 views, four per expression: local memory is accessed once for them (form E)
 * - batched: 4 views per launch, one sum in a register
 * - ahead: 12 views, one sum in a register (form F)
 *
 * Memory in addition to the volume: textures of one launch's views. */
#include "analytic/fbp/back/published/published.cuh"

ONE(strided, 1, STRIDED)
ONE(coalesced, 1, 0)
ONE(local, 4, LOCAL)
ONE(local_ahead, 12, LOCAL)
ONE(local_once, 12, LOCAL | FOURS)
ONE(batched, 4, 0)
ONE(ahead, 12, 0)
