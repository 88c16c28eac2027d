#ifndef GT_APPS_COMMANDS_RECON_PAGE_H
#define GT_APPS_COMMANDS_RECON_PAGE_H
/* `gantry recon --report FOLDER`: records of a run, and the page made from them. */
#include <gantry/recon.h>
#include "apps/cli/cli.h"

/* Initialise to 0. */
typedef struct {
	struct recon_line { gt_subject subject; char *text; } *line;
	size_t lines;
	double (*row)[3];               /* iteration, cost, change in HU */
	size_t rows;
	int lost;                       /* 1: incomplete, out of memory */
} recon_journal;

/* GT_ERR_ARG: folder is a file, or the page cannot be written there. */
gt_status recon_page_check(const char *folder);
void recon_journal_say(recon_journal *j, const gt_message *m);
void recon_journal_step(recon_journal *j, const gt_recon_progress *p);
void recon_journal_free(recon_journal *j);
/* Writes folder/report.html after the run. scan and reading: the arguments that opened r, used again for the starting
 * volume. volume: the written file. */
gt_status recon_page_write(const char *folder, const cli_call *call, gt_recon *r, const recon_journal *j, const gt_read_options *reading,
                           const char *volume);
#endif
