#ifndef GT_REGULARIZERS_PASS_PARAMS_H
#define GT_REGULARIZERS_PASS_PARAMS_H
/* Private to regularizers/. Parameter table lines common to several penalties, for an options struct of type S with
 * these members. */
#include <stddef.h>
#include <gantry/array.h>
#include <gantry/author/params.h>

#define GT_PARAM_STRENGTH(S) \
	{ .key = "strength", .help = "factor on the penalty", .kind = GT_REAL, .at = offsetof(S, strength), .min = 0, .max = 1e30 }
#define GT_PARAM_MU(S, id, text) \
	{ .key = #id, .help = text, .kind = GT_MU, .at = offsetof(S, id), .min = 1e-9, .max = 1e6 }
#define GT_PARAM_INT(S, id, text, low, high) { .key = #id, .help = text, .kind = GT_INT, .at = offsetof(S, id), .min = low, .max = high }

#define GT_PARAM_FILE(S, id, text) { .key = #id, .help = text, .kind = GT_TEXT, .at = offsetof(S, id) }

/* GT_ERR_UNSUPPORTED, with the penalty's name, if there are weights per voxel. */
static inline gt_status gt_no_kappa(const char *name, const gt_array *kappa)
{
	return kappa ? gt_fail(GT_ERR_UNSUPPORTED,
	                       "%s: no weights per voxel (kappa): expected none, or a penalty on pairs of voxels", name) : GT_OK;
}
#endif
