#ifndef GT_IO_GEOMETRY_JSON_KEYS_H
#define GT_IO_GEOMETRY_JSON_KEYS_H
/* Reads members of JSON objects as numbers and lists; private to io/. `fallback`, if not NULL, is the value of a
 * missing member. */
#include <cjson/cJSON.h>
#include "io/geometry/input.h"

/* GT_ERR_FORMAT: not a JSON object. */
gt_status gt_json_read(const gt_geometry_input *in, cJSON **root);
/* Returns 1 if the text begins like an object and contains the key in quotes. */
int       gt_json_has(const gt_geometry_input *in, const char *key);
gt_status gt_json_number(const gt_geometry_input *in, const cJSON *root, const char *key, const double *fallback, double *value);
/* n numbers; a single number stands for n equal ones. */
gt_status gt_json_numbers(const gt_geometry_input *in, const cJSON *root, const char *key, const double *fallback, size_t n, double *value);
/* All numbers of a list or of a list of lists, row by row; *width: length of each inner list, 1 without inner lists. */
gt_status gt_json_list(const gt_geometry_input *in, const cJSON *root, const char *key, gt_number_list *l, size_t *width);
/* NULL: the member does not exist. GT_ERR_FORMAT: not a text. */
gt_status gt_json_text(const cJSON *root, const char *key, const char **text);

#endif
