#ifndef GT_IO_FILE_TURNS_H
#define GT_IO_FILE_TURNS_H
/* The libraries of NetCDF and HDF5 are for one thread at a time: threads that call public functions of io/ take turns.
 * A thread may begin a turn within its own; threads that a turn starts must begin none. In a child of fork() nobody
 * has one. */
void gt_file_turn_begin(void);
void gt_file_turn_end(void);

/* The status of a call in a turn. */
#define GT_FILE_TURN(call)                    \
	do {                                  \
		gt_file_turn_begin();         \
		const gt_status turn = call;  \
		gt_file_turn_end();           \
		return turn;                  \
	} while (0)
#endif
