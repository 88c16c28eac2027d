#ifndef GT_CORE_LOG_H
#define GT_CORE_LOG_H
/* gt_notify() sends notes and warnings of the library to the caller's listener. */
#include <stdarg.h>
#include <gantry/message.h>

/* Sends a message to the listener; does nothing if log or its function is NULL. */
void gt_notify(const gt_listener *log, gt_severity severity, gt_subject subject, const char *format, ...) GT_PRINTF(4, 5);
void gt_notify_list(const gt_listener *log, gt_severity severity, gt_subject subject, const char *format, va_list args) GT_PRINTF(4, 0);

/* A choice of a module without a listener, as a solver: replaces the note of this thread. */
void gt_choice_note(const char *format, ...) GT_PRINTF(1, 2);
/* Sends the note of this thread to the listener, if there is one, and forgets it. */
void gt_choice_report(const gt_listener *log);

/* Marks for gt_timings(): ends the running stage and begins this one; equal names share one entry. The name outlives
 * the process: a literal. Does nothing in other threads than that of gt_timings_start(). */
void gt_mark_stage(const char *name);

#endif
