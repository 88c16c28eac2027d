#ifndef GANTRY_TEXT_H
#define GANTRY_TEXT_H
/* Texts for people: sizes of memory, words of a shell's command, and texts of files and names of others made fit to be shown or put into JSON. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

/* "604 KiB": three figures, in the largest unit of which there is one at least, to `text`, which is returned. */
enum { GT_BYTES_TEXT = 32 };
GT_API const char *gt_bytes_text(double bytes, char text[GT_BYTES_TEXT]);
/* "4GiB", "500MB", "1e9" -> bytes. GT_ERR_ARG; `what` is the setting that the message names. */
GT_API gt_status gt_bytes_parse(const char *what, const char *text, double *bytes);
/* text as one word of a shell's command: itself, or out with quotes around it; itself too where those do not fit. */
GT_API const char *gt_shell_word(const char *text, char *out, size_t size);
/* Copies n bytes of text to out, which may be text itself, truncated to `size` bytes at a whole character. Each
 * control character except tabs and newlines, each bidirectional control, and each byte that is not UTF-8 becomes
 * '?'. */
GT_API void gt_utf8_shown(const char *text, size_t n, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
