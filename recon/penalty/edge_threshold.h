#ifndef GT_RECON_EDGE_THRESHOLD_H
#define GT_RECON_EDGE_THRESHOLD_H
/* Threshold of an edge-preserving penalty (c, delta) given as "auto": a multiple of the target noise. */
#include "recon/penalty/penalty_from_spec.h"

/* *spec: o->spec with the threshold, malloc'ed. noise: target, mm^-1; 0: from the start, or unknown in a dry run. The
 * log reports the threshold. */
gt_status gt_edge_threshold(const gt_listener *log, const gt_penalty_spec *o, double noise, const gt_penalty_problem *c,
                            char **spec);
#endif
