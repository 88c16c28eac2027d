#ifndef GT_IO_GEOMETRY_JSON_KEYS_H
#define GT_IO_GEOMETRY_JSON_KEYS_H
/* Members of JSON objects as numbers and lists; private to io/. Where a call has `fallback`, a member that is not
 * there has that value. */
#include <cjson/cJSON.h>
#include "io/geometry/input.h"

/* GT_ERR_FORMAT: no JSON object. */
gt_status gt_json_read(const gt_geometry_input *in, cJSON **root);
/* 1: the text begins as an object does and holds that key in quotes. */
int       gt_json_has(const gt_geometry_input *in, const char *key);
gt_status gt_json_number(const gt_geometry_input *in, const cJSON *root, const char *key, const double *fallback, double *value);
/* n numbers; one number stands for n equal ones. */
gt_status gt_json_numbers(const gt_geometry_input *in, const cJSON *root, const char *key, const double *fallback, size_t n, double *value);
/* All numbers of a list, of lists within it too, row by row; *width: of each inner list, 1 where there are none. */
gt_status gt_json_list(const gt_geometry_input *in, const cJSON *root, const char *key, gt_number_list *l, size_t *width);
/* NULL: the member does not exist. GT_ERR_FORMAT: it is no text. */
gt_status gt_json_text(const cJSON *root, const char *key, const char **text);

#endif
