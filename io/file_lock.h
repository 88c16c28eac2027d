#ifndef GT_IO_FILE_LOCK_H
#define GT_IO_FILE_LOCK_H
/* The libraries of NetCDF and HDF5 are for one thread at a time: threads that call public functions of io/ take turns.
 * A thread may begin a turn within its own; threads that a turn starts must begin none. In a child of fork() nobody
 * has one. */
void gt_file_lock(void);
void gt_file_unlock(void);

/* The status of a call in a turn. */
#define GT_FILE_LOCKED(call)                    \
	do {                                  \
		gt_file_lock();         \
		const gt_status locked = call;  \
		gt_file_unlock();           \
		return locked;                  \
	} while (0)
#endif
