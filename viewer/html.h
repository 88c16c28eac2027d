#ifndef GT_VIEWER_HTML_H
#define GT_VIEWER_HTML_H
/* Escapes foreign text for HTML and JSON, so that it cannot act as markup or script. Errors stick to the stream. */
#include <stdio.h>

/* Writes element text or a quoted attribute value. NULL: nothing. */
void gt_html_text(FILE *f, const char *text);
/* Writes text with optional line breaks after , : ; and / for long words such as settings and paths. */
void gt_html_breakable(FILE *f, const char *text);
/* Writes a JSON string with its quotes, safe within a script element. NULL: null. */
void gt_write_json_text(FILE *f, const char *text);
/* Writes null for numbers that are not finite. */
void gt_write_json_number(FILE *f, double x);
void gt_base64(FILE *f, const unsigned char *data, size_t n);
#endif
