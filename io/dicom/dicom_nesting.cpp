/* Checks the nesting depth of DICOM sequences (PS3.5, section 7.5), because DCMTK searches them recursively. */
#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dctk.h>
#include "io/dicom/dicom.h"

/* Scanners nest fewer than ten sequences. */
enum { MAX_NESTING = 64 };

/* A sequence and its item count as two levels. */
static bool is_deeper(DcmObject *in, int levels)
{
	for (DcmObject *o = in->nextInContainer(nullptr); o; o = in->nextInContainer(o))
		if (levels == 0 || is_deeper(o, levels - 1))
			return true;
	return false;
}

gt_status gt_dicom_check_nesting(void *format, const char *path)
{
	if (!is_deeper(static_cast<DcmFileFormat *>(format)->getDataset(), 2 * MAX_NESTING + 1))
		return GT_OK;
	return gt_fail(GT_ERR_FORMAT, "%s: sequences are nested deeper than %d: expected a DICOM file of a scanner", path,
	               int(MAX_NESTING));
}
