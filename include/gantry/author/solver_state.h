#ifndef GANTRY_AUTHOR_SOLVER_STATE_H
#define GANTRY_AUTHOR_SOLVER_STATE_H
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

/* State that the remaining iterations depend on, besides problem, options and iteration count. Omit values that can be
 * recomputed bit-identically from the rest. Either array or value is set; both are read to save a run and written to
 * continue it. Names use lower-case letters, digits and _; a list ends with the name NULL. */
typedef struct { const char *name; gt_array *array; double *value; } gt_state_entry;

enum {
	GT_STATE_MAX_PENALTY = 4,            /* entries of a penalty */
	GT_STATE_MAX = 32               /* entries of a run and its penalty, without the end of the list */
};

#ifdef __cplusplus
}
#endif
#endif
