#ifndef GT_IO_PLAIN_PLAIN_JSON_H
#define GT_IO_PLAIN_PLAIN_JSON_H
#include <cjson/cJSON.h>

/* JSON object that describes a volume; the caller deletes it. NULL: the file is not such a JSON, or unreadable. */
cJSON *gt_plain_json(const char *path);

#endif
