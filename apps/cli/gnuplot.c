/* Runs gnuplot and quotes text for its scripts. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "apps/cli/gnuplot.h"

int app_gnuplot(const char *where, const char *log, const char *flag, const char *what)
{
	char program[] = "gnuplot";
	char *const with_flag[] = { program, (char *)flag, (char *)what, NULL }, *const alone[] = { program, (char *)what, NULL };
	const pid_t child = fork();
	int status = -1;
	if (child == 0) {
		const int out = where && chdir(where) ? -1 : open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (out >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(out, STDERR_FILENO) >= 0)
			execvp(program, flag ? with_flag : alone);
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

gt_status app_gnuplot_check(void)
{
	const int code = app_gnuplot(NULL, "/dev/null", "-e", "set terminal pngcairo");
	if (code < 0 || code == 127)
		return gt_fail(GT_ERR_UNSUPPORTED,
		               "figures: gnuplot is not installed: install it (Debian, Ubuntu: the package gnuplot-nox)");
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

/* Prints text in quotes, with replacements for a quote and a backquote. Control characters become spaces, because a
 * newline would end the quotes and start a command. */
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
