/* Callbacks during a reconstruction: progress on stderr, the log, Ctrl-C. */
#include <stdlib.h>
#include <string.h>
#include "apps/commands/recon/recon.h"
#include "viewer/live.h"

/* Writes the header of the log, which describes the run. */
static gt_status open_log(recon_monitor *m)
{
	static const char *const keys[] = { "command", "scan",    "grid",  "solver",    "projector",
		                            "weights", "penalty", "start", "precision", "backend" };
	enum { KEYS = sizeof keys / sizeof *keys };
	app_fact facts[KEYS + 1] = { { NULL, NULL } };
	char *text[KEYS] = { NULL };
	size_t n = 0;
	m->log = (app_runlog){ .log = m->o->log, .plot = m->o->plot };
	for (size_t k = 0; k < KEYS; k++) {
		const char *value = k ? gt_recon_text(m->r, keys[k]) : m->call->line;
		if (value && (text[k] = strdup(value)))
			facts[n++] = (app_fact){ keys[k], text[k] };
	}
	facts[n] = (app_fact){ NULL, NULL };
	const gt_status st = app_runlog_open(&m->log, facts);
	for (size_t k = 0; k < KEYS; k++)
		free(text[k]);
	return st;
}

static void start(recon_monitor *m, const char *what, const gt_recon_progress *p)
{
	m->progress = app_progress_start(what, m->call->common.quiet);
	m->progress.data_norm = 1;
	m->progress.water = p->water_known ? p->water : NAN;
}

static int begin(recon_monitor *m, const gt_recon_progress *p)
{
	start(m, "recon", p);
	if ((m->st = open_log(m)) != GT_OK)
		return 1;
	cli_begin_iterating(m->o->checkpoint || m->call->processes > 1);
	return 0;
}

static int iteration(recon_monitor *m, const gt_recon_progress *p)
{
	const double row[RUNLOG_COLUMNS] = { p->iteration, p->seconds,  p->cost,     p->data,
		                             p->penalty,   p->gradient, p->residual, 1000 * p->change / p->water };
	gt_progress g;
	gt_progress_of(p->iteration, p->iterations, NULL, &g);
	g.cost = p->cost;
	g.residual = p->residual;
	g.change = p->change;
	m->progress.resumed = p->resumed;
	m->iteration = p->iteration;
	m->iterations = p->iterations;
	app_progress_iteration(&m->progress, &g);
	app_runlog_add(&m->log, row);
	if (m->o->report)
		recon_journal_step(&m->journal, p);
	return cli_asked_to_stop();
}

void recon_end_direct(recon_monitor *m)
{
	if (m->direct)
		app_progress_end(&m->progress);
	m->direct = 0;
}

void recon_say(void *self, const gt_message *message)
{
	recon_monitor *m = self;
	if (m->o->report)
		recon_journal_say(&m->journal, message);
	if (m->call->common.quiet)
		return;
	recon_end_direct(m);
	const gt_listener to = m->reads ? cli_collect(&m->notes) : m->call->log;
	if (to.say)
		to.say(to.self, message);
}

/* The first call starts the bar; the last one ends it and prints the notes of the reader. */
static int fraction(recon_monitor *m, const gt_recon_progress *p)
{
	const int reads = p->phase == GT_RECON_READING;
	if (p->done <= 0) {
		start(m, reads ? "read" : "recon", p);
		m->reads = reads;
	} else if (reads && p->done >= 1) {
		app_progress_end(&m->progress);
		m->reads = 0;
		if (m->notes.text[0])
			cli_note(m->call, "%s", m->notes.text);
		m->notes.text[0] = 0;
	} else {
		app_progress_text(&m->progress, p->done, p->text ? p->text : "");
	}
	return 0;
}

/* An analytic method has its own bar, which ends before other output. */
static void partial(recon_monitor *m, const gt_recon_progress *p)
{
	if (p->iterations) {
		m->progress.resumed = p->resumed;
		app_progress_partial(&m->progress, p->iteration, p->iterations, p->fraction, p->left);
		return;
	}
	if (!m->direct)
		start(m, p->text ? p->text : "recon", p);
	m->direct = 1;
	app_progress_text(&m->progress, p->done, "");
}

int recon_progress(void *self, const gt_recon_progress *p)
{
	recon_monitor *m = self;
	gt_live_page_progress(m->page, p);
	if (p->phase != GT_RECON_FRACTION)
		recon_end_direct(m);
	switch (p->phase) {
	case GT_RECON_READING:
	case GT_RECON_SLAB:
		return fraction(m, p);
	case GT_RECON_BEGINS:
		return begin(m, p);
	case GT_RECON_ITERATION:
		return iteration(m, p);
	case GT_RECON_SAVES:
		cli_saving(p->done < 1);
		return 0;
	case GT_RECON_ENDS:
		cli_end_iterating();
		app_progress_end(&m->progress);
		return 0;
	case GT_RECON_WRITES:
		cli_begin_writing();
		m->writes = 1;
		return 0;
	case GT_RECON_FRACTION:
		partial(m, p);
		return 0;
	}
	return 0;
}
