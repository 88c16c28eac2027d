/* Messages of a calibration in progress. */
#include <stdarg.h>
#include <stdio.h>
#include "calibration/note.h"

enum { TEXT = 512 };

void gt_calibration_note(const gt_listener *notes, gt_severity severity, const char *format, ...)
{
	char text[TEXT];
	va_list args;
	if (!notes->say)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	const gt_message m = { sizeof m, severity, GT_ABOUT_GEOMETRY, text };
	notes->say(notes->self, &m);
}
