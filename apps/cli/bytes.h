#ifndef GT_APPS_CLI_BYTES_H
#define GT_APPS_CLI_BYTES_H
/* Sizes of memory as text. */
#include <gantry/status.h>

/* "4GiB", "500MB", "1e9": bytes. */
gt_status app_bytes_parse(const char *what, const char *text, double *bytes);
/* "604 KiB": three figures, in the largest unit of which there is one at least. */
typedef struct { char text[32]; } app_bytes;
app_bytes app_bytes_text(double bytes);
#endif
