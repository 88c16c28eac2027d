#ifndef GT_VIEWER_HTML_H
#define GT_VIEWER_HTML_H
/* Texts of others in HTML and JSON, where none of them is taken for markup or script. Errors stick to the stream. */
#include <stdio.h>

/* As text or as the value of an attribute in quotes. NULL: nothing. */
void gt_html_text(FILE *f, const char *text);
/* Writes text with optional line breaks after , : ; and / for long words such as settings and paths. */
void gt_html_breakable(FILE *f, const char *text);
/* A JSON string with its quotes, fit to stand in a script element. NULL: null. */
void gt_write_json_text(FILE *f, const char *text);
/* Writes null for numbers that are not finite. */
void gt_write_json_number(FILE *f, double x);
void gt_base64(FILE *f, const unsigned char *data, size_t n);
#endif
