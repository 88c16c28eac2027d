/* Header of one view in DICOM-CT-PD: required tags, and tags that all views of a scan must share. */
#include <math.h>
#include <string.h>
#include <strings.h>
#include "core/try.h"
#include "io/dicom/dicom_ct_pd.h"

#define TAG(name, group, element, vr, text, ...) { group, element, vr, text },
const gt_dicom_tag gt_ctpd_number[PD_NNUMBERS] = { PD_NUMBERS(TAG) }, gt_ctpd_text[PD_NTEXTS] = { PD_TEXTS(TAG) };
const gt_dicom_tag gt_ctpd_center = { 0x7031, 0x1033, "FL", "detector central element" },
		   gt_ctpd_photons = { 0x7033, 0x1065, "FL", "photon statistics" };

#define NEEDED(name, group, element, vr, text, needed, ...) needed,
#define SHARED(name, group, element, vr, text, needed, shared) shared,
static const int number_needed[] = { PD_NUMBERS(NEEDED) }, text_needed[] = { PD_TEXTS(NEEDED) }, number_shared[] = { PD_NUMBERS(SHARED) };

static gt_status bad_number(const char *path, int i, double found, const char *expected)
{
	return gt_fail(GT_ERR_FORMAT, "%s: (%04X,%04X) %s is %.9g: expected %s", path, gt_ctpd_number[i].group, gt_ctpd_number[i].element,
	               gt_ctpd_number[i].name, found, expected);
}

static gt_status bad_text(const char *path, int i, const char *found, const char *expected)
{
	return gt_fail(GT_ERR_FORMAT, "%s: (%04X,%04X) %s is '%s': expected %s", path, gt_ctpd_text[i].group, gt_ctpd_text[i].element,
	               gt_ctpd_text[i].name, found, expected);
}

static gt_status check_head(const char *path, const gt_ctpd_head *h)
{
	static const int positive[] = {
		PD_LINES, PD_SAMPLES, PD_ROWS, PD_COLUMNS, PD_TRANSVERSE, PD_AXIAL, PD_RADIUS, PD_DISTANCE, PD_SLOPE
	};
	const double *x = h->number;
	for (size_t i = 0; i < sizeof positive / sizeof *positive; i++)
		if (!(x[positive[i]] > 0))
			return bad_number(path, positive[i], x[positive[i]], "a number greater than 0");
	if (x[PD_BITS] != 16)
		return bad_number(path, PD_BITS, x[PD_BITS], "16");
	if (!isnan(x[PD_SIGNED]) && x[PD_SIGNED] != 0 && x[PD_SIGNED] != 1)
		return bad_number(path, PD_SIGNED, x[PD_SIGNED], "0 (unsigned) or 1 (signed)");
	if (!strcmp(h->text[PD_LOG], "NO"))
		return bad_text(path, PD_LOG, "NO", "YES, line integrals");
	if (!strncmp(h->text[PD_BEAM], "PARALLEL", 8))
		return bad_text(path, PD_BEAM, h->text[PD_BEAM], "the fan of a scanner, not rebinned data");
	if (strcmp(h->text[PD_SHAPE], "CYLINDRICAL") && strcmp(h->text[PD_SHAPE], "FLAT"))
		return bad_text(path, PD_SHAPE, h->text[PD_SHAPE], "CYLINDRICAL or FLAT");
	if (h->photons > 1 && (double)h->photons != x[PD_COLUMNS])
		return gt_fail(GT_ERR_FORMAT, "%s: (7033,1065) photon statistics holds %zu values: expected one, or %g, one a column", path,
		               h->photons, x[PD_COLUMNS]);
	return GT_OK;
}

int gt_ctpd_is(gt_dicom *d)
{
	return gt_dicom_frame(d, 0) == GT_OK &&
	       (gt_dicom_count(d, &gt_ctpd_number[PD_ROWS]) || gt_dicom_count(d, &gt_ctpd_number[PD_COLUMNS]) ||
	        gt_dicom_count(d, &gt_ctpd_number[PD_ANGLE]));
}

gt_status gt_ctpd_read_head(const char *path, gt_dicom *d, size_t frame, gt_ctpd_head *h)
{
	gt_status st = GT_OK;
	memset(h, 0, sizeof *h);
	GT_TRY(gt_dicom_frame(d, frame));
	for (int i = 0; i < PD_NNUMBERS; i++) {
		const size_t n = gt_dicom_count(d, &gt_ctpd_number[i]);
		h->number[i] = NAN;
		/* some files with several frames store one value for each frame in one tag */
		if (number_needed[i] || n)
			GT_TRY(gt_dicom_number(d, &gt_ctpd_number[i], n > 1 ? frame : 0, &h->number[i]));
	}
	for (int i = 0; i < PD_NTEXTS; i++)
		if (text_needed[i] || gt_dicom_count(d, &gt_ctpd_text[i]))
			GT_TRY(gt_dicom_text(d, &gt_ctpd_text[i], h->text[i], sizeof h->text[i]));
	GT_TRY(gt_dicom_numbers(d, &gt_ctpd_center, 2, h->center));
	h->photons = gt_dicom_count(d, &gt_ctpd_photons);
	st = check_head(path, h);
done:
	return st;
}

/* Optional tags are compared only if both files have them. */
static int differs(double a, double b) { return fabs(a - b) > 1e-6 * fabs(b); }

gt_status gt_ctpd_same_scan(const char *path, const gt_ctpd_head *h, const char *first_path, const gt_ctpd_head *first)
{
	for (int i = 0; i < PD_NNUMBERS; i++)
		if (number_shared[i] && differs(h->number[i], first->number[i]))
			return gt_fail(GT_ERR_FORMAT, "%s: (%04X,%04X) %s is %.9g, and %.9g in %s: expected one scan in a folder", path,
			               gt_ctpd_number[i].group, gt_ctpd_number[i].element, gt_ctpd_number[i].name, h->number[i],
			               first->number[i], first_path);
	for (int i = 0; i < PD_NTEXTS; i++)
		if (strcmp(h->text[i], first->text[i]))
			return gt_fail(GT_ERR_FORMAT, "%s: (%04X,%04X) %s is '%s', and '%s' in %s: expected one scan in a folder", path,
			               gt_ctpd_text[i].group, gt_ctpd_text[i].element, gt_ctpd_text[i].name, h->text[i], first->text[i],
			               first_path);
	for (int a = 0; a < 2; a++)
		if (differs(h->center[a], first->center[a]))
			return gt_fail(GT_ERR_FORMAT,
			               "%s: (7031,1033) detector central element is %.9g\\%.9g, and %.9g\\%.9g in %s: expected one scan in "
			               "a folder",
			               path, h->center[0], h->center[1], first->center[0], first->center[1], first_path);
	if (h->photons != first->photons)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: (7033,1065) photon statistics holds %zu values, and %zu in %s: expected one scan in a folder", path,
		               h->photons, first->photons, first_path);
	return GT_OK;
}

gt_status gt_ctpd_strides(const char *path, const gt_ctpd_head *h, size_t stride[2], int *square)
{
	const double *x = h->number;
	const int by_column = x[PD_LINES] == x[PD_COLUMNS] && x[PD_SAMPLES] == x[PD_ROWS],
		  by_row = x[PD_LINES] == x[PD_ROWS] && x[PD_SAMPLES] == x[PD_COLUMNS];
	if (!by_column && !by_row)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: an image of (0028,0010) %g lines of (0028,0011) %g samples: expected %g rows and %g columns of the "
		               "detector, (7029,1010) and (7029,1011), in either order",
		               path, x[PD_LINES], x[PD_SAMPLES], x[PD_ROWS], x[PD_COLUMNS]);
	stride[0] = by_column ? (size_t)x[PD_SAMPLES] : 1;
	stride[1] = by_column ? 1 : (size_t)x[PD_SAMPLES];
	*square = by_column && by_row;
	return GT_OK;
}

int gt_ctpd_counts_from_last(const gt_dicom_style *style, const char *maker)
{
	return style->central == GT_CENTRAL_LAST || (style->central == GT_CENTRAL_AUTO && !strncasecmp(maker, "GE", 2));
}

void gt_ctpd_center_index(const gt_dicom_style *style, const gt_ctpd_head *h, double index[2])
{
	index[0] = gt_ctpd_counts_from_last(style, h->text[PD_MAKER]) ? h->number[PD_COLUMNS] - 1 - h->center[0] : h->center[0] - 1;
	index[1] = h->center[1] - 1;
}
