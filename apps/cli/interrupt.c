/* Ctrl-C while computing: a line that says so, then the signal's own end, which shells show as 130. */
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "apps/cli/cli.h"

static volatile sig_atomic_t written;

void cli_interrupt(int number)
{
	static const char nothing[] = "\ngantry: interrupted, nothing written\n";
	static const char partly[] = "\ngantry: interrupted, not everything is written\n";
	const char *text = written ? partly : nothing;
	const ssize_t said = write(STDERR_FILENO, text, strlen(text));
	(void)said;
	signal(number, SIG_DFL);
	raise(number);
}

static void set(void (*from)(int), void (*to)(int))
{
	struct sigaction now, next = { .sa_handler = to };
	sigemptyset(&next.sa_mask);
	if (sigaction(SIGINT, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == from)
		sigaction(SIGINT, &next, NULL);
}

void cli_begin_computing(void) { set(SIG_DFL, cli_interrupt); }

void cli_begin_writing(void) { set(cli_interrupt, SIG_DFL); }

gt_status cli_end_writing(gt_status st)
{
	written |= st == GT_OK;
	cli_begin_computing();
	return st;
}
