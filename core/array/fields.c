/* Types, and fields of arrays. */
#include "core/array/check.h"

size_t gt_type_size(gt_type t) { return t == GT_F64 ? sizeof(double) : sizeof(float); }
const char *gt_type_name(gt_type t) { return t == GT_F64 ? "double" : "single"; }

size_t gt_array_size(const gt_array *a) { return gt_is_array(a) ? a->all : 0; }
gt_type gt_array_type(const gt_array *a) { return gt_is_array(a) ? a->type : GT_F32; }
size_t gt_array_bytes(const gt_array *a) { return gt_is_array(a) ? a->n * gt_type_size(a->type) : 0; }
gt_backend *gt_array_backend(const gt_array *a) { return gt_is_array(a) ? a->be : NULL; }
void *gt_array_data(const gt_array *a)
{
	if (!gt_is_array(a))
		return NULL;
	gt_backend_catch_up(a->be);
	return a->data;
}
