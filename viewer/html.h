#ifndef GT_VIEWER_HTML_H
#define GT_VIEWER_HTML_H
/* Texts of others in HTML and JSON, where none of them is taken for markup or script. Errors stick to the stream. */
#include <stdio.h>

/* As text or as the value of an attribute in quotes. NULL: nothing. */
void gt_html_text(FILE *f, const char *text);
/* As text whose long words, such as settings and paths, may go on in the next line behind one of , : ; / */
void gt_html_breakable(FILE *f, const char *text);
/* A JSON string with its quotes, fit to stand in a script element. NULL: null. */
void gt_write_json_text(FILE *f, const char *text);
/* What is not finite: null. */
void gt_write_json_number(FILE *f, double x);
void gt_base64(FILE *f, const unsigned char *data, size_t n);
#endif
