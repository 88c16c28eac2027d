#ifndef GT_APPS_COMMANDS_RECON_PAGE_H
#define GT_APPS_COMMANDS_RECON_PAGE_H
/* `gantry recon --report FOLDER`: what is kept of a run while it goes on, and the page that tells it. */
#include <gantry/recon.h>
#include "apps/cli/cli.h"

/* All 0 to begin with. */
typedef struct {
	struct recon_line { gt_subject subject; char *text; } *line;
	size_t lines;
	double (*row)[3];               /* iteration, cost, change in HU */
	size_t rows;
	int lost;                       /* 1: there was no memory for all of it */
} recon_journal;

/* GT_ERR_ARG: folder is a file, or the page cannot be written there. */
gt_status recon_page_check(const char *folder);
void recon_journal_say(recon_journal *j, const gt_message *m);
void recon_journal_step(recon_journal *j, const gt_recon_progress *p);
void recon_journal_free(recon_journal *j);
/* Writes folder/report.html of a run that has ended. scan, reading: as r was opened, for the analytic method that
 * the run began with; volume: the file that was written. */
gt_status recon_page_write(const char *folder, const cli_call *call, gt_recon *r, const recon_journal *j, const gt_read_options *reading,
                           const char *volume);
#endif
