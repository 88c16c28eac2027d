#ifndef GT_CORE_DEVICE_UPLOAD_IMPL_H
#define GT_CORE_DEVICE_UPLOAD_IMPL_H
/* Interface of upload.c and locked.c to a GPU backend; the CPU has none. */
#include "core/device/backend.h"
#ifdef __cplusplus
extern "C" {
#endif
enum { GT_UPLOAD_BLOCKS = 2 };
struct gt_upload_impl {
	gt_status (*open )(gt_backend *be, void **state);
	void      (*close)(void *state);
	/* The copy waits until the queue has finished reading the block's previous contents. */
	void      (*put  )(void *state, size_t block, const void *host, void *dst, size_t bytes);
	void      (*wait )(void *state);
	void      (*ready)(void *state);                /* the queue waits for all copies so far */
	void      (*used )(void *state, size_t block);  /* the queue has finished with the block at this point */
	void     *(*lock )(gt_backend *be, size_t bytes);
	void      (*unlock)(gt_backend *be, void *p);
};
extern const struct gt_upload_impl gt_upload_cuda;
extern const struct gt_upload_impl *const gt_upload_impls[GT_NBACKENDS];
#ifdef __cplusplus
}
#endif
#endif
