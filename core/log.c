/* Messages to the listener, and the wall time of stages. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/clock.h"
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

static _Thread_local char note[512];

void gt_choice_note(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(note, sizeof note, format, args);
	va_end(args);
}

void gt_choice_report(const gt_listener *log)
{
	if (*note)
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE, "%s", note);
	*note = 0;
}

/* Stages: one runs at a time, under a lock. */

struct timed_stage {
	const char *name;
	double seconds;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timed_stage *stages;
static size_t count, running;
static double since;
static __thread int is_timed; /* other threads, such as ranks of a team, leave no marks */

/* Needs the lock. Returns the entry of this name, which may be new; `count` without memory. */
static size_t find(const char *name)
{
	size_t i = 0;
	while (i < count && strcmp(stages[i].name, name))
		i++;
	if (i < count)
		return i;
	struct timed_stage *more = realloc(stages, (count + 1) * sizeof *more);
	if (!more)
		return count;
	stages = more;
	stages[count] = (struct timed_stage){ name, 0 };
	return count++;
}

void gt_timings_start(void)
{
	is_timed = 1;
	pthread_mutex_lock(&lock);
	count = 0;
	running = find("start");
	since = gt_seconds();
	pthread_mutex_unlock(&lock);
}

void gt_mark_stage(const char *name)
{
	if (!is_timed)
		return;
	pthread_mutex_lock(&lock);
	if (count) {
		const double now = gt_seconds();
		const size_t next = find(name);
		stages[running].seconds += now - since;
		since = now;
		running = next < count ? next : running;
	}
	pthread_mutex_unlock(&lock);
}

size_t gt_timings(size_t i, const char **name, double *seconds)
{
	pthread_mutex_lock(&lock);
	const size_t n = count;
	*name = i < n ? stages[i].name : NULL;
	*seconds = i < n ? stages[i].seconds + (i == running ? gt_seconds() - since : 0) : 0;
	pthread_mutex_unlock(&lock);
	return n;
}
