/* NIfTI files along the patient's axes: every orientation by sform and qform for every position, and the bytes
 * written.
 * labels: unit property, backend: none */
#include "geometry/volume.h"
#include "tests/io/nifti_files.h"

/* Right, front and head of each scanner axis: docs/geometry.md. */
static const int turned[4][3] = { { 1, 1, 1 }, { -1, -1, 1 }, { -1, 1, -1 }, { 1, -1, -1 } };

/* A distinct value for every point of the patient. */
static double value_at_point(const double p[3]) { return 0.001 * (1000 + 7 * p[0] + 1.3 * p[1] - 0.37 * p[2]); }

static const foreign *oriented;
static double value_of_voxel(size_t i)
{
	const size_t k[3] = { i % 4, i / 4 % 3, i / 12 };
	double p[3];
	for (int r = 0; r < 3; r++) {
		p[r] = oriented->rows[4 * r + 3];
		for (int c = 0; c < 3; c++)
			p[r] += oriented->rows[4 * r + c] * (double)k[c];
	}
	return value_at_point(p);
}

static void check_places(const gt_volume *v, int position)
{
	const gt_grid *g = &v->grid;
	for (size_t i = 0; i < 24; i++) {
		const size_t k[3] = { i % g->n[0], i / g->n[0] % g->n[1], i / g->n[0] / g->n[1] };
		double p[3];
		for (int a = 0; a < 3; a++)
			p[a] = turned[position][a] * (gt_grid_first(g, a) + (double)k[a] * g->pitch[a]);
		ck_assert_double_eq_tol(v->data[i], value_at_point(p), 1e-6);
	}
}

/* All 48 orientations of file axes, by sform and by qform, for every patient position. */
GT_TEST(every_orientation)
{
	static const int order[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 } };
	static const double pitch[3] = { 0.5, 0.25, 2 };
	for (int way = 0; way < 48; way++) {
		foreign x = plain();
		oriented = &x;
		memset(x.rows, 0, sizeof x.rows);
		for (int c = 0; c < 3; c++)
			x.rows[4 * order[way / 8][c] + c] = (way >> c & 1 ? -1 : 1) * pitch[c];
		x.rows[3] = 11;
		x.rows[7] = -6;
		x.rows[11] = 40;
		for (int position = 0; position < 4; position++) {
			gt_read_options o = gt_read_defaults;
			gt_volume *v;
			o.position = (gt_position)position;
			o.unit = GT_PER_MM;
			write_foreign(&x, 24, value_of_voxel);
			ck_ok(gt_read_volume(path, &o, &v));
			check_places(v, position);
			for (int c = 0; c < 3; c++)
				ck_assert_uint_eq(v->grid.n[order[way / 8][c]], (size_t)x.dim[c + 1]);
			gt_volume_free(v);
		}
	}
}

/* A quarter rotation about z by a quaternion, and an axis reversed by the sign of pixdim[0]. */
GT_TEST(orientation_by_quaternion)
{
	foreign x = plain();
	gt_volume *v;
	x.sform = 0;
	x.qform = 1;
	x.quatern[2] = sqrt(0.5);
	x.pixdim[0] = -1;
	x.qoffset[0] = 11;
	x.qoffset[1] = -6;
	x.qoffset[2] = 40;
	/* i runs to the front, j to the left, k to the feet */
	const double rows[12] = { 0, -0.25, 0, 11, 0.5, 0, 0, -6, 0, 0, -2, 40 };
	foreign means = x;
	memcpy(means.rows, rows, sizeof rows);
	oriented = &means;
	write_foreign(&x, 24, value_of_voxel);
	ck_ok(gt_read_volume(path, NULL, &v));
	check_places(v, GT_HFS);
	gt_volume_free(v);
}

/* Written bytes: sform and qform agree, in the patient's frame. */
GT_TEST(written_heads)
{
	for (int position = 0; position < 4; position++) {
		gt_volume *v = volume();
		unsigned char h[352];
		v->position = (gt_position)position;
		ck_ok(gt_write_volume(path, NULL, v));
		FILE *f = fopen(path, "rb");
		ck_assert(f && fread(h, 1, sizeof h, f) == sizeof h && fclose(f) == 0);
		float row[12], quatern[6], pixdim[8];
		int16_t code[2], dim[8];
		memcpy(row, h + 280, sizeof row);
		memcpy(quatern, h + 256, sizeof quatern);
		memcpy(code, h + 252, sizeof code);
		memcpy(pixdim, h + 76, sizeof pixdim);
		memcpy(dim, h + 40, sizeof dim);
		ck_assert(code[0] == 1 && code[1] == 1 && h[123] == 2 && !memcmp(h + 344, "n+1", 4) && h[348] == 1);
		ck_assert(dim[0] == 3 && dim[1] == 7 && dim[2] == 5 && dim[3] == 3 && dim[4] == 1);
		for (int r = 0; r < 3; r++) {
			ck_assert_float_eq_tol(pixdim[r + 1], (float)v->grid.pitch[r], 1e-6f);
			for (int c = 0; c < 3; c++)
				ck_assert_float_eq_tol(row[4 * r + c], r == c ? (float)(turned[position][r] * v->grid.pitch[r]) : 0, 1e-6f);
			ck_assert_float_eq_tol(row[4 * r + 3], (float)(turned[position][r] * gt_grid_first(&v->grid, r)), 1e-5f);
			ck_assert_float_eq_tol(quatern[3 + r], row[4 * r + 3], 1e-5f);
		}
		/* rotations by 180 degrees about z, y and x: all four positions are rotations */
		ck_assert_float_eq_tol(quatern[0], position == GT_FFP, 1e-6f);
		ck_assert_float_eq_tol(quatern[1], position == GT_FFS, 1e-6f);
		ck_assert_float_eq_tol(quatern[2], position == GT_HFP, 1e-6f);
		ck_assert(pixdim[0] == 1);
		gt_volume_free(v);
	}
}

int main(void) { return is_built_without() ? 77 : gt_test_main_with("nifti_orientation", setup, teardown); }
