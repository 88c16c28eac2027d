#ifndef GT_IO_FILE_LOCK_H
#define GT_IO_FILE_LOCK_H
/* Mutex for the NetCDF and HDF5 libraries, which are not thread-safe: public functions of io/ hold it. It is recursive.
 * A thread that holds it must not wait for another thread that locks it. A child of fork() starts with it unlocked. */
void gt_file_lock(void);
void gt_file_unlock(void);

/* Returns the status of `call`, made with the lock held. */
#define GT_FILE_LOCKED(call)                    \
	do {                                  \
		gt_file_lock();         \
		const gt_status locked = call;  \
		gt_file_unlock();           \
		return locked;                  \
	} while (0)
#endif
