#ifndef GT_CORE_TEXT_H
#define GT_CORE_TEXT_H
/* Formatted texts with a decimal point in every locale, so that files and settings are portable. */
#include <stdarg.h>
#include <stdio.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The caller frees the text. NULL: out of memory. */
char *gt_text(const char *format, ...) GT_PRINTF(1, 2);
/* 1 for true, t, yes, on and 1; 0 for false, f, no, off and 0, ignoring case; -1 for all other words. */
int    gt_boolean_of(const char *word);
/* strtod(), snprintf(), fprintf(), vsnprintf() and vasprintf() in the locale "C". */
double gt_strtod(const char *text, char **end);
int    gt_snprintf (char *text, size_t size, const char *format, ...) GT_PRINTF(3, 4);
int    gt_fprintf  (FILE *f, const char *format, ...) GT_PRINTF(2, 3);
int    gt_vsnprintf(char *text, size_t size, const char *format, va_list args) GT_PRINTF(3, 0);
int    gt_vasprintf(char **text, const char *format, va_list args) GT_PRINTF(2, 0);

/* Writes "604 KiB" to text: three figures, in the largest unit with a value of 1 or more. Returns text. */
enum { GT_BYTES_TEXT = 32 };
const char *gt_bytes_text(double bytes, char text[GT_BYTES_TEXT]);
/* Parses "4GiB", "500MB", "1e9" as bytes. GT_ERR_ARG; what: name of the setting in messages. */
gt_status gt_bytes_parse(const char *what, const char *text, double *bytes);
/* Quotes text as one word of a shell command, in out if quotes are needed. Returns text itself if out is too small. */
const char *gt_shell_word(const char *text, char *out, size_t size);
/* Copies n bytes of text to out, which may be text itself, truncated to `size` bytes at a whole character. Each
 * control character except tabs and newlines, each bidirectional control, and each byte that is not UTF-8 becomes
 * '?'. */
void gt_utf8_shown(const char *text, size_t n, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
