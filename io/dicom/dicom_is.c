/* Detects DICOM files by their prefix: PS3.10, section 7.1. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "core/files/opener.h"
#include "io/dicom/dicom.h"

gt_status gt_dicom_look(const char *path, int *is)
{
	char mark[4] = "";
	struct stat s;
	FILE *f;
	*is = 0;
	/* a folder, pipe or device is not DICOM */
	if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
		return GT_OK;
	const gt_status st = gt_file_stream(path, &f, NULL);
	if (st != GT_OK)
		return st;
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
