#ifndef GT_APPS_STUDY_QUALITY_CASES_H
#define GT_APPS_STUDY_QUALITY_CASES_H
/* Candidates and scans of `gantry study quality`. */
#include "apps/study/quality/quality.h"

enum { QUALITY_CASES = 14, QUALITY_CANDIDATES = 8 };
extern const quality_case quality_cases[QUALITY_CASES];
extern const quality_candidate quality_candidates[QUALITY_CANDIDATES];
#endif
