/* The plotting program. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "apps/cli/gnuplot.h"

extern char **environ;

int app_gnuplot(const char *where, const char *log, const char *flag, const char *what)
{
	char program[] = "gnuplot";
	char *const with_flag[] = { program, (char *)flag, (char *)what, NULL }, *const alone[] = { program, (char *)what, NULL };
	posix_spawn_file_actions_t actions;
	pid_t child;
	int status = -1;
	if (posix_spawn_file_actions_init(&actions))
		return -1;
	int bad = where ? posix_spawn_file_actions_addchdir_np(&actions, where) : 0;
	bad |= posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	bad |= posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	if (!bad && posix_spawnp(&child, program, &actions, NULL, flag ? with_flag : alone, environ) == 0)
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	posix_spawn_file_actions_destroy(&actions);
	return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

gt_status app_gnuplot_check(void)
{
	const int code = app_gnuplot(NULL, "/dev/null", "-e", "set terminal pngcairo");
	if (code < 0 || code == 127)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "gnuplot, which draws the figures, is not installed (Debian, Ubuntu: the package gnuplot-nox)");
	if (code)
		return gt_fail(GT_ERR_UNSUPPORTED, "the installed gnuplot cannot draw PNG: its terminal 'pngcairo' is needed (Debian, "
		                                   "Ubuntu: the package gnuplot-nox)");
	return GT_OK;
}

void app_gnuplot_message(const char *path, char *text, int size)
{
	FILE *in = fopen(path, "r");
	text[0] = 0;
	while (in && fgets(text, size, in) && strspn(text, " \t^\n") == strlen(text))
		;
	text[strcspn(text, "\n")] = 0;
	if (in)
		fclose(in);
}

/* Text between the quotes; what stands for a quote in it, and for a backquote. A control character becomes a space: a newline would end the
 * quotes, and what follows it would be a command. */
static void put_quoted(FILE *out, char quote, const char *for_quote, char for_back, const char *format, va_list list)
{
	va_list again;
	va_copy(again, list);
	const int length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	char *text = length < 0 ? NULL : malloc((size_t)length + 1);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, list);
	fputc(quote, out);
	for (const char *c = text; c && *c; c++)
		if (*c == quote)
			fputs(for_quote, out);
		else
			fputc(*c == '`' ? for_back : (unsigned char)*c < ' ' || *c == 127 ? ' ' : *c, out);
	fputc(quote, out);
	free(text);
}

void app_gnuplot_quote(FILE *out, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	put_quoted(out, '\'', "''", '`', format, list);
	va_end(list);
}

void app_gnuplot_datum(FILE *out, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	put_quoted(out, '"', "'", '\'', format, list);
	va_end(list);
}
