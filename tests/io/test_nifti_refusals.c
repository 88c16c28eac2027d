/* Refused NIfTI files: damaged, truncated, or unsuitable as a volume.
 * labels: unit, backend: none */
#include <zlib.h>
#include "tests/io/nifti_files.h"

static void refused(const foreign *x, size_t n, gt_status code, const char *text)
{
	gt_volume *v;
	write_foreign(x, n, counted);
	ck_refused(gt_read_volume(path, NULL, &v), code, text);
	ck_assert_ptr_nonnull(strstr(gt_error(), "a.nii"));
	ck_assert_ptr_null(v);
}

START_TEST(refusals)
{
	const foreign x = plain();
	foreign y = x;
	refused(&x, 23, GT_ERR_FORMAT, "truncated: 4 x 3 x 2 voxels of float32 need 96 bytes after the header, the file has 92");
	y.rows[4] = 0.5 * tan(3 * 3.14159265 / 180);
	refused(&y, 24, GT_ERR_UNSUPPORTED,
	        "oblique: its axis 1 runs along (0.9986, 0.05234, 0) of the patient (right, front, head), 3 degrees off");
	y = x;
	y.rows[0] = NAN;
	refused(&y, 24, GT_ERR_FORMAT, "its orientation holds nan");
	y = x;
	y.rows[0] = 0;
	refused(&y, 24, GT_ERR_FORMAT, "axis 1 of its orientation has no length");
	y = x;
	y.rows[5] = 0;
	y.rows[1] = 0.25;
	refused(&y, 24, GT_ERR_FORMAT, "axes 1 and 2 of its orientation are the same");
	y = x;
	y.dim[0] = 4;
	y.dim[4] = 5;
	refused(&y, 24, GT_ERR_UNSUPPORTED, "dim[4] is 5: several volumes");
	y.dim[0] = 9;
	refused(&y, 24, GT_ERR_FORMAT, "damaged");
	y = x;
	y.dim[2] = -3;
	refused(&y, 24, GT_ERR_FORMAT, "damaged: dim[2] is -3");
	y = x;
	y.pixdim[3] = 0;
	refused(&y, 24, GT_ERR_FORMAT, "damaged: pixdim[3] is 0");
	y = x;
	y.at = 100;
	refused(&y, 24, GT_ERR_FORMAT, "damaged: vox_offset is 100");
	y = x;
	y.datatype = 32;
	refused(&y, 24, GT_ERR_UNSUPPORTED, "datatype is 32 (");
	y.datatype = 128;
	refused(&y, 24, GT_ERR_UNSUPPORTED, "datatype is 128 (");
	y = x;
	y.pair = 1;
	refused(&y, 24, GT_ERR_UNSUPPORTED, "the header of a pair of files");
	y = x;
	y.header_size = 347;
	refused(&y, 24, GT_ERR_FORMAT, "damaged: sizeof_hdr is not 348");
}
END_TEST

static double one_bad(size_t i) { return i == 17 ? NAN : 1; }

START_TEST(not_a_number)
{
	const foreign x = plain();
	gt_volume *v;
	write_foreign(&x, 24, one_bad);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, "1 of 24 voxels are NaN or infinite, the first at [1][1][1]");
}
END_TEST

/* Offsets of the scaling in a NIfTI-1 header: 112 and 116. */
START_TEST(infinite_scaling)
{
	const foreign x = plain();
	const float inf = INFINITY;
	gt_volume *v;
	for (int i = 0; i < 2; i++) {
		write_foreign(&x, 24, counted);
		FILE *f = fopen(path, "r+b");
		ck_assert(f && fseek(f, 112 + 4 * i, SEEK_SET) == 0 && fwrite(&inf, sizeof inf, 1, f) == 1 && fclose(f) == 0);
		ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, i ? "scl_inter=inf: expected finite" : "scl_slope=inf");
	}
}
END_TEST

/* Unpacking such a file to its end would take seconds before it is refused. Deflate cannot hold the first claim; the
 * length at the end of the file contradicts the second one, unless there are several members. */
START_TEST(a_claim_beyond_the_compressed_data)
{
	static const struct {
		int side, members;
		const char *why;
	} cases[] = { { 30000, 1, "30000 x 30000 x 30000 voxels of float32 need 108000000000000 bytes" },
		      { 8, 1, "8 x 8 x 8 voxels of float32 need 2048 bytes, the file has" },
		      { 8, 2, "it ends before the last voxel" } };
	unsigned char bytes[1024];
	char unpacked[sizeof path];
	snprintf(unpacked, sizeof unpacked, "%s", path);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gt_volume *v = NULL;
		foreign x = plain();
		x.dim[1] = x.dim[2] = x.dim[3] = cases[i].side;
		snprintf(path, sizeof path, "%s", unpacked);
		write_foreign(&x, 24, counted);
		FILE *f = fopen(path, "rb");
		const unsigned n = (unsigned)fread(bytes, 1, sizeof bytes, f), first = n / (unsigned)cases[i].members;
		fclose(f);
		unlink(path);
		snprintf(path, sizeof path, "%s/a.nii.gz", folder);
		gzFile z = gzopen(path, "wb");
		ck_assert(z && gzwrite(z, bytes, first) == (int)first && gzclose(z) == Z_OK);
		if (first < n) {
			z = gzopen(path, "ab");
			ck_assert(z && gzwrite(z, bytes + first, n - first) == (int)(n - first) && gzclose(z) == Z_OK);
		}
		ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_FORMAT, cases[i].why);
	}
}
END_TEST

/* Truncated at every length, and each byte changed: read completely or refused, without a crash. */
START_TEST(damaged_compressed_files)
{
	gt_volume *v = volume(), *w;
	unsigned char bytes[4096];
	snprintf(path, sizeof path, "%s/a.nii.gz", folder);
	ck_ok(gt_write_volume(path, &(gt_write_options){ .size = sizeof(gt_write_options), .unit = GT_PER_MM, .deflate = 9 }, v));
	FILE *f = fopen(path, "rb");
	const size_t n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	ck_assert(n > 300 && n < sizeof bytes);
	for (size_t cut = 1; cut < n; cut += 7) {
		f = fopen(path, "wb");
		fwrite(bytes, 1, cut, f);
		fclose(f);
		ck_assert_msg(gt_read_volume(path, NULL, &w) == GT_ERR_FORMAT, "cut at %zu of %zu: %s", cut, n, gt_error());
	}
	for (size_t at = 10; at < n; at += 5) {
		bytes[at] ^= 0x10;
		f = fopen(path, "wb");
		fwrite(bytes, 1, n, f);
		fclose(f);
		bytes[at] ^= 0x10;
		ck_assert_msg(gt_read_volume(path, NULL, &w) != GT_OK || at >= n - 4, "byte %zu of %zu changed, and it was read", at, n);
		gt_volume_free(w);
	}
	gt_volume_free(v);
}
END_TEST

/* Random headers: refused or read. */
START_TEST(random_headers)
{
	unsigned char bytes[1024];
	float noise[1024];
	for (unsigned seed = 0; seed < 300; seed++) {
		foreign x = plain();
		gt_volume *v = NULL;
		memset(bytes, 0, sizeof bytes);
		x.version = 1 + (int)seed % 2;
		const size_t head = x.version == 1 ? put_head_1(bytes, &x) : put_head_2(bytes, &x);
		gt_test_random(seed, 1024, noise);
		for (size_t i = 0; i < head; i++)
			if (noise[i] > 0.97)
				bytes[i] = (unsigned char)(127 * (1 + noise[1023 - i]));
		FILE *f = fopen(path, "wb");
		fwrite(bytes, 1, head + 96, f);
		fclose(f);
		gt_read_volume(path, NULL, &v);
		gt_volume_free(v);
	}
}
END_TEST

static void fill(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, refusals);
	tcase_add_test(tc, not_a_number);
	tcase_add_test(tc, infinite_scaling);
	tcase_add_test(tc, a_claim_beyond_the_compressed_data);
	tcase_add_test(tc, damaged_compressed_files);
	tcase_add_test(tc, random_headers);
}

int main(void) { return is_built_without() ? 77 : gt_test_main("nifti_refusals", fill); }
