/* NIfTI files through the reference library: R. W. Cox et al., "A (sort of) new image data format standard: NIfTI-1"
 * (2004), and NIfTI-2 (2011) for long axes. The library parses and creates headers; its zlib layer transfers the bytes
 * in blocks of the caller. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <nifti2_io.h>
#include "core/files/opener.h"
#include "core/try.h"
#include "io/file_access.h"
#include "io/nifti/nifti.h"

struct gt_nifti {
	znzFile z;
	const char *path;
	int writing;
	long long data_at; /* when reading: offset of the first voxel, and the position after it */
	size_t at;
};

/* longer extensions are skipped: Gantry's have a few lines */
#define MAX_COMMENTS (1 << 20)
typedef union {
	char bytes[sizeof(nifti_2_header)];
	nifti_1_header one;
	nifti_2_header two;
} any_head;

/* Reads up to n bytes; -1: damaged. */
static long get(znzFile z, void *bytes, size_t n)
{
	const size_t got = znzread(bytes, 1, n, z);
	return got > n ? -1 : (long)got;
}

static znzFile open_to_read(const char *path)
{
	nifti_set_debug_level(0);
	return gt_file_check(path) == GT_OK ? znzopen(path, "rb", 1) : NULL;
}

/* Version 1 or 2; 0: another format; -1: a pair of files. */
static int version_of(const any_head *h, long got)
{
	if (got < (long)sizeof h->one)
		return 0;
	if (!memcmp(h->one.magic, "n+1", 4) || !memcmp(h->one.magic, "ni1", 4))
		return h->one.magic[1] == '+' ? 1 : -1;
	if (got == (long)sizeof h->two && (!memcmp(h->two.magic, "n+2", 4) || !memcmp(h->two.magic, "ni2", 4)))
		return h->two.magic[1] == '+' ? 2 : -1;
	return 0;
}

int gt_nifti_is(const char *path)
{
	any_head h;
	znzFile z = open_to_read(path);
	const long got = znz_isnull(z) ? 0 : get(z, &h, sizeof h);
	if (!znz_isnull(z))
		znzclose(z);
	return version_of(&h, got) != 0;
}

/* Converts the header to this machine's byte order. 1: swapped, 0: unchanged, -1: neither order is valid. */
static int to_native(any_head *h, int version)
{
	const int expected = version == 1 ? (int)sizeof h->one : (int)sizeof h->two;
	int size = h->one.sizeof_hdr;
	if (size == expected)
		return 0;
	swap_nifti_header(h, version);
	return h->one.sizeof_hdr == expected ? 1 : -1;
}

/* Rejects values that the library would correct silently or report to the terminal. */
static gt_status check_sizes(const char *path, const int64_t *dim, const double *pitch)
{
	if (dim[0] < 1 || dim[0] > 7)
		return gt_fail(GT_ERR_FORMAT, "%s: damaged: dim[0] is %lld, expected 1 to 7", path, (long long)dim[0]);
	for (int a = 1; a <= dim[0]; a++)
		if (dim[a] < 1)
			return gt_fail(GT_ERR_FORMAT, "%s: damaged: dim[%d] is %lld, expected at least 1", path, a, (long long)dim[a]);
	for (int a = 4; a <= dim[0]; a++)
		if (dim[a] > 1)
			return gt_fail(GT_ERR_UNSUPPORTED, "%s: dim[%d] is %lld: several volumes, expected one of three dimensions", path,
			               a, (long long)dim[a]);
	for (int a = 1; a <= 3 && a <= dim[0]; a++)
		if (!isfinite(pitch[a]) || pitch[a] == 0)
			return gt_fail(GT_ERR_FORMAT, "%s: damaged: pixdim[%d] is %g, expected a length", path, a, pitch[a]);
	return GT_OK;
}

static gt_status check_head(const char *path, const any_head *h, int version)
{
	int64_t dim[8];
	double pitch[8], offset = version == 1 ? h->one.vox_offset : (double)h->two.vox_offset;
	const double min = version == 1 ? 352 : 544;
	for (int a = 0; a < 8; a++) {
		dim[a] = version == 1 ? h->one.dim[a] : h->two.dim[a];
		pitch[a] = version == 1 ? h->one.pixdim[a] : h->two.pixdim[a];
	}
	if (!(offset >= min && offset <= 1e15) || offset != floor(offset))
		return gt_fail(GT_ERR_FORMAT, "%s: damaged: vox_offset is %g, expected a whole number of at least %g", path, offset, min);
	return check_sizes(path, dim, pitch);
}

static gt_status find_type(const char *path, int datatype, const gt_number_type **type)
{
	for (*type = gt_number_types; (*type)->met && (*type)->nifti != datatype;)
		++*type;
	return (*type)->met ? GT_OK
	                    : gt_fail(GT_ERR_UNSUPPORTED, "%s: datatype is %d (%s), expected integers of 8 to 64 bits, float32 or float64",
	                              path, datatype, nifti_datatype_to_string(datatype));
}

static double largest_difference(const nifti_dmat44 *a, const nifti_dmat44 *b, const size_t n[3])
{
	double max = 0;
	for (int corner = 0; corner < 8; corner++)
		for (int r = 0; r < 3; r++) {
			double d = a->m[r][3] - b->m[r][3];
			for (int c = 0; c < 3; c++)
				d += corner >> c & 1 ? (a->m[r][c] - b->m[r][c]) * (double)(n[c] - 1) : 0;
			max = fmax(max, fabs(d));
		}
	return max;
}

/* Uses the sform if present, else the qform, else the default axes of the format. */
static void orient(const nifti_image *nim, gt_nifti_head *h)
{
	const nifti_dmat44 *m = nim->sform_code > 0 ? &nim->sto_xyz : &nim->qto_xyz;
	const double unit = nim->xyz_units == NIFTI_UNITS_METER ? 1000 : nim->xyz_units == NIFTI_UNITS_MICRON ? 1e-3 : 1;
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 4; c++)
			h->to_patient[4 * r + c] = unit * m->m[r][c];
	h->oriented = nim->sform_code > 0 || nim->qform_code > 0;
	if (!h->oriented)
		h->remark = "it states no orientation (sform_code and qform_code are 0): axes taken as right, front, head";
	else if (nim->sform_code > 0 && nim->qform_code > 0 &&
	         largest_difference(m, &nim->qto_xyz, h->n) > 0.1 * fmin(fabs(nim->dx), fmin(fabs(nim->dy), fabs(nim->dz))))
		h->remark = "its sform and qform differ: the sform is taken";
}

static gt_status describe(const char *path, const any_head *a, int swapped, gt_nifti_head *h, long long *data_at)
{
	gt_status st;
	nifti_image *nim = NULL;
	GT_TRY(check_head(path, a, h->version));
	GT_TRY(find_type(path, h->version == 1 ? a->one.datatype : a->two.datatype, &h->type));
	/* the NIfTI library replaces non-finite values by 0 */
	const double slope = h->version == 1 ? (double)a->one.scl_slope : a->two.scl_slope;
	const double inter = h->version == 1 ? (double)a->one.scl_inter : a->two.scl_inter;
	if (isinf(slope) || isinf(inter))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: scl_slope=%g, scl_inter=%g: expected finite numbers", path, slope, inter));
	nim = h->version == 1 ? nifti_convert_n1hdr2nim(a->one, NULL) : nifti_convert_n2hdr2nim(a->two, NULL);
	if (!nim)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: damaged: the NIfTI library rejects its header", path));
	for (int axis = 0; axis < 3; axis++)
		h->n[axis] = axis < nim->dim[0] ? (size_t)nim->dim[axis + 1] : 1;
	h->swap = swapped && h->type->size > 1;
	/* a slope of 0 or NaN means no scaling */
	const int scaled = nim->scl_slope != 0 && isfinite(nim->scl_slope) && (nim->scl_slope != 1 || nim->scl_inter != 0);
	h->slope = scaled ? nim->scl_slope : NAN;
	h->offset = scaled ? nim->scl_inter : NAN;
	orient(nim, h);
	*data_at = h->version == 1 ? (long long)a->one.vox_offset : (long long)a->two.vox_offset;
done:
	if (nim)
		nifti_image_free(nim);
	return st;
}

/* Extensions: 4 bytes, the first of which is not 0 if any follow; then length, code and contents of each. */
static gt_status read_comment(const char *path, znzFile z, int swapped, long long room, gt_nifti_head *h)
{
	if (room <= 4 || room > MAX_COMMENTS)
		return GT_OK;
	char *bytes = malloc((size_t)room);
	const long got = bytes ? get(z, bytes, (size_t)room) : 0;
	gt_status st = GT_OK;
	if (!bytes)
		st = gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	else if (got != room)
		st = gt_fail(GT_ERR_FORMAT, "%s: truncated, or cannot be read: its extensions are incomplete", path);
	for (long at = 4; st == GT_OK && bytes[0] && at + 8 <= got && !h->comment;) {
		int head[2];
		memcpy(head, bytes + at, sizeof head);
		if (swapped)
			nifti_swap_4bytes(2, head);
		if (head[0] < 16 || head[0] > got - at) {
			st = gt_fail(GT_ERR_FORMAT, "%s: damaged: an extension of %d bytes, expected 16 to %ld", path, head[0], got - at);
			break;
		}
		if (head[1] == NIFTI_ECODE_COMMENT && !strncmp(bytes + at + 8, "gantry ", 7) &&
		    !(h->comment = strndup(bytes + at + 8, (size_t)head[0] - 8)))
			st = gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
		at += head[0];
	}
	free(bytes);
	return st;
}

/* Compressed files state their length only at the end; the limit of deflate bounds it. */
static gt_status check_length(const char *path, long long data_at, gt_nifti_head *h)
{
	const double bytes = (double)h->n[0] * (double)h->n[1] * (double)h->n[2] * (double)h->type->size;
	unsigned char mark[2] = { 0 };
	size_t size;
	const int ok = gt_file_size(path, &size) == GT_OK && gt_file_start(path, mark, 2) == 2;
	h->compressed = mark[0] == 0x1f && mark[1] == 0x8b;
	const double needed = bytes + (double)data_at;
	const int lacks = ok && h->compressed && needed <= GT_NIFTI_MAX_STATED && gt_nifti_stated_length(path, size) < needed;
	if (!ok || ((double)size * (h->compressed ? GT_MAX_DEFLATED : 1) >= needed && !lacks))
		return GT_OK;
	if (h->compressed)
		return gt_fail(GT_ERR_FORMAT, "%s: truncated: %zu x %zu x %zu voxels of %s need %.0f bytes, the file has %zu, compressed",
		               path, h->n[0], h->n[1], h->n[2], h->type->nifti_name, bytes, size);
	return gt_fail(GT_ERR_FORMAT, "%s: truncated: %zu x %zu x %zu voxels of %s need %.0f bytes after the header, the file has %.0f",
	               path, h->n[0], h->n[1], h->n[2], h->type->nifti_name, bytes, fmax(0, (double)size - (double)data_at));
}

void gt_nifti_drop(gt_nifti *f)
{
	if (f && !znz_isnull(f->z))
		znzclose(f->z);
	free(f);
}

gt_status gt_nifti_open(const char *path, gt_nifti_head *h, gt_nifti **out)
{
	gt_status st = GT_OK;
	any_head a;
	long long data_at = 0;
	memset(h, 0, sizeof *h);
	*out = NULL;
	gt_nifti *f = calloc(1, sizeof *f);
	if (!f)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	f->path = path;
	GT_TRY(gt_file_check(path));
	if (znz_isnull(f->z = open_to_read(path)))
		GT_TRY(gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno)));
	h->version = version_of(&a, get(f->z, &a, sizeof a));
	if (h->version < 0)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: the header of a pair of files (.hdr and .img): expected one file .nii or .nii.gz",
		               path));
	const int swapped = to_native(&a, h->version), size = h->version == 1 ? (int)sizeof a.one : (int)sizeof a.two;
	if (swapped < 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: damaged: sizeof_hdr is not %d", path, size));
	GT_TRY(describe(path, &a, swapped, h, &data_at));
	GT_TRY(check_length(path, data_at, h));
	if (znzseek(f->z, size, SEEK_SET) < 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: damaged or truncated", path));
	GT_TRY(read_comment(path, f->z, swapped, data_at - size, h));
	if (znzseek(f->z, (znz_off_t)data_at, SEEK_SET) < 0)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: damaged or truncated", path));
	f->data_at = data_at;
	*out = f;
	f = NULL;
done:
	gt_nifti_drop(f);
	return st;
}

gt_status gt_nifti_seek(gt_nifti *f, size_t at)
{
	if (at != f->at && znzseek(f->z, (znz_off_t)(f->data_at + (long long)at), SEEK_SET) < 0)
		return gt_fail(GT_ERR_FORMAT, "%s: damaged or truncated", f->path);
	f->at = at;
	return GT_OK;
}

gt_status gt_nifti_get(gt_nifti *f, void *bytes, size_t n)
{
	const long got = get(f->z, bytes, n);
	f->at += n;
	if (got == (long)n)
		return GT_OK;
	return gt_fail(GT_ERR_FORMAT, "%s: %s", f->path,
	               got < 0 ? "damaged: cannot be unpacked" : "truncated: it ends before the last voxel");
}

gt_status gt_nifti_end(gt_nifti *f)
{
	char one;
	return get(f->z, &one, 1) >= 0 ? GT_OK : gt_fail(GT_ERR_FORMAT, "%s: damaged: its checksum does not match", f->path);
}

void gt_nifti_clear(gt_nifti_head *h)
{
	free(h->comment);
	h->comment = NULL;
}

/* Sets sform and qform to the same orientation, because programs use either. */
static void set_orientation(const double to_patient[12], nifti_image *nim)
{
	nifti_dmat44 m = { { { 0 } } };
	memcpy(m.m, to_patient, 12 * sizeof(double));
	m.m[3][3] = 1;
	nim->sto_xyz = nim->qto_xyz = m;
	nifti_dmat44_to_quatern(m, &nim->quatern_b, &nim->quatern_c, &nim->quatern_d, &nim->qoffset_x, &nim->qoffset_y, &nim->qoffset_z,
	                        &nim->dx, &nim->dy, &nim->dz, &nim->qfac);
	nim->pixdim[0] = nim->qfac;
	nim->pixdim[1] = nim->dx;
	nim->pixdim[2] = nim->dy;
	nim->pixdim[3] = nim->dz;
	nim->sform_code = nim->qform_code = NIFTI_XFORM_SCANNER_ANAT;
	nim->xyz_units = NIFTI_UNITS_MM;
}

static gt_status put_head(gt_nifti *f, nifti_image *nim, int version)
{
	gt_status st;
	any_head a;
	const nifti1_extension *e = nim->ext_list;
	const char there[4] = { nim->num_ext > 0, 0, 0, 0 };
	nim->iname_offset = (int64_t)(version == 1 ? sizeof a.one : sizeof a.two) + (int64_t)sizeof there;
	for (int i = 0; i < nim->num_ext; i++)
		nim->iname_offset += e[i].esize;
	memset(&a, 0, sizeof a);
	if (version == 1 ? nifti_convert_nim2n1hdr(nim, &a.one) : nifti_convert_nim2n2hdr(nim, &a.two))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: the NIfTI library cannot create its header", f->path));
	for (int i = 4; i < 8; i++)
		if (version == 1)
			a.one.dim[i] = 1;
		else
			a.two.dim[i] = 1;
	GT_TRY(gt_nifti_put(f, &a, version == 1 ? sizeof a.one : sizeof a.two));
	GT_TRY(gt_nifti_put(f, there, sizeof there));
	for (int i = 0; i < nim->num_ext; i++) {
		const int head[2] = { e[i].esize, e[i].ecode };
		GT_TRY(gt_nifti_put(f, head, sizeof head));
		GT_TRY(gt_nifti_put(f, e[i].edata, (size_t)e[i].esize - sizeof head));
	}
done:
	return st;
}

static nifti_image *image_of(const gt_nifti_head *h)
{
	const int64_t dims[8] = { 3, (int64_t)h->n[0], (int64_t)h->n[1], (int64_t)h->n[2], 1, 1, 1, 1 };
	nifti_image *nim = nifti_make_new_nim(dims, h->type->nifti, 0);
	if (!nim)
		return NULL;
	nim->nifti_type = h->version == 1 ? NIFTI_FTYPE_NIFTI1_1 : NIFTI_FTYPE_NIFTI2_1;
	nim->scl_slope = 1;
	nim->scl_inter = 0;
	set_orientation(h->to_patient, nim);
	snprintf(nim->descrip, sizeof nim->descrip, "%s", h->about);
	if (h->comment && nifti_add_extension(nim, h->comment, (int)strlen(h->comment) + 1, NIFTI_ECODE_COMMENT) != 0) {
		nifti_image_free(nim);
		return NULL;
	}
	return nim;
}

gt_status gt_nifti_new(const char *path, const char *tmp, int level, const gt_nifti_head *h, gt_nifti **out)
{
	gt_status st = GT_OK;
	const char mode[4] = { 'w', 'b', (char)(level > 0 ? '0' + level : 0), 0 };
	nifti_set_debug_level(0);
	*out = NULL;
	gt_nifti *f = calloc(1, sizeof *f);
	nifti_image *nim = image_of(h);
	if (!f || !nim)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	*f = (gt_nifti){ .path = path, .writing = 1, .z = znzopen(tmp, mode, level > 0) };
	if (znz_isnull(f->z))
		GT_TRY(gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno)));
	GT_TRY(put_head(f, nim, h->version));
	*out = f;
	f = NULL;
done:
	nifti_image_free(nim);
	gt_nifti_drop(f);
	return st;
}

gt_status gt_nifti_put(gt_nifti *f, const void *bytes, size_t n)
{
	if (znzwrite(bytes, 1, n, f->z) == n)
		return GT_OK;
	return gt_fail(GT_ERR_IO, "%s: cannot be written: %s", f->path, strerror(errno));
}

gt_status gt_nifti_close(gt_nifti *f)
{
	gt_status st = GT_OK;
	if (!f)
		return GT_OK;
	if (!znz_isnull(f->z) && znzclose(f->z) != 0)
		st = f->writing ? gt_fail(GT_ERR_IO, "%s: cannot be written: %s", f->path, strerror(errno))
		                : gt_fail(GT_ERR_FORMAT, "%s: truncated: its checksum is missing", f->path);
	free(f);
	return st;
}
