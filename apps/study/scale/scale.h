#ifndef GT_APPS_STUDY_SCALE_H
#define GT_APPS_STUDY_SCALE_H
/* `gantry study scale`: speed-up on several devices, against one and against the model of the time. Table IV is from
 * Liu, Fu, De Man, Yu, "GPU-based branchless distance-driven projection and backprojection", IEEE Trans. Comput.
 * Imaging (2017). */
#include "apps/study/study.h"

/* Its tables. */
enum { SCALE_SPEED = STUDY_OWN, SCALE_PAPER };
enum { SCALE_MAX = 8, SCALE_PAPER_VIEWS = 984 };

typedef struct {
	int count[SCALE_MAX + 1];       /* numbers of ranks, rising; 0 ends them */
	int threads;                    /* per rank on the CPU */
	size_t by;                      /* sizes are divided by this */
	char claim[256];
} scale_findings;
static inline scale_findings *scale_found(const study *s) { return (scale_findings *)s->own; }

void scale_figures(study *s);
void scale_parts(const study *s, study_page *p);
#endif
