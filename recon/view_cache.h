#ifndef GT_RECON_VIEW_CACHE_H
#define GT_RECON_VIEW_CACHE_H
/* Projections for several passes over them: read again from their file, or read once and kept in memory or in a scratch file. */
#include <gantry/io.h>

typedef enum { GT_VIEW_CACHE_NOT, GT_VIEW_CACHE_HOST, GT_VIEW_CACHE_SCRATCH, GT_VIEW_CACHE_AUTO } gt_view_cache_place;
extern const char *const gt_view_cache_places[];              /* "no", "memory", "scratch", "auto", NULL */
typedef struct {
	gt_view_cache_place where;
	gt_view_reader *views;                /* borrowed */
	const gt_scan *scan;            /* borrowed */
	const char *folder;             /* of the scratch file */
	float *host;                    /* all; or one view, on its way to the scratch file */
	int file;                       /* has no name, so that nothing is left of it however the program ends */
} gt_view_cache;

/* GT_ERR_IO: the folder cannot be written, or its disk has no room for them. Close it in any case. */
gt_status gt_view_cache_open (gt_view_cache *k, gt_view_cache_place where, const char *folder, gt_view_reader *views, const gt_scan *scan);
void      gt_view_cache_close(gt_view_cache *k);
/* As gt_view_reader_read(). fresh: these views for the first time, which must come before any other. */
gt_status gt_view_cache_read (gt_view_cache *k, int fresh, size_t first, size_t n, size_t row, size_t rows, float *out);
/* Bytes of memory that it takes. */
double    gt_view_cache_bytes(gt_view_cache_place where, const gt_scan *scan);
#endif
