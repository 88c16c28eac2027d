/* Formats messages of the library and passes them to the caller. */
#include <stdio.h>
#include <stdlib.h>
#include "core/log.h"
#include "core/text.h"

void gt_notify_list(const gt_listener *log, gt_severity severity, gt_subject subject, const char *format, va_list args)
{
	char *text = NULL;
	if (!log || !log->say)
		return;
	const int n = gt_vasprintf(&text, format, args);
	/* without memory for the text, the format at least names the subject */
	const gt_message m = { sizeof m, severity, subject, n < 0 ? format : text };
	log->say(log->self, &m);
	if (n >= 0)
		free(text);
}

void gt_notify(const gt_listener *log, gt_severity severity, gt_subject subject, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	gt_notify_list(log, severity, subject, format, args);
	va_end(args);
}
