#ifndef GT_CORE_DEVICE_PREFETCH_H
#define GT_CORE_DEVICE_PREFETCH_H
/* Device initialisation ahead of its first use. */

/* Starts a device in a background thread. gt_backend_open() waits for it and returns its failure. Without
 * gt_backend_open(), call gt_backend_prefetch_end() before exit; it waits. */
void        gt_backend_prefetch(const char *name);
void        gt_backend_prefetch_end(void);
/* Calls start(name) in that thread; start() must not call gt_backend_open(), which waits for it. */
void        gt_backend_prefetch_by(void (*start)(const char *name), const char *name);
#endif
