#ifndef GT_CORE_DEVICE_DOWNLOAD_IMPL_H
#define GT_CORE_DEVICE_DOWNLOAD_IMPL_H
/* Interface of download.c to a GPU backend; the CPU has none. */
#include "core/device/backend.h"
#include "core/device/download.h"
#ifdef __cplusplus
extern "C" {
#endif
struct gt_download_impl {
	gt_status (*open )(gt_backend *be, void **state);
	void      (*close)(void *state);
	/* The copy waits for the work queued so far; the queue does not wait for the copy. */
	void      (*get  )(void *state, const void *src, void *host, size_t bytes);
	void      (*take )(void *state, const void *src, void *host, size_t bytes);     /* the copy waits for nothing */
	void      (*wait )(void *state);
};
extern const struct gt_download_impl gt_download_cuda;
/* Like gt_download_get(), for an array that is complete: does not wait for the queue. */
void gt_download_take(gt_download *d, const gt_array *x, void *host);
#ifdef __cplusplus
}
#endif
#endif
