#ifndef GT_CORE_LOG_H
#define GT_CORE_LOG_H
/* How the library tells its caller what it chose and why: gt_notify() sends a text to the listener. */
#include <stdarg.h>
#include <gantry/message.h>

/* Hands a message to the log; does nothing where log or its function is NULL. */
void gt_notify(const gt_listener *log, gt_severity severity, gt_subject subject, const char *format, ...) GT_PRINTF(4, 5);
void gt_notify_list(const gt_listener *log, gt_severity severity, gt_subject subject, const char *format, va_list args) GT_PRINTF(4, 0);

#endif
