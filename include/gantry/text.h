#ifndef GANTRY_TEXT_H
#define GANTRY_TEXT_H
/* Texts of files and names of others, made fit to be shown, to be put into JSON, and to be typed. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Puts n bytes of text into out, which may be text itself, cut to `size` bytes at a whole character. What is no UTF-8, and control characters other
 * than tabs and ends of lines, become '?': one for each such character, and one for each byte that begins none. */
GT_API void gt_utf8_shown(const char *text, size_t n, char *out, size_t size);
/* The text as one word of a shell's command: itself, or out with quotes around it; itself too where those do not fit. */
GT_API const char *gt_shell_word(const char *text, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
