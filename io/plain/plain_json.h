#ifndef GT_IO_PLAIN_PLAIN_JSON_H
#define GT_IO_PLAIN_PLAIN_JSON_H
#include <cjson/cJSON.h>

/* The object of a JSON that describes a volume; NULL: the file is none, or cannot be read. To be deleted. */
cJSON *gt_plain_json(const char *path);

#endif
