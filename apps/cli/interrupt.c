/* Ctrl-C prints a line and ends the command by the signal, which shells report as 130. While a solver iterates, the
 * first one requests a stop, and the second one ends the command. */
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "apps/cli/cli.h"

static volatile sig_atomic_t written, asked, saving;

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

/* A checkpoint in progress is always finished. */
static void ask_to_stop(int number)
{
	if (asked && !saving)
		cli_interrupt(number);
	asked = number;
}

static struct sigaction before_interrupt, before_terminate;
static int takes_terminate;

void cli_begin_iterating(int terminates)
{
	struct sigaction mine = { .sa_handler = ask_to_stop };
	sigemptyset(&mine.sa_mask);
	asked = saving = 0;
	sigaction(SIGINT, &mine, &before_interrupt);
	if (before_interrupt.sa_handler == SIG_IGN)
		sigaction(SIGINT, &before_interrupt, NULL);
	takes_terminate = terminates;
	if (terminates)
		sigaction(SIGTERM, &mine, &before_terminate);
}

void cli_end_iterating(void)
{
	sigaction(SIGINT, &before_interrupt, NULL);
	if (takes_terminate)
		sigaction(SIGTERM, &before_terminate, NULL);
}

/* mpirun signals all processes; if they all ended, the first one could not write the common volume. */
void cli_let_first_stop(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
}

int cli_asked_to_stop(void) { return asked != 0; }

void cli_saving(int begins) { saving = begins; }
