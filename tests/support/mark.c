/* Check records each assertion that holds by system calls, which is slow in loops over voxels. This wrapper skips an
 * assertion that was recorded last. */
#include "tests/support/support.h"

void __real__mark_point(const char *file, int line);
void __wrap__mark_point(const char *file, int line);

void __wrap__mark_point(const char *file, int line)
{
	static _Thread_local const char *last_file;
	static _Thread_local int last_line;
	if (file == last_file && line == last_line)
		return;
	last_file = file;
	last_line = line;
	__real__mark_point(file, line);
}
