#ifndef GANTRY_PLAUSIBILITY_H
#define GANTRY_PLAUSIBILITY_H
/* Are the values of projections line integrals, or counts, or of another unit? */
#include <gantry/data.h>
#include <gantry/message.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Values that were looked at, some at a time. All 0 to begin with, but for the size. */
typedef struct {
	size_t size;                    /* sizeof(gt_value_range) */
	size_t looked, implausible;     /* how many values; how many of them no detector can have measured as -ln(I/I0) */
	float min, max;                 /* of the parts that held such values */
} gt_value_range;
GT_API void gt_value_range_scan(gt_value_range *r, const float *value, size_t n);
/* A warning, which names the file, if some are implausible. */
GT_API void gt_value_range_warn(const gt_value_range *r, const gt_listener *log, const char *path);
/* The same as a refusal: GT_ERR_FORMAT. */
GT_API gt_status gt_value_range_check(const gt_value_range *r, const char *path);
/* GT_ERR_FORMAT if some of p are implausible: how many, between what, and view, row and column of the first. p without
 * data is fine. */
GT_API gt_status gt_projections_plausible(const gt_projections *p, const char *path);
/* Looks at all of p, and warns: 1 if some are implausible. p without data is never. */
GT_API int  gt_projections_implausible(const gt_projections *p, const gt_listener *log, const char *path);
/* A remark that names the columns whose mean over views and rows stands out from both neighbours': dead or saturated
 * pixels. p without data has none. */
GT_API void gt_projections_outlier_columns(const gt_projections *p, const gt_listener *log, const char *path);

#ifdef __cplusplus
}
#endif
#endif
