#ifndef GANTRY_SOLVER_STATE_H
#define GANTRY_SOLVER_STATE_H
#include <gantry/array.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Something that the rest of a run depends on, beside the problem, the options and the number of iterations done. What is
 * computed from these alone, the same in every bit, is none. One of array and value is set; they are read to save a run, and
 * written to continue it. Names are of small letters, digits and _; a list ends with the name NULL. */
typedef struct { const char *name; gt_array *array; double *value; } gt_state_entry;

enum {
	GT_STATE_MAX_PENALTY = 4,            /* a penalty has at most as many, */
	GT_STATE_MAX = 32               /* a run with its penalty's, without the end of the list */
};

#ifdef __cplusplus
}
#endif
#endif
