/* The only code of the command that prints texts with names and contents of files: control characters never reach the
 * terminal. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/cli.h"
#include "core/text.h"

/* A control character that text does not contain, other than skip; 0: none. */
static char unused_control(const char *text, char skip)
{
	for (char c = 1; c < ' '; c++)
		if (c != '\n' && c != '\t' && c != skip && !strchr(text, c))
			return c;
	return 0;
}

static void replace(char *text, char from, char to)
{
	for (char *at = text; from && (at = strchr(at, from)); at++)
		*at = to;
}

static int is_lost; /* 1: memory was missing to print a text to the standard output */

int cli_lost_output(void) { return is_lost; }

/* Prints newlines and tabs of the format. In arguments, as in file names, they become '?'. */
static void print_list(FILE *to, const char *format, va_list args)
{
	char *text = NULL, *marked = strdup(format);
	int is_printed = 0;
	va_list again;
	va_copy(again, args);
	if (marked && vasprintf(&text, format, args) >= 0) {
		const char line = unused_control(text, 0), tab = unused_control(text, line);
		free(text);
		replace(marked, '\n', line ? line : '\n');
		replace(marked, '\t', tab ? tab : '\t');
		if (vasprintf(&text, marked, again) >= 0) {
			replace(text, '\n', '?');
			replace(text, '\t', '?');
			replace(text, line, '\n');
			replace(text, tab, '\t');
			gt_utf8_shown(text, strlen(text), text, strlen(text) + 1);
			fputs(text, to);
			free(text);
			is_printed = 1;
		}
	}
	is_lost |= !is_printed && to == stdout;
	va_end(again);
	free(marked);
}

void cli_print(FILE *to, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	print_list(to, format, args);
	va_end(args);
}

void cli_note(const cli_call *call, const char *format, ...)
{
	va_list args;
	if (call->common.quiet)
		return;
	va_start(args, format);
	print_list(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static void print_message(void *self, const gt_message *m) { cli_note(self, "%s", m->text); }
gt_listener cli_listener(const cli_call *call) { return (gt_listener){ print_message, (void *)call }; }

char *cli_json_text(const cJSON *report, int lines)
{
	char *text = lines ? cJSON_Print(report) : cJSON_PrintUnformatted(report);
	if (text)
		gt_utf8_shown(text, strlen(text), text, strlen(text) + 1);
	return text;
}

void cli_json(cJSON *report)
{
	char *text = cli_json_text(report, 1);
	if (text)
		puts(text);
	cJSON_free(text);
	cJSON_Delete(report);
}
