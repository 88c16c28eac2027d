#ifndef GT_RECON_VIEW_CACHE_H
#define GT_RECON_VIEW_CACHE_H
/* Projections for several passes over them: read again from their file, or read once and kept in memory or in a scratch file. */
#include <gantry/io.h>

typedef enum { APP_KEPT_NOT, APP_KEPT_HOST, APP_KEPT_SCRATCH, APP_KEPT_AUTO } app_kept_where;
extern const char *const app_kept_names[];              /* "no", "memory", "scratch", "auto", NULL */
typedef struct {
	app_kept_where where;
	gt_view_reader *views;                /* borrowed */
	const gt_scan *scan;            /* borrowed */
	const char *folder;             /* of the scratch file */
	float *host;                    /* all; or one view, on its way to the scratch file */
	int file;                       /* has no name, so that nothing is left of it however the program ends */
} app_kept;

/* GT_ERR_IO: the folder cannot be written, or its disk has no room for them. Close it in any case. */
gt_status app_kept_open (app_kept *k, app_kept_where where, const char *folder, gt_view_reader *views, const gt_scan *scan);
void      app_kept_close(app_kept *k);
/* As gt_view_reader_read(). fresh: these views for the first time, which must come before any other. */
gt_status app_kept_read (app_kept *k, int fresh, size_t first, size_t n, size_t row, size_t rows, float *out);
/* Bytes of memory that it takes. */
double    app_kept_bytes(app_kept_where where, const gt_scan *scan);
#endif
