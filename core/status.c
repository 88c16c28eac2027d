/* Last error message of each thread. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/status.h>
#include "core/text.h"

static _Thread_local char message[512];
static const char gap[] = " ... ";

const char *gt_error(void) { return message; }

/* Shortens a long message, but keeps both ends: a path begins it, the cause ends it. */
static void keep_ends(const char *text, size_t n)
{
	enum { HEAD = 160 };
	const size_t tail = sizeof message - 1 - HEAD - (sizeof gap - 1);
	memcpy(message, text, HEAD);
	memcpy(message + HEAD, gap, sizeof gap - 1);
	memcpy(message + HEAD + sizeof gap - 1, text + n - tail, tail + 1);
}

gt_status gt_fail(gt_status s, const char *format, ...)
{
	char text[sizeof message]; /* the arguments may point into the old message */
	va_list ap, again;
	va_start(ap, format);
	va_copy(again, ap);
	const int n = gt_vsnprintf(text, sizeof text, format, ap);
	char *whole = NULL;
	if (n >= (int)sizeof text && gt_vasprintf(&whole, format, again) >= 0)
		keep_ends(whole, strlen(whole));
	else
		memcpy(message, text, sizeof message);
	free(whole);
	va_end(again);
	va_end(ap);
	return s;
}

gt_status gt_fail_in(gt_status s, const char *format, ...)
{
	if (s == GT_OK || s == GT_STOPPED)
		return s;
	char context[sizeof message];
	va_list ap;
	va_start(ap, format);
	gt_vsnprintf(context, sizeof context, format, ap);
	va_end(ap);
	return gt_fail(s, "%s: %s", context, message);
}

const char *gt_status_text(gt_status s)
{
#define GT_TEXT(name, text) [name] = text,
	static const char *const texts[] = { GT_STATUS_LIST(GT_TEXT) };
#undef GT_TEXT
	return (size_t)s < sizeof texts / sizeof *texts ? texts[s] : "unknown status";
}
