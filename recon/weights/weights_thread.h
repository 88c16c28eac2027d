#ifndef GT_RECON_WEIGHTS_THREAD_H
#define GT_RECON_WEIGHTS_THREAD_H
/* Weights of the data, computed in a thread while the caller waits for a device. */
#include "recon/data_weights.h"

typedef struct gt_weights_thread gt_weights_thread;
/* Starts gt_weights_from_spec(); o, and all that q points to, must live until gt_weights_end(). */
gt_status gt_weights_begin(const gt_weights_spec *o, const gt_weights_problem *q, gt_weights_thread **t);
/* Waits, frees t, and returns the result of gt_weights_from_spec(). */
gt_status gt_weights_end(gt_weights_thread *t, float **w, char **text);
#endif
