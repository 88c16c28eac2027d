#ifndef GT_IO_PLAIN_PLAIN_JSON_H
#define GT_IO_PLAIN_PLAIN_JSON_H
#include <cjson/cJSON.h>
#include <gantry/status.h>

/* JSON object that describes a volume; the caller deletes it. *root NULL: the file is not such a JSON, or unreadable.
 * GT_ERR_FORMAT: it has the key of such a JSON, but is invalid. */
gt_status gt_plain_json(const char *path, cJSON **root);

#endif
