#ifndef GT_IO_PLAIN_JSON_TEXT_H
#define GT_IO_PLAIN_JSON_TEXT_H
/* Parses whole JSON texts; private to io/. */
#include <cjson/cJSON.h>
#include <stddef.h>
#include <gantry/status.h>

/* Parses a JSON object of n bytes, which the caller deletes. Blanks may follow it. Messages name path if it is
 * not NULL. GT_ERR_FORMAT: not an object, invalid, followed by other text, or a key that occurs twice. */
gt_status gt_json_parse(const char *path, const char *text, size_t n, cJSON **root);

#endif
