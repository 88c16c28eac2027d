/* NIfTI files: round trips, every type, both byte orders, both versions, units.
 * labels: unit property, backend: none */
#include "geometry/volume.h"
#include "tests/io/nifti_files.h"
#include "tests/io/notes.h"

static void same(const gt_volume *v, const gt_volume *w, double tolerance) { same_volume(v, w, tolerance, 0); }

GT_TEST(volumes_come_back)
{
	static const char *const names[] = { "a.nii", "b.nii.gz", "c.NII.GZ" };
	for (int i = 0; i < 3; i++)
		for (int position = GT_HFS; position <= GT_FFP; position++) {
			gt_volume *v = volume(), *w;
			gt_write_options o = gt_write_defaults;
			snprintf(path, sizeof path, "%s/%s", folder, names[i]);
			v->from.command = strdup("gantry\nrecon");
			v->from.parameters = strdup("a=1 b=2");
			v->from.scan_hash = 0x123456789abcdef0u;
			v->water = 0.0191;
			v->position = (gt_position)position;
			o.unit = GT_PER_MM;
			ck_ok(gt_write_volume(path, &o, v));
			ck_ok(gt_read_volume(path, NULL, &w));
			same(v, w, 0);
			gt_read_options head = gt_read_defaults;
			gt_volume *grid;
			head.geometry_only = 1;
			ck_ok(gt_read_volume(path, &head, &grid));
			ck_assert(!grid->data && !memcmp(&grid->grid, &w->grid, sizeof w->grid));
			gt_volume_free(grid);
			ck_assert(w->water == 0.0191 && (int)w->position == position);
			ck_assert_str_eq(w->from.command, "gantry recon");
			ck_assert_str_eq(w->from.parameters, "a=1 b=2");
			ck_assert_uint_eq(w->from.scan_hash, v->from.scan_hash);
			gt_volume_free(w);
			ck_ok(gt_write_volume(path, NULL, v));
			ck_ok(gt_read_volume(path, NULL, &w));
			same(v, w, 1e-7);
			ck_assert(w->water == 0.0191);
			gt_volume_free(w);
			gt_volume_free(v);
			unlink(path);
		}
}

/* Written slice by slice: the same bytes as in one call. */
GT_TEST(slices_come_back)
{
	static const char *const names[] = { "a.nii", "b.nii.gz" };
	for (int i = 0; i < 4; i++) {
		gt_write_options o = gt_write_defaults;
		gt_volume *v = volume(), head = *v, *w;
		gt_slice_writer *s;
		head.data = NULL;
		o.unit = i / 2 ? GT_HU : GT_PER_MM;
		snprintf(path, sizeof path, "%s/%s", folder, names[i % 2]);
		ck_ok(gt_slice_writer_create(path, &o, &head, &s));
		ck_ok(gt_slice_writer_write(s, 2, v->data));
		ck_assert_int_ne(access(path, F_OK), 0);
		ck_ok(gt_slice_writer_write(s, 1, v->data + 2 * 35));
		ck_ok(gt_slice_writer_commit(s));
		ck_ok(gt_read_volume(path, NULL, &w));
		same(v, w, i / 2 ? 1e-7 : 0);
		ck_assert(w->unit == o.unit);
		gt_volume_free(w);
		unlink(path);
		ck_ok(gt_slice_writer_create(path, &o, &head, &s));
		ck_ok(gt_slice_writer_write(s, 2, v->data));
		ck_refused(gt_slice_writer_commit(s), GT_ERR_ARG, "2 of 3 slices are written");
		ck_assert_int_ne(access(path, F_OK), 0);
		gt_volume_free(v);
	}
}

GT_TEST(all_types_both_orders_both_versions)
{
	static const int types[] = { 256, 2, 4, 512, 8, 768, 1024, 1280, 16, 64 };
	gt_read_options o = gt_read_defaults;
	o.unit = GT_PER_MM;
	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		for (int variant = 0; variant < 4; variant++) {
			foreign x = plain();
			gt_volume *v;
			x.datatype = types[t];
			x.msb = variant & 1;
			x.version = 1 + variant / 2;
			write_foreign(&x, 24, counted);
			ck_ok(gt_read_volume(path, &o, &v));
			for (size_t i = 0; i < 24; i++)
				ck_assert_msg(v->data[i] == (float)counted(i), "type %d, variant %d: voxel %zu is %g", types[t], variant, i,
				              v->data[i]);
			ck_assert_double_eq_tol(gt_grid_first(&v->grid, 1), 2, 1e-12);
			ck_assert(v->grid.pitch[2] == 2 && v->position == GT_HFS);
			gt_volume_free(v);
		}
}

GT_TEST(units_by_rule_or_as_told)
{
	foreign x = plain();
	char note[NOTES];
	gt_read_options o = gt_read_defaults;
	gt_volume *v;
	o.notes = notes_into(note);
	x.datatype = 512;
	write_foreign(&x, 24, counted);
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_double_eq_tol(v->data[5], 0.02 * (1 + (13 - 1024) / 1000.0), 1e-8);
	ck_assert_ptr_nonnull(strstr(note, "uint16 taken as HU = 1 * stored -1024 (NIfTI names no unit)"));
	gt_volume_free(v);
	/* slope and offset of the file; a slope of 0 means none */
	x.slope = 2;
	x.offset = -1000;
	write_foreign(&x, 24, counted);
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_double_eq_tol(v->data[5], 0.02 * (1 + (2 * 13 - 1000) / 1000.0), 1e-8);
	gt_volume_free(v);
	o.slope = 3;
	o.offset = 5;
	ck_ok(gt_read_volume(path, &o, &v));
	ck_assert_double_eq_tol(v->data[5], 0.02 * (1 + (3 * 13 + 5) / 1000.0), 1e-8);
	gt_volume_free(v);
	x = plain();
	x.datatype = 4;
	x.offset = 77;
	write_foreign(&x, 24, counted);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert_double_eq_tol(v->data[5], 0.02 * 1.013, 1e-8);
	gt_volume_free(v);
	x = plain();
	x.datatype = 2;
	write_foreign(&x, 24, counted);
	ck_refused(gt_read_volume(path, NULL, &v), GT_ERR_UNSUPPORTED, "elements are uint8");
}

static double little(size_t i) { return 0.01 * (double)i; }

/* No material attenuates by 10 mm^-1: larger floats are HU. */
GT_TEST(floats_by_their_range)
{
	foreign x = plain();
	gt_volume *v;
	write_foreign(&x, 24, little);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert_double_eq_tol(v->data[5], 0.05, 1e-8);
	gt_volume_free(v);
	write_foreign(&x, 24, counted);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert_double_eq_tol(v->data[5], 0.02 * 1.013, 1e-8);
	gt_volume_free(v);
}

GT_TEST(lengths_in_other_units)
{
	foreign x = plain();
	gt_volume *v;
	x.units = 1;
	write_foreign(&x, 24, little);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert_double_eq_tol(v->grid.pitch[1], 250, 1e-9);
	gt_volume_free(v);
	x.units = 3;
	write_foreign(&x, 24, little);
	ck_ok(gt_read_volume(path, NULL, &v));
	ck_assert_double_eq_tol(v->grid.pitch[1], 0.25e-3, 1e-12);
	gt_volume_free(v);
}

/* Another program may crop or move the volume and keep the comment: the header decides. */
GT_TEST(comments_of_another_grid)
{
	gt_volume *v = volume(), *w;
	ck_ok(gt_write_volume(path, NULL, v));
	FILE *f = fopen(path, "r+b");
	const float moved = -40;
	ck_assert(f && fseek(f, 280 + 12, SEEK_SET) == 0 && fwrite(&moved, sizeof moved, 1, f) == 1 && fclose(f) == 0);
	ck_ok(gt_read_volume(path, NULL, &w));
	ck_assert_double_eq_tol(gt_grid_first(&w->grid, 0), -40, 1e-5);
	ck_assert_double_eq_tol(w->grid.center[1], v->grid.center[1], 1e-5);
	gt_volume_free(v);
	gt_volume_free(w);
}

GT_TEST(long_axes_are_nifti_2)
{
	gt_volume *v = gt_volume_blank(), *w;
	v->grid = (gt_grid){ { 1, 40001, 2 }, { 0.7, 0.9, 1.1 }, { 3.1, -2.2, 7.7 } };
	v->data = malloc(gt_grid_voxels(&v->grid) * sizeof(float));
	gt_test_random(4, gt_grid_voxels(&v->grid), v->data);
	const gt_write_options o = { .size = sizeof o, .unit = GT_PER_MM };
	ck_ok(gt_write_volume(path, &o, v));
	FILE *f = fopen(path, "rb");
	int size = 0;
	ck_assert(f && fread(&size, sizeof size, 1, f) == 1 && fclose(f) == 0 && size == 540);
	ck_ok(gt_read_volume(path, NULL, &w));
	same(v, w, 0);
	gt_volume_free(v);
	gt_volume_free(w);
}

int main(void) { return is_built_without() ? 77 : gt_test_main_with("nifti", setup, teardown); }
