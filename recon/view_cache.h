#ifndef GT_RECON_VIEW_CACHE_H
#define GT_RECON_VIEW_CACHE_H
/* Projections for several passes: read again from their file, or cached in memory or a scratch file. */
#include <gantry/io.h>

typedef enum { GT_VIEW_CACHE_NOT, GT_VIEW_CACHE_HOST, GT_VIEW_CACHE_SCRATCH, GT_VIEW_CACHE_AUTO } gt_view_cache_place;
extern const char *const gt_view_cache_places[];              /* "no", "memory", "scratch", "auto", NULL */
typedef struct {
	gt_view_cache_place where;
	gt_view_reader *views;                /* borrowed */
	const gt_scan *scan;            /* borrowed */
	const char *folder;             /* folder of the scratch file */
	float *host;                    /* all projections; or one view, on its way to the scratch file */
	int file;                       /* unlinked, so that nothing remains when the program ends */
} gt_view_cache;

/* GT_ERR_IO: the folder is not writable, or its disk is full. Close it in any case. */
gt_status gt_view_cache_open (gt_view_cache *k, gt_view_cache_place where, const char *folder, gt_view_reader *views, const gt_scan *scan);
void      gt_view_cache_close(gt_view_cache *k);
/* Like gt_view_reader_read(). fresh: first read of these views, which must precede any other. */
gt_status gt_view_cache_read (gt_view_cache *k, int fresh, size_t first, size_t n, size_t row, size_t rows, float *out);
/* Returns the bytes of memory it takes. */
double    gt_view_cache_bytes(gt_view_cache_place where, const gt_scan *scan);
#endif
