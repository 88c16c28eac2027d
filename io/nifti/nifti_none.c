/* Stubs for builds without the NIfTI library: recognise the files and refuse them. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "core/files/opener.h"
#include "io/nifti/nifti.h"

static gt_status missing(const char *path)
{
	return gt_fail(GT_ERR_UNSUPPORTED,
	               "%s: NIfTI needs the NIfTI library (nifti2 and znz; Debian: libnifti2-dev), which was missing at build time", path);
}

int gt_nifti_is(const char *path)
{
	unsigned char head[348] = { 0 };
	const size_t n = strlen(path);
	const size_t got = gt_file_start(path, head, sizeof head);
	if (got > 2 && head[0] == 0x1f && head[1] == 0x8b)
		return n > 7 && !strcasecmp(path + n - 7, ".nii.gz");
	return got == sizeof head && (!memcmp(head + 344, "n+1", 3) || !memcmp(head + 344, "ni1", 3) || !memcmp(head + 4, "n+2", 3) ||
	                              !memcmp(head + 4, "ni2", 3));
}

gt_status gt_nifti_open(const char *path, gt_nifti_head *h, gt_nifti **f)
{
	memset(h, 0, sizeof *h);
	*f = NULL;
	return missing(path);
}

gt_status gt_nifti_new(const char *path, const char *tmp, int level, const gt_nifti_head *h, gt_nifti **f)
{
	(void)tmp, (void)level, (void)h;
	*f = NULL;
	return missing(path);
}

gt_status gt_nifti_get(gt_nifti *f, void *bytes, size_t n) { return (void)f, (void)bytes, (void)n, missing("NIfTI"); }
gt_status gt_nifti_seek(gt_nifti *f, size_t at) { return (void)f, (void)at, missing("NIfTI"); }
gt_status gt_nifti_put(gt_nifti *f, const void *bytes, size_t n) { return (void)f, (void)bytes, (void)n, missing("NIfTI"); }
gt_status gt_nifti_end(gt_nifti *f) { return (void)f, missing("NIfTI"); }
gt_status gt_nifti_close(gt_nifti *f) { return (void)f, GT_OK; }
void gt_nifti_drop(gt_nifti *f) { (void)f; }
void gt_nifti_clear(gt_nifti_head *h) { (void)h; }
