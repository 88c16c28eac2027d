/* The mark of a DICOM file: PS3.10, section 7.1. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "io/dicom/dicom.h"

int gt_dicom_is(const char *path)
{
	char mark[4] = "";
	struct stat s;
	/* Opening a pipe would wait for somebody who writes. */
	FILE *f = stat(path, &s) == 0 && S_ISREG(s.st_mode) ? fopen(path, "rb") : NULL;
	if (!f)
		return 0;
	const int is = fseek(f, 128, SEEK_SET) == 0 && fread(mark, 1, 4, f) == 4 && !memcmp(mark, "DICM", 4);
	fclose(f);
	return is;
}
