/* Stubs for builds without DCMTK, in place of dicom_open.c. */
#include "io/dicom/dicom.h"

gt_status gt_dicom_ready(void)
{
	return gt_fail(GT_ERR_UNSUPPORTED, "built without DCMTK, which DICOM needs: install libdcmtk-dev, then build again");
}

gt_status gt_dicom_load(const char *path, gt_dicom **d)
{
	*d = NULL;
	return gt_fail_in(gt_dicom_ready(), "%s", path);
}

gt_status gt_dicom_new(gt_dicom **d)
{
	*d = NULL;
	return gt_dicom_ready();
}

void gt_dicom_close(gt_dicom *d) { (void)d; }
gt_status gt_dicom_uid(char uid[GT_DICOM_UID])
{
	uid[0] = 0;
	return gt_dicom_ready();
}

#define UNUSED(x) (void)(x)
size_t gt_dicom_count(gt_dicom *d, const gt_dicom_tag *tag) { return UNUSED(d), UNUSED(tag), (size_t)0; }
gt_status gt_dicom_numbers(gt_dicom *d, const gt_dicom_tag *tag, size_t n, double *value)
{
	return UNUSED(d), UNUSED(tag), UNUSED(n), UNUSED(value), gt_dicom_ready();
}
gt_status gt_dicom_number(gt_dicom *d, const gt_dicom_tag *tag, size_t i, double *value)
{
	return UNUSED(d), UNUSED(tag), UNUSED(i), UNUSED(value), gt_dicom_ready();
}
gt_status gt_dicom_frame(gt_dicom *d, size_t frame) { return UNUSED(d), UNUSED(frame), gt_dicom_ready(); }
gt_status gt_dicom_pixels_of(gt_dicom *d, size_t frames, size_t frame, size_t n, uint16_t *sample)
{
	return UNUSED(d), UNUSED(frames), UNUSED(frame), UNUSED(n), UNUSED(sample), gt_dicom_ready();
}
gt_status gt_dicom_text(gt_dicom *d, const gt_dicom_tag *tag, char *text, size_t size)
{
	return UNUSED(d), UNUSED(tag), UNUSED(text), UNUSED(size), gt_dicom_ready();
}
gt_status gt_dicom_pixels(gt_dicom *d, size_t n, uint16_t *sample) { return UNUSED(d), UNUSED(n), UNUSED(sample), gt_dicom_ready(); }
gt_status gt_dicom_put_numbers(gt_dicom *d, const gt_dicom_tag *tag, size_t n, const double *value)
{
	return UNUSED(d), UNUSED(tag), UNUSED(n), UNUSED(value), gt_dicom_ready();
}
gt_status gt_dicom_put_text(gt_dicom *d, const gt_dicom_tag *tag, const char *text)
{
	return UNUSED(d), UNUSED(tag), UNUSED(text), gt_dicom_ready();
}
gt_status gt_dicom_put_pixels(gt_dicom *d, size_t n, const uint16_t *sample)
{
	return UNUSED(d), UNUSED(n), UNUSED(sample), gt_dicom_ready();
}
gt_status gt_dicom_save(gt_dicom *d, const char *path) { return UNUSED(d), UNUSED(path), gt_dicom_ready(); }
