/* Reads the headers of a folder of CT images; sorts the slices by position and checks that they form one evenly spaced
 * series. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/try.h"
#include "io/dicom/dicom_series_read.h"
#include "io/external.h"

/* Largest deviation as a fraction of the slice spacing: files round positions. */
#define UNEVEN 0.02
/* Largest difference of direction cosines, which files round too. */
#define SAME_AXES 1e-4

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static int by_place(const void *a, const void *b)
{
	const double x = ((const gt_series_slice *)a)->along, y = ((const gt_series_slice *)b)->along;
	return (x > y) - (x < y);
}

static gt_status add_file(gt_series *s, char *file, size_t *room)
{
	int is;
	const gt_status st = gt_dicom_probe(file, &is);
	if (st != GT_OK || !is) {
		s->others++;
		free(file);
		return st;
	}
	if (s->files == *room) {
		*room = *room ? 2 * *room : 256;
		char **more = realloc(s->file, *room * sizeof *more);
		if (!more) {
			free(file);
			return gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->path);
		}
		s->file = more;
	}
	s->file[s->files++] = file;
	return GT_OK;
}

gt_status gt_series_list(gt_series *s)
{
	gt_status st = GT_OK;
	size_t room = 0;
	DIR *folder = opendir(s->path);
	if (!folder)
		return gt_fail(GT_ERR_IO, "%s: cannot be listed", s->path);
	errno = 0;
	for (const struct dirent *e; st == GT_OK && (e = readdir(folder)); errno = 0) {
		if (e->d_name[0] == '.')
			continue;
		const size_t size = strlen(s->path) + strlen(e->d_name) + 2;
		char *file = malloc(size);
		if (file)
			snprintf(file, size, "%s/%s", s->path, e->d_name);
		st = file ? add_file(s, file, &room) : gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->path);
	}
	if (st == GT_OK && errno)
		st = gt_fail(GT_ERR_IO, "%s: cannot be listed: %s", s->path, strerror(errno));
	closedir(folder);
	if (s->files)
		qsort(s->file, s->files, sizeof *s->file, by_name);
	if (st == GT_OK)
		gt_dicom_expect((const char *const *)s->file, s->files);
	return st;
}

void gt_series_clear(gt_series *s)
{
	for (size_t i = 0; i < s->files; i++)
		free(s->file[i]);
	free(s->file);
	free(s->slice);
	free(s->comment);
}

int gt_series_is(const char *path)
{
	struct stat at;
	gt_series s = { .path = path };
	gt_dicom *d = NULL;
	char class[GT_DICOM_UID] = "";
	if (stat(path, &at) != 0)
		return 0;
	if (!S_ISDIR(at.st_mode))
		return gt_dicom_is(path);
	int is = gt_dicom_in_folder(path) && gt_series_list(&s) == GT_OK && s.files > 0;
	/* If DCMTK is missing, gt_dicom_ready() reports that for the folder. */
	if (is && gt_dicom_open(s.file[0], &d) == GT_OK)
		is = gt_dicom_count(d, &gt_series_tag[GT_SERIES_PROJECTIONS]) == 0 &&
		     gt_dicom_text(d, &gt_series_tag[GT_SERIES_CLASS], class, sizeof class) == GT_OK;
	gt_dicom_close(d);
	gt_series_clear(&s);
	return is;
}

static gt_status number(gt_dicom *d, int tag, double missing, double *value)
{
	*value = missing;
	return gt_dicom_count(d, &gt_series_tag[tag]) ? gt_dicom_numbers(d, &gt_series_tag[tag], 1, value) : GT_OK;
}

static gt_status differs(const char *file, const gt_series *s, const char *what)
{
	return gt_fail(GT_ERR_FORMAT, "%s: %s differs from that of %s: expected the slices of one series", file, what, s->file[0]);
}

/* Checks that a file is a CT image of one frame. */
static gt_status check_kind(const char *file, gt_dicom *d)
{
	gt_status st;
	char class[GT_DICOM_UID], photometric[32] = "MONOCHROME2";
	double frames, samples, bits;
	GT_TRY(gt_dicom_text(d, &gt_series_tag[GT_SERIES_CLASS], class, sizeof class));
	if (strcmp(class, GT_CT_IMAGE) != 0)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: SOP class %s, expected %s (CT image)", file, class, GT_CT_IMAGE));
	GT_TRY(number(d, GT_SERIES_FRAMES, 1, &frames));
	GT_TRY(number(d, GT_SERIES_SAMPLES, 1, &samples));
	GT_TRY(number(d, GT_SERIES_BITS, 16, &bits));
	if (gt_dicom_count(d, &gt_series_tag[GT_SERIES_PHOTOMETRIC]))
		GT_TRY(gt_dicom_text(d, &gt_series_tag[GT_SERIES_PHOTOMETRIC], photometric, sizeof photometric));
	if (frames != 1 || samples != 1 || bits != 16 || strcmp(photometric, "MONOCHROME2") != 0)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED,
		               "%s: %g frames, %g samples per pixel, %g bits allocated, %s: expected 1, 1, 16, MONOCHROME2", file, frames,
		               samples, bits, photometric));
done:
	return st;
}

/* Lengths and angles of the axes are rounded. */
#define UNIT_AXES 1e-3

static gt_status check_axes(const gt_series *s)
{
	const double *a = s->axes, x = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), y = sqrt(a[3] * a[3] + a[4] * a[4] + a[5] * a[5]);
	if (fabs(x - 1) <= UNIT_AXES && fabs(y - 1) <= UNIT_AXES && fabs(a[0] * a[3] + a[1] * a[4] + a[2] * a[5]) <= UNIT_AXES)
		return GT_OK;
	return gt_fail(GT_ERR_FORMAT,
	               "%s: Image Orientation (Patient) is (%g %g %g, %g %g %g), expected two perpendicular vectors of length 1",
	               s->file[0], a[0], a[1], a[2], a[3], a[4], a[5]);
}

static gt_status read_first(gt_series *s, gt_dicom *d)
{
	gt_status st;
	double rows, columns, is_signed, stored, high;
	char comment[10241];
	GT_TRY(gt_dicom_text(d, &gt_series_tag[GT_SERIES_SERIES], s->series, sizeof s->series));
	if (gt_dicom_count(d, &gt_series_tag[GT_SERIES_LIES]))
		GT_TRY(gt_dicom_text(d, &gt_series_tag[GT_SERIES_LIES], s->lies, sizeof s->lies));
	if (gt_dicom_count(d, &gt_series_tag[GT_SERIES_COMMENTS])) {
		GT_TRY(gt_dicom_text(d, &gt_series_tag[GT_SERIES_COMMENTS], comment, sizeof comment));
		if (!(s->comment = strdup(comment)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->path));
	}
	GT_TRY(gt_dicom_numbers(d, &gt_series_tag[GT_SERIES_AXES], 6, s->axes));
	GT_TRY(check_axes(s));
	GT_TRY(gt_dicom_numbers(d, &gt_series_tag[GT_SERIES_PIXEL], 2, s->pixel));
	GT_TRY(gt_dicom_numbers(d, &gt_series_tag[GT_SERIES_ROWS], 1, &rows));
	GT_TRY(gt_dicom_numbers(d, &gt_series_tag[GT_SERIES_COLUMNS], 1, &columns));
	GT_TRY(number(d, GT_SERIES_SIGNED, 0, &is_signed));
	GT_TRY(number(d, GT_SERIES_STORED, 16, &stored));
	GT_TRY(number(d, GT_SERIES_HIGH, stored - 1, &high));
	GT_TRY(number(d, GT_SERIES_THICKNESS, 0, &s->thickness));
	if (high != stored - 1)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: High Bit is %g and Bits Stored %g, expected %g: samples in the lowest bits",
		               s->file[0], high, stored, stored - 1));
	if (!(rows >= 1 && columns >= 1 && s->pixel[0] > 0 && s->pixel[1] > 0 && stored >= 1 && stored <= 16))
		GT_TRY(gt_fail(GT_ERR_FORMAT,
		               "%s: %g rows, %g columns, pixels of %g x %g mm, %g bits stored: expected positive numbers, 1 to 16 bits",
		               s->file[0], rows, columns, s->pixel[0], s->pixel[1], stored));
	s->rows = (size_t)rows;
	s->columns = (size_t)columns;
	s->is_signed = is_signed != 0;
	s->stored = (int)stored;
done:
	return st;
}

static gt_status check_same(const char *file, const gt_series *s, gt_dicom *d)
{
	gt_status st;
	char uid[GT_DICOM_UID];
	double axes[6], pixel[2], size[2], kind[2];
	GT_TRY(gt_dicom_text(d, &gt_series_tag[GT_SERIES_SERIES], uid, sizeof uid));
	if (strcmp(uid, s->series) != 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: Series Instance UID is %s, that of %s is %s: expected one series in the folder", file,
		               uid, s->file[0], s->series));
	GT_TRY(gt_dicom_numbers(d, &gt_series_tag[GT_SERIES_AXES], 6, axes));
	GT_TRY(gt_dicom_numbers(d, &gt_series_tag[GT_SERIES_PIXEL], 2, pixel));
	GT_TRY(gt_dicom_numbers(d, &gt_series_tag[GT_SERIES_ROWS], 1, &size[0]));
	GT_TRY(gt_dicom_numbers(d, &gt_series_tag[GT_SERIES_COLUMNS], 1, &size[1]));
	GT_TRY(number(d, GT_SERIES_SIGNED, 0, &kind[0]));
	GT_TRY(number(d, GT_SERIES_STORED, 16, &kind[1]));
	for (int i = 0; i < 6; i++)
		if (!(fabs(axes[i] - s->axes[i]) <= SAME_AXES))
			GT_TRY(differs(file, s, "Image Orientation (Patient)"));
	if (!(fabs(pixel[0] - s->pixel[0]) <= 1e-5 * s->pixel[0] && fabs(pixel[1] - s->pixel[1]) <= 1e-5 * s->pixel[1]))
		GT_TRY(differs(file, s, "Pixel Spacing"));
	if (size[0] != (double)s->rows || size[1] != (double)s->columns)
		GT_TRY(differs(file, s, "the number of rows and columns"));
	if ((kind[0] != 0) != s->is_signed || kind[1] != (double)s->stored)
		GT_TRY(differs(file, s, "Pixel Representation or Bits Stored"));
done:
	return st;
}

static void normal_of(const double a[6], double n[3])
{
	n[0] = a[1] * a[5] - a[2] * a[4];
	n[1] = a[2] * a[3] - a[0] * a[5];
	n[2] = a[0] * a[4] - a[1] * a[3];
}

static gt_status read_head(gt_series *s, size_t i)
{
	const char *file = s->file[i];
	gt_series_slice *to = &s->slice[i];
	gt_dicom *d = NULL;
	gt_status st;
	double n[3];
	to->file = s->file[i];
	GT_TRY(gt_dicom_open(file, &d));
	GT_TRY(check_kind(file, d));
	if (i == 0)
		GT_TRY(read_first(s, d));
	GT_TRY(check_same(file, s, d));
	GT_TRY(gt_dicom_numbers(d, &gt_series_tag[GT_SERIES_PLACE], 3, to->place));
	GT_TRY(number(d, GT_SERIES_SLOPE, 1, &to->slope));
	GT_TRY(number(d, GT_SERIES_INTERCEPT, 0, &to->intercept));
	s->unscaled += !gt_dicom_count(d, &gt_series_tag[GT_SERIES_SLOPE]) || !gt_dicom_count(d, &gt_series_tag[GT_SERIES_INTERCEPT]);
	if (to->slope == 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: (0028,1053) Rescale Slope is 0: expected another number", file));
	normal_of(s->axes, n);
	to->along = n[0] * to->place[0] + n[1] * to->place[1] + n[2] * to->place[2];
done:
	gt_dicom_close(d);
	return st;
}

/* Finds the smallest distance of adjacent slices; duplicate positions and gaps are errors. */
static gt_status check_gaps(const gt_series *s, double *min)
{
	const gt_series_slice *x = s->slice;
	*min = INFINITY;
	for (size_t i = 1; i < s->files; i++) {
		const double d = x[i].along - x[i - 1].along;
		if (d <= 1e-3 * s->pixel[0])
			return gt_fail(GT_ERR_FORMAT, "%s: has the same position as %s: expected one slice at each", x[i].file,
			               x[i - 1].file);
		*min = fmin(*min, d);
	}
	for (size_t i = 1; i < s->files; i++)
		if (x[i].along - x[i - 1].along > 1.5 * *min)
			return gt_fail(GT_ERR_FORMAT, "%s: between %s and %s lie %.5g mm, elsewhere %.5g: slices are missing", s->path,
			               x[i - 1].file, x[i].file, x[i].along - x[i - 1].along, *min);
	return GT_OK;
}

/* Finds the step between slices, which must be uniform. */
static gt_status find_step(const gt_series *s, double step[3])
{
	const gt_series_slice *x = s->slice;
	const size_t n = s->files;
	double normal[3], min;
	const gt_status st = check_gaps(s, &min);
	if (st != GT_OK)
		return st;
	if (n == 1 && !(s->thickness > 0))
		return gt_fail(GT_ERR_FORMAT, "%s: a single slice without Slice Thickness", s->path);
	normal_of(s->axes, normal);
	for (int a = 0; a < 3; a++)
		step[a] = n > 1 ? (x[n - 1].place[a] - x[0].place[a]) / (double)(n - 1) : normal[a] * s->thickness;
	for (size_t i = 1; i < n; i++)
		for (int a = 0; a < 3; a++) {
			const double off = x[i].place[a] - x[0].place[a] - (double)i * step[a];
			if (fabs(off) > UNEVEN * min)
				return gt_fail(GT_ERR_FORMAT, "%s: is %.5g mm off the even steps of the other slices", x[i].file, off);
		}
	return GT_OK;
}

/* DICOM's left and back are the negative right and front. */
static void matrix_of(const gt_series *s, const double step[3], double m[12])
{
	for (int r = 0; r < 3; r++) {
		const int sign = r < 2 ? -1 : 1;
		m[4 * r] = sign * s->axes[r] * s->pixel[1];
		m[4 * r + 1] = sign * s->axes[3 + r] * s->pixel[0];
		m[4 * r + 2] = sign * step[r];
		m[4 * r + 3] = sign * s->slice[0].place[r];
	}
}

gt_status gt_series_read_heads(gt_series *s)
{
	gt_status st = GT_OK;
	if (!(s->slice = calloc(s->files, sizeof *s->slice)))
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->path);
	for (size_t i = 0; i < s->files; i++) {
		GT_TRY(gt_external_entry(s->path, s->file[i]));
		GT_TRY(read_head(s, i));
	}
	qsort(s->slice, s->files, sizeof *s->slice, by_place);
done:
	return st;
}

gt_status gt_series_place(const gt_series *s, gt_position position, gt_place *p)
{
	double step[3], m[12];
	const gt_status st = find_step(s, step);
	if (st != GT_OK)
		return st;
	matrix_of(s, step, m);
	return gt_order_voxels(s->path, (const size_t[3]){ s->columns, s->rows, s->files }, m, position, p);
}
