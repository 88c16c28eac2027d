/* The last message of each thread, and how failures write it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <gantry/status.h>

static _Thread_local char message[512];

const char *gt_error(void) { return message; }

gt_status gt_fail(gt_status s, const char *format, ...)
{
	char text[sizeof message]; /* the arguments may point into the old message */
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	memcpy(message, text, sizeof message);
	return s;
}

gt_status gt_fail_in(gt_status s, const char *format, ...)
{
	if (s == GT_OK || s == GT_STOPPED)
		return s;
	char text[sizeof message];
	va_list ap;
	va_start(ap, format);
	const int n = vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	const size_t used = n < 0 ? 0 : (size_t)n < sizeof text - 3 ? (size_t)n : sizeof text - 3;
	memcpy(text + used, ": ", 2);
	const size_t length = strlen(message), room = sizeof text - used - 3;
	memcpy(text + used + 2, message, length < room ? length : room);
	text[used + 2 + (length < room ? length : room)] = 0;
	memcpy(message, text, sizeof message);
	return s;
}

const char *gt_status_text(gt_status s)
{
#define GT_TEXT(name, text) [name] = text,
	static const char *const texts[] = { GT_STATUS_LIST(GT_TEXT) };
#undef GT_TEXT
	return (size_t)s < sizeof texts / sizeof *texts ? texts[s] : "unknown status";
}
