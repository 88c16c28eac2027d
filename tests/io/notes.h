#ifndef GT_TESTS_IO_NOTES_H
#define GT_TESTS_IO_NOTES_H
/* Collects the notes of a reader or writer as text. */
#include <stdio.h>
#include <string.h>
#include <gantry/message.h>

enum { NOTES = 4096 };

static inline void add_note(void *self, const gt_message *m)
{
	char *text = self;
	const size_t at = strlen(text);
	snprintf(text + at, NOTES - at, "%s%s", at ? "; " : "", m->text);
}

static inline gt_listener notes_into(char text[NOTES])
{
	text[0] = 0;
	return (gt_listener){ add_note, text };
}

#endif
