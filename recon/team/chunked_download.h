#ifndef GT_RECON_TEAM_CHUNKED_DOWNLOAD_H
#define GT_RECON_TEAM_CHUNKED_DOWNLOAD_H
/* Download of arrays in chunks, between other work of the same thread. */
#include <gantry/array.h>

typedef struct gt_chunked_download gt_chunked_download;
/* Page-locks two buffers. */
gt_status gt_chunked_download_new (gt_backend *be, gt_chunked_download **d);
void      gt_chunked_download_free(gt_chunked_download *d);
/* Finishes the previous download, then begins to copy x (GT_F32), as the queued work leaves it, to the host. x must
 * outlive the download. */
gt_status gt_chunked_download_begin(gt_chunked_download *d, const gt_array *x, float *host);
/* Copies at most `chunks` more chunks. */
gt_status gt_chunked_download_step(gt_chunked_download *d, size_t chunks);
/* Returns the number of chunks of n elements. */
size_t    gt_chunked_download_chunks(size_t n);
#endif
