/* Parses DICOM files in a probe process first: DCMTK recurses into sequences and decompresses data without a limit. */
#include <stdlib.h>
#include <string.h>
#include "io/dicom/dicom.h"
#include "io/probe.h"

static const char library[] = "DCMTK";

static gt_status load_and_close(const char *path)
{
	gt_dicom *d;
	const gt_status st = gt_dicom_load(path, &d);
	if (st == GT_OK)
		gt_dicom_close(d);
	return st;
}

gt_status gt_dicom_open(const char *path, gt_dicom **d)
{
	gt_status st = GT_OK;
	if (!strcmp(path, "-")) /* DCMTK reads the standard input instead */
		path = "./-";
	*d = NULL;
	if (gt_dicom_ready() == GT_OK)
		st = gt_probe(path, library, load_and_close);
	return st == GT_OK ? gt_dicom_load(path, d) : st;
}

void gt_dicom_expect(const char *const *path, size_t n)
{
	const char **found = malloc((n ? n : 1) * sizeof *found);
	size_t files = 0;
	for (size_t i = 0; found && i < n; i++)
		if (gt_dicom_is(path[i]))
			found[files++] = path[i];
	if (found && gt_dicom_ready() == GT_OK)
		gt_probe_ahead(found, files, library, load_and_close);
	free(found);
}
