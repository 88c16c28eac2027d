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
#ifdef __cplusplus
}
#endif

#endif
