#ifndef GT_VIEWER_LIVE_H
#define GT_VIEWER_LIVE_H
/* Served page of a running reconstruction. */
#include <gantry/recon.h>

/* Page of a running reconstruction, served as by gt_page_serve() in a separate thread, which blocks all signals. Shows
 * text, progress, curves of cost and change, and the last slices. Copies its arguments. Calls never wait for a
 * browser. */
typedef struct gt_live_page gt_live_page;
/* title: any bytes. port: as above. */
gt_status   gt_live_page_new     (const char *title, int port, gt_live_page **page);
const char *gt_live_page_address (const gt_live_page *page);     /* to open; belongs to the page */
/* Passes on reports of gt_recon_on_progress() and gt_recon_on_slices(). page NULL: no effect. */
void        gt_live_page_progress(gt_live_page *page, const gt_recon_progress *p);
void        gt_live_page_slices  (gt_live_page *page, const gt_recon_slices *s);
/* ending: final text for a connected browser; waits up to 4 s for it. page NULL: no effect. */
void        gt_live_page_free    (gt_live_page *page, const char *ending);
#endif
