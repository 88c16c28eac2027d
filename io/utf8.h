#ifndef GT_IO_UTF8_H
#define GT_IO_UTF8_H
/* Texts of files, made fit to be shown and to be put into JSON; by the readers, and by who prints JSON. */
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif

/* n bytes of text to out, which may be text itself, cut to size at a whole character. What is no UTF-8, and control characters other than tabs and ends of lines,
 * become '?': one for each such character, and for each byte that begins none. */
void gt_utf8_shown(const char *text, size_t n, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
