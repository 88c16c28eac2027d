/* Texts of any length. */
#include <stdarg.h>
#include <stdio.h>
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
