/* Writes files from bytes, and checks everything that is read from them. */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gantry/array.h>
#include "geometry/projections.h"
#include "geometry/volume.h"
#include "io/fields.h"
#include "io/slice_reader.h"
#include "io/view_reader.h"
#include "tests/fuzz/fuzz.h"

/* Compressed zeros may be large: allocations beyond this size are refused, as without memory. */
static const double MAX_MEMORY = 64e6;
enum { PATH = 256, MAX_CALLS = 4096 };

gt_status __real_gt_host_has_memory(double bytes, const char *what);
gt_status __wrap_gt_host_has_memory(double bytes, const char *what);
static double most_asked;
gt_status __wrap_gt_host_has_memory(double bytes, const char *what)
{
	most_asked = fmax(most_asked, bytes);
	return bytes > MAX_MEMORY ? gt_fail(GT_ERR_MEMORY, "%s: more than a fuzzer has", what) : __real_gt_host_has_memory(bytes, what);
}

void gt_fuzz_must(int is_true, const char *sentence)
{
	if (is_true)
		return;
	fprintf(stderr, "fuzz: %s (%s)\n", sentence, gt_error());
	abort();
}

/* GT_FUZZ_TELL=1 prints why inputs are refused. */
void gt_fuzz_failed(void)
{
	gt_fuzz_must(*gt_error() != 0, "a failure without a message");
	if (getenv("GT_FUZZ_TELL"))
		fprintf(stderr, "refused: %s\n", gt_error());
}

static char folder[PATH];

static void remove_folder(void)
{
	gt_fuzz_clear();
	rmdir(folder);
}

const char *gt_fuzz_folder(void)
{
	if (*folder)
		return folder;
	const char *parent = getenv("TMPDIR");
	if (!parent || !*parent || strlen(parent) > PATH / 2)
		parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	snprintf(folder, sizeof folder, "%s/gantry-fuzz-XXXXXX", parent);
	gt_fuzz_must(mkdtemp(folder) != NULL, "no folder for files");
	if (!getenv("GT_FUZZ_KEEP"))
		atexit(remove_folder);
	return folder;
}

/* Also empties inner folders; names that begin with a dot stay. */
static void clear_folder(int folder_at)
{
	DIR *d = folder_at >= 0 ? fdopendir(folder_at) : NULL;
	const struct dirent *e;
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && unlinkat(dirfd(d), e->d_name, 0) != 0) {
			clear_folder(openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY));
			unlinkat(dirfd(d), e->d_name, AT_REMOVEDIR);
		}
	if (d)
		closedir(d);
}

void gt_fuzz_clear(void) { clear_folder(open(gt_fuzz_folder(), O_RDONLY | O_DIRECTORY)); }

const char *gt_fuzz_file(const char *name, const void *data, size_t size)
{
	static char path[4][2 * PATH];
	static unsigned calls;
	char *to = path[calls++ % 4];
	snprintf(to, sizeof *path, "%s/%s", gt_fuzz_folder(), name);
	unlink(to);
	FILE *f = fopen(to, "wb");
	gt_fuzz_must(f && fwrite(data, 1, size, f) == size && fclose(f) == 0, "no file");
	return to;
}

unsigned gt_fuzz_byte(gt_fuzz_input *in)
{
	if (!in->size)
		return 0;
	in->size--;
	return *in->data++;
}

const char *gt_fuzz_part(gt_fuzz_input *in, const char *name)
{
	if (!in->size)
		return NULL;
	size_t size = gt_fuzz_byte(in);
	size += (size_t)gt_fuzz_byte(in) << 8;
	size += (size_t)gt_fuzz_byte(in) << 16;
	if (size > in->size)
		size = in->size;
	const char *path = gt_fuzz_file(name, in->data, size);
	in->data += size;
	in->size -= size;
	return path;
}

double gt_fuzz_number(gt_fuzz_input *in)
{
	static const double odd[] = { 0, -0., 1, -1, 1e-300, 1e300, 1e-9, 1e9, 0.5, 3, 4294967296., 1e19 };
	const unsigned which = gt_fuzz_byte(in);
	double x = NAN;
	if (which < 2 * sizeof odd / sizeof *odd)
		return odd[which / 2];
	if (which >= 64 || in->size < sizeof x)
		return which >= 250 ? NAN : which >= 244 ? INFINITY : ((double)which - 64) / 8;
	memcpy(&x, in->data, sizeof x);
	in->data += sizeof x;
	in->size -= sizeof x;
	return x;
}

char *gt_fuzz_text(gt_fuzz_input *in)
{
	char *text = strndup((const char *)in->data, in->size);
	gt_fuzz_must(text != NULL, "no memory for a text");
	in->size = 0;
	return text;
}

static void check_finite(const float *x, size_t n, int positive)
{
	for (size_t i = 0; x && i < n; i++)
		gt_fuzz_must(isfinite(x[i]) && (!positive || x[i] >= 0), "a value that is none was read");
}

void gt_fuzz_check_grid(const gt_grid *grid)
{
	char text[512];
	gt_grid again;
	gt_fuzz_must(gt_grid_check(grid, NULL) == GT_OK, "a grid that its own check refuses");
	gt_grid_print(grid, text, sizeof text);
	gt_fuzz_must(gt_grid_parse(text, &again) == GT_OK && gt_grid_same(grid, &again), "a grid that does not read back");
}

void gt_fuzz_check_scan(const gt_scan *scan)
{
	gt_scan *copy = NULL;
	double low, high;
	gt_fuzz_must(gt_scan_check(scan) == GT_OK, "a scan that its own check refuses");
	gt_fuzz_must(!isnan(gt_scan_field_of_view(scan, &low, &high)), "a field of view that is no number");
	(void)gt_scan_angular_range(scan);
	(void)gt_scan_is_helical(scan);
	gt_fuzz_must(gt_scan_clone(scan, &copy) == GT_OK && gt_scan_hash(copy) == gt_scan_hash(scan), "a copy that differs");
	gt_scan_free(copy);
}

/* Views read one by one and row by row are bit-identical to the whole. */
static void compare_views(const char *path, const gt_read_options *o, const gt_projections *p)
{
	const gt_scan *s = p->scan;
	gt_view_reader *r = NULL;
	if (s->views * s->rows > MAX_CALLS || gt_view_reader_open(path, o, s, &r) != GT_OK)
		return;
	float *row = malloc(s->columns * sizeof *row);
	gt_fuzz_must(row != NULL, "no memory for a row");
	for (size_t v = 0; v < s->views; v++)
		for (size_t l = 0; l < s->rows; l++) {
			const float *whole = p->data + (v * s->rows + l) * s->columns;
			if (gt_view_reader_read(r, v, 1, l, 1, row) != GT_OK)
				gt_fuzz_failed();
			else
				gt_fuzz_must(!memcmp(row, whole, s->columns * sizeof *row), "a piece differs from the whole");
		}
	free(row);
	gt_view_reader_close(r);
}

/* Opens geometry and view reader in one call; views past the last are refused. */
static void open_with_geometry(const char *path, const gt_read_options *o, const gt_scan *s)
{
	static const gt_listener silent = { NULL, NULL };
	gt_projections *head = NULL;
	gt_view_reader *r = NULL;
	float none;
	if (gt_view_reader_open_scan(path, o, &head, &r) != GT_OK) {
		gt_fuzz_must(!head && !r, "a failure that hands something out");
		gt_fuzz_failed();
		return;
	}
	gt_fuzz_must(head->scan->views == s->views && head->scan->rows == s->rows && head->scan->columns == s->columns,
	             "another scan by views than as a whole");
	gt_view_reader_report(r, &silent);
	gt_fuzz_must(gt_view_reader_read(r, s->views, 1, 0, 1, &none) != GT_OK, "a view past the last was read");
	gt_view_reader_close(r);
	gt_projections_free(head);
}

/* Flat and dark fields, if the format has them. */
static void read_fields(const char *path, const gt_read_options *o, const gt_scan *s)
{
	for (int dark = 0; dark < 2; dark++) {
		const gt_fields_request wanted = { s->rows, s->columns, dark };
		gt_fields f = { NULL, 0 };
		if (gt_read_fields(path, o, &wanted, &f) != GT_OK)
			gt_fuzz_failed();
		else
			check_finite(f.data, f.images * s->rows * s->columns, 0);
		gt_fields_free(&f);
	}
}

/* Slices read from the last to the first are bit-identical to the whole; slices past the last are refused. */
static void compare_slices(const char *path, const gt_read_options *o, const gt_volume *v)
{
	const size_t plane = v->grid.n[0] * v->grid.n[1], n = v->grid.n[2];
	gt_volume *head = NULL;
	gt_slice_reader *r = NULL;
	if (!v->data || gt_grid_voxels(&v->grid) > MAX_CALLS)
		return;
	gt_fuzz_must(gt_slice_reader_open(path, o, &head, &r) == GT_OK, "a volume that can be read as a whole, but not by slices");
	gt_fuzz_must(gt_grid_same(&head->grid, &v->grid) && !head->data, "another volume by slices than as a whole");
	float *slice = malloc(plane * sizeof *slice);
	gt_fuzz_must(slice != NULL, "no memory for a slice");
	gt_fuzz_must(gt_slice_reader_read(r, n, 1, slice) != GT_OK, "a slice past the last was read");
	for (size_t k = n; k-- > 0;) {
		gt_fuzz_must(gt_slice_reader_read(r, k, 1, slice) == GT_OK, "a slice that cannot be read of a volume that was");
		gt_fuzz_must(!memcmp(slice, v->data + k * plane, plane * sizeof *slice), "a slice differs from the whole");
	}
	gt_fuzz_must(gt_slice_reader_together(r) >= 1 && gt_slice_reader_together(r) <= n, "slices at once that there are not");
	free(slice);
	gt_volume_free(head);
	gt_slice_reader_close(r);
}

/* The name of a new file in this format, or of a folder that readers and gt_fuzz_clear() ignore. */
static void name_again(const gt_format *f, char *path, size_t size)
{
	const int n = (int)strcspn(f->extensions, " ");
	if (f->folders)
		snprintf(path, size, "%s/.again/", gt_fuzz_folder());
	else
		snprintf(path, size, "%s/again.%.*s", gt_fuzz_folder(), n, f->extensions);
}

static void remove_again(const gt_format *f, const char *path)
{
	if (!f->folders) {
		unlink(path);
		return;
	}
	clear_folder(open(path, O_RDONLY | O_DIRECTORY));
	rmdir(path);
}

/* A volume can be written in its own format and reads back in its size, or is refused with a message. */
static void write_volume_again(const gt_format *f, const gt_volume *v, gt_unit unit, int bits)
{
	char path[2 * PATH];
	gt_write_options o = gt_write_defaults;
	gt_volume *again = NULL;
	if (!f->write_volume || !v->data || gt_grid_voxels(&v->grid) > MAX_CALLS)
		return;
	name_again(f, path, sizeof path);
	o.unit = unit;
	o.bits = bits;
	o.format = f->name;
	if (gt_can_write_volume(path, &o) != GT_OK || gt_write_volume(path, &o, v) != GT_OK || gt_read_volume(path, NULL, &again) != GT_OK)
		gt_fuzz_failed();
	else
		gt_fuzz_must(!memcmp(again->grid.n, v->grid.n, sizeof v->grid.n), "a volume that changed its size on the way");
	gt_volume_free(again);
	remove_again(f, path);
}

static void write_projections_again(const gt_format *f, const gt_projections *p)
{
	char path[2 * PATH];
	gt_write_options o = gt_write_defaults;
	gt_projections *again = NULL;
	if (!f->write_projections || !p->data || gt_scan_size(p->scan) > MAX_CALLS)
		return;
	name_again(f, path, sizeof path);
	o.format = f->name;
	if (gt_can_write_projections(path, &o) != GT_OK || gt_write_projections(path, &o, p) != GT_OK ||
	    gt_read_projections(path, NULL, &again) != GT_OK)
		gt_fuzz_failed();
	else
		gt_fuzz_must(again->scan->views == p->scan->views, "views that got lost on the way");
	gt_projections_free(again);
	remove_again(f, path);
}

static int read_projections(const gt_format *f, const char *path, const gt_read_options *o)
{
	gt_projections *p = NULL;
	if (gt_read_projections(path, o, &p) != GT_OK) {
		gt_fuzz_must(!p, "a failure that hands something out");
		gt_fuzz_failed();
		return 0;
	}
	const size_t n = gt_scan_size(p->scan);
	gt_fuzz_check_scan(p->scan);
	gt_fuzz_must(o->geometry_only || o->may_lack_data || p->data, "no data, and no failure");
	check_finite(p->data, n, 0);
	check_finite(p->weight, n, 1);
	check_finite(p->photons, n, 1);
	gt_fuzz_must(isfinite(p->water) && p->water >= 0, "an attenuation of water that is none");
	if (p->data) {
		compare_views(path, o, p);
		open_with_geometry(path, o, p->scan);
		read_fields(path, o, p->scan);
		write_projections_again(f, p);
	}
	gt_projections_free(p);
	return 1;
}

double gt_fuzz_max_memory = INFINITY;

static int read_volume(const gt_format *f, const char *path, const gt_read_options *o)
{
	gt_volume *v = NULL;
	most_asked = 0;
	const gt_status st = gt_read_volume(path, o, &v);
	gt_fuzz_must(most_asked <= gt_fuzz_max_memory, "more memory was allocated than such a file can need");
	if (st != GT_OK) {
		gt_fuzz_must(!v, "a failure that hands something out");
		gt_fuzz_failed();
		return 0;
	}
	gt_fuzz_check_grid(&v->grid);
	check_finite(v->data, gt_grid_voxels(&v->grid), 0);
	gt_fuzz_must(isfinite(v->water) && v->water >= 0, "an attenuation of water that is none");
	compare_slices(path, o, v);
	write_volume_again(f, v, GT_PER_MM, 0);
	write_volume_again(f, v, GT_HU, 0);
	if (f->numbers)
		write_volume_again(f, v, GT_HU, 16);
	gt_volume_free(v);
	return 1;
}

int gt_fuzz_read(const gt_format *format, const char *path, const gt_read_options *o)
{
	gt_read_options whole = o ? *o : gt_read_defaults, head;
	int projections, read = 0;
	if (!format->probe(path))
		return 0;
	head = whole;
	head.geometry_only = 1;
	gt_file_kind(path, &format, &projections);
	if (format->read_projections) {
		read += read_projections(format, path, &whole);
		read_projections(format, path, &head);
	}
	if (format->read_volume || format->slices) {
		read += read_volume(format, path, &whole);
		read_volume(format, path, &head);
	}
	return read > 0;
}
