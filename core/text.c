/* Texts of any length, and words of a shell's command. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <gantry/text.h>
#include "core/text.h"

char *gt_text(const char *format, ...)
{
	char *text = NULL;
	va_list args;
	va_start(args, format);
	const int n = vasprintf(&text, format, args);
	va_end(args);
	return n < 0 ? NULL : text;
}

const char *gt_shell_word(const char *text, char *out, size_t size)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./+,:=@%";
	const char *c = text;
	size_t n = 0;
	if (*text && !text[strspn(text, plain)])
		return text;
	if (size < 3)
		return text;
	out[n++] = '\'';
	for (; *c && n + 6 <= size; c++)
		if (*c == '\'') {
			memcpy(out + n, "'\\''", 4);
			n += 4;
		} else
			out[n++] = *c;
	if (*c)
		return text;
	out[n++] = '\'';
	out[n] = 0;
	return out;
}
