/* Texts of any length, and quoting of shell words. */
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "core/text.h"

/* Each call sets the locale "C" for this thread, since the program may have set another one. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t c_locale;

static void make(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

/* Returns the locale that leave() restores. If memory is exhausted, the caller's locale stays. */
static locale_t enter(void)
{
	pthread_once(&once, make);
	return uselocale(c_locale);
}

static void leave(locale_t before) { uselocale(before); }

double gt_strtod(const char *text, char **end)
{
	const locale_t before = enter();
	const double value = strtod(text, end);
	leave(before);
	return value;
}

int gt_vsnprintf(char *text, size_t size, const char *format, va_list args)
{
	const locale_t before = enter();
	const int n = vsnprintf(text, size, format, args);
	leave(before);
	return n;
}

int gt_vasprintf(char **text, const char *format, va_list args)
{
	const locale_t before = enter();
	const int n = vasprintf(text, format, args);
	leave(before);
	return n;
}

int gt_snprintf(char *text, size_t size, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const int n = gt_vsnprintf(text, size, format, args);
	va_end(args);
	return n;
}

int gt_fprintf(FILE *f, const char *format, ...)
{
	const locale_t before = enter();
	va_list args;
	va_start(args, format);
	const int n = vfprintf(f, format, args);
	va_end(args);
	leave(before);
	return n;
}

char *gt_text(const char *format, ...)
{
	char *text = NULL;
	va_list args;
	va_start(args, format);
	const int n = gt_vasprintf(&text, format, args);
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

int gt_boolean_of(const char *word)
{
	static const char *const words[] = { "false", "true", "f", "t", "no", "yes", "off", "on", "0", "1" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcasecmp(word, words[i]))
			return i % 2;
	return -1;
}
