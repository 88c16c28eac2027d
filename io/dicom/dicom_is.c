/* The mark of a DICOM file: PS3.10, section 7.1. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "io/dicom/dicom.h"

gt_status gt_dicom_look(const char *path, int *is)
{
	char mark[4] = "";
	struct stat s;
	*is = 0;
	/* Opening a pipe would wait for somebody who writes. */
	if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
		return GT_OK;
	FILE *f = fopen(path, "rb");
	if (!f)
		return gt_fail(GT_ERR_IO, "%s: cannot be opened: %s", path, strerror(errno));
	*is = fseek(f, 128, SEEK_SET) == 0 && fread(mark, 1, 4, f) == 4 && !memcmp(mark, "DICM", 4);
	const int failed = ferror(f);
	fclose(f);
	return failed ? gt_fail(GT_ERR_IO, "%s: cannot be read", path) : GT_OK;
}

int gt_dicom_is(const char *path)
{
	int is;
	return gt_dicom_look(path, &is) == GT_OK && is;
}
