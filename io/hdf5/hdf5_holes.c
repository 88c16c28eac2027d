/* Chunks that were never written, and virtual data sets whose sources are missing. "HDF5 File Format Specification
 * Version 3.0", IV.A.2.i "The Data Layout Message"; "HDF5 Virtual Dataset RFC" (The HDF Group, 2015), section 3,
 * fill values. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "io/hdf5/hdf5_holes.h"
#include "io/hdf5/hdf5_source.h"

/* Nesting of virtual data sets, and how often one is read as the source of another. MAX_CHUNKS: libhdf5 1.10 walks the
 * index for each requested chunk. */
enum { MAX_DEPTH = 8, MAX_NESTED = 1 << 12, MAX_CHUNKS = 1 << 13, MESSAGE = 1024 };

typedef struct search {
	hid_t data;
	const char *path, *name;
	size_t planes, depth, *nested;
	gt_hdf5_holes *h;
	const struct search *outer; /* virtual data set that reads from this one */
} search;

static gt_status find(const search *s);

static gt_status out_of_memory(const search *s) { return gt_fail(GT_ERR_MEMORY, "%s: %s: out of memory", s->path, s->name); }

void gt_hdf5_holes_free(gt_hdf5_holes *h)
{
	for (size_t i = 0; i < h->n; i++)
		free(h->causes[i]);
	free(h->causes);
	free(h->cause);
	*h = (gt_hdf5_holes){ .n = 0 };
}

/* Marks planes first ... last that have no cause yet. */
static gt_status mark(const search *s, size_t first, size_t last, const char *format, ...)
{
	gt_hdf5_holes *h = s->h;
	char text[MESSAGE];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (!h->cause && !(h->cause = calloc(s->planes, sizeof *h->cause)))
		return out_of_memory(s);
	char **more = realloc(h->causes, (h->n + 1) * sizeof *more);
	if (!more)
		return out_of_memory(s);
	h->causes = more;
	if (!(h->causes[h->n] = strdup(text)))
		return out_of_memory(s);
	h->n++;
	for (size_t p = first; p <= last && p < s->planes; p++)
		if (!h->cause[p])
			h->cause[p] = (unsigned)h->n;
	return GT_OK;
}

/* Chunks ------------------------------------------------------------------ */

#if H5_VERSION_GE(1, 10, 5)
/* Number of chunks along the dimension of planes (1 if there is none), and of chunks in each of these layers. */
static void count_chunks(const search *s, hid_t space, hid_t made, hsize_t chunk[H5S_MAX_RANK], hsize_t *along, hsize_t *behind)
{
	hsize_t size[H5S_MAX_RANK];
	const int rank = H5Sget_simple_extent_dims(space, size, NULL);
	*along = *behind = 1;
	if (H5Pget_chunk(made, H5S_MAX_RANK, chunk) != rank)
		*along = 0;
	for (int i = 0; i < rank && *along; i++)
		*(i == 0 && s->planes > 1 ? along : behind) *= size[i] / chunk[i] + (size[i] % chunk[i] != 0);
}

/* found[along]: stored chunks. */
static gt_status list_chunks(const search *s, hid_t space, hsize_t stored, hsize_t thick, hsize_t along, hsize_t *found)
{
	hsize_t at[H5S_MAX_RANK], bytes;
	unsigned filters;
	haddr_t address;
	for (hsize_t i = 0; i < stored; i++) {
		if (H5Dget_chunk_info(s->data, space, i, at, &filters, &address, &bytes) < 0)
			return gt_fail(GT_ERR_FORMAT, "%s: %s: chunk %llu: cannot be read, damaged", s->path, s->name,
			               (unsigned long long)i);
		found[at[0] / thick < along ? at[0] / thick : 0]++;
	}
	return GT_OK;
}

static gt_status find_chunks(const search *s, hid_t made)
{
	hsize_t chunk[H5S_MAX_RANK] = { 1 }, along, behind, stored = 0, *found = NULL;
	const hid_t space = H5Dget_space(s->data);
	gt_status st = GT_OK;
	count_chunks(s, space, made, chunk, &along, &behind);
	if (!along || H5Dget_num_chunks(s->data, space, &stored) < 0 || stored >= along * behind)
		goto done;
	if (stored == 0 || stored > MAX_CHUNKS || along == 1) {
		st = mark(s, 0, s->planes - 1, "%llu of its %llu chunks were never written: expected a complete file",
		          (unsigned long long)(along * behind - stored), (unsigned long long)(along * behind));
		goto done;
	}
	if (!(found = calloc((size_t)along, sizeof *found)))
		GT_TRY(out_of_memory(s));
	GT_TRY(list_chunks(s, space, stored, chunk[0], along, found));
	for (hsize_t c = 0; c < along; c++) {
		const hsize_t first = c;
		while (c < along && found[c] < behind)
			c++;
		if (c > first)
			GT_TRY(mark(s, (size_t)(first * chunk[0]), (size_t)(c * chunk[0]) - 1,
			            "was never written: expected a complete file, or a range of views without it"));
	}
done:
	free(found);
	H5Sclose(space);
	return st;
}
#else
static gt_status find_chunks(const search *s, hid_t made)
{
	(void)s, (void)made;
	return GT_OK;
}
#endif

/* Sources of virtual data sets --------------------------------------------- */

/* First and last plane of a selection; all planes if the library does not know. */
static void planes_of(const search *s, hid_t space, size_t *first, size_t *last)
{
	hsize_t from[H5S_MAX_RANK], to[H5S_MAX_RANK];
	*first = 0;
	*last = s->planes - 1;
	if (s->planes > 1 && H5Sget_select_bounds(space, from, to) >= 0) {
		*first = (size_t)from[0];
		*last = (size_t)to[0];
	}
}

/* The file that libhdf5 would open; *id < 0: none. *shown: its expected path; the caller frees it. */
static gt_status open_source(const search *s, const char *source, hid_t *id, char **shown)
{
	gt_hdf5_places p;
	gt_status st = gt_hdf5_source_places(s->path, source, &p);
	*id = -1;
	*shown = NULL;
	for (int i = 0; st == GT_OK && i < p.n && *id < 0; i++) {
		*id = H5Fopen(p.file[i], H5F_ACC_RDONLY, H5P_DEFAULT);
		if (*id >= 0 || i == 0) {
			free(*shown);
			if (!(*shown = strdup(p.file[i])))
				st = out_of_memory(s);
		}
	}
	gt_hdf5_source_free(&p);
	return st;
}

static int is_same(hid_t a, hid_t b)
{
	H5O_info_t x, y;
	return H5Oget_info(a, &x) >= 0 && H5Oget_info(b, &y) >= 0 && x.fileno == y.fileno && x.addr == y.addr;
}

/* Refuses data sets that read from themselves, directly or through others, and nesting that takes exponential time. */
static gt_status check_nesting(const search *s)
{
	for (const search *o = s->outer; o; o = o->outer)
		if (is_same(o->data, s->data))
			return gt_fail(GT_ERR_FORMAT, "%s: %s: the virtual data set reads from itself%s: expected sources that hold images",
			               o->path, s->name, o == s->outer ? "" : " through others");
	*s->nested += s->depth > 1;
	if (s->depth > MAX_DEPTH || *s->nested > MAX_NESTED)
		return gt_fail(GT_ERR_FORMAT,
		               "%s: %s: virtual data sets of virtual data sets: more than %d in each other, or %d in all: expected "
		               "sources that hold images",
		               s->path, s->name, (int)MAX_DEPTH, (int)MAX_NESTED);
	return GT_OK;
}

/* If the source has holes, is virtual or too short, all planes of the mapping are holes. selected: hyperslabs, one
 * in the virtual data set, one in its source. */
static gt_status look_into(const search *s, const hid_t selected[2], hid_t data, const char *file, size_t first, size_t last)
{
	gt_status st = GT_OK;
	hsize_t size[H5S_MAX_RANK] = { 1 }, from[H5S_MAX_RANK] = { 0 }, to[H5S_MAX_RANK] = { 0 };
	const hid_t space = H5Dget_space(data);
	const int rank = H5Sget_simple_extent_dims(space, size, NULL);
	gt_hdf5_holes h = { .n = 0 };
	search inner = { data, file, s->name, rank == 3 ? (size_t)size[0] : 1, s->depth + 1, s->nested, &h, s };
	/* the selection of a whole source has no extent */
	const int whole = H5Sget_select_type(selected[1]) == H5S_SEL_ALL, known = !whole && rank > 0 &&
	                                                                          H5Sget_simple_extent_ndims(selected[1]) == rank &&
	                                                                          H5Sget_select_bounds(selected[1], from, to) >= 0;
	int fits = !whole || H5Sget_select_npoints(selected[0]) == H5Sget_simple_extent_npoints(space);
	for (int i = 0; i < rank && known; i++)
		fits = fits && to[i] < size[i];
	if (!fits) {
		st = mark(s, first, last, "its source file %s has a different number of images or pixels: expected the complete file",
		          file);
		goto done;
	}
	if (inner.planes == 0)
		goto done;
	GT_TRY(check_nesting(&inner));
	GT_TRY(find(&inner));
	for (size_t p = rank == 3 && known ? (size_t)from[0] : 0; h.cause && p < inner.planes && (p <= to[0] || !known); p++)
		if (h.cause[p]) {
			st = mark(s, first, last, "source file %s: image %zu: %s", file, p, h.causes[h.cause[p] - 1]);
			break;
		}
done:
	gt_hdf5_holes_free(&h);
	H5Sclose(space);
	return st;
}

static gt_status find_source(const search *s, hid_t list, size_t i, char *source, char *name)
{
	gt_status st = GT_OK;
	hid_t file = -1, data = -1;
	char *shown = NULL;
	size_t first, last;
	const hid_t selected[2] = { H5Pget_virtual_vspace(list, i), H5Pget_virtual_srcspace(list, i) };
	planes_of(s, selected[0], &first, &last);
	/* libhdf5 counts the files of a pattern */
	if (strchr(source, '%'))
		goto done;
	if (strcmp(source, ".")) {
		GT_TRY(open_source(s, source, &file, &shown));
		if (file < 0)
			GT_TRY(mark(s, first, last, "its source file %s is missing or not an HDF5 file: copy it there",
			            shown ? shown : source));
	} else {
		file = H5Iget_file_id(s->data);
	}
	if (file < 0)
		goto done;
	data = H5Dopen2(file, name, H5P_DEFAULT);
	st = data < 0 ? mark(s, first, last, "its source file %s has no data set %s", shown ? shown : s->path, name)
	              : look_into(s, selected, data, shown ? shown : s->path, first, last);
done:
	if (data >= 0)
		H5Dclose(data);
	if (file >= 0)
		H5Fclose(file);
	free(shown);
	H5Sclose(selected[0]);
	H5Sclose(selected[1]);
	return st;
}

/* File name (data 0) or data set name (data 1) of a mapping; NULL: out of memory or damaged. */
static char *source_name(hid_t list, size_t i, int data)
{
	ssize_t (*const get)(hid_t, size_t, char *, size_t) = data ? H5Pget_virtual_dsetname : H5Pget_virtual_filename;
	const ssize_t n = get(list, i, NULL, 0);
	char *name = n >= 0 ? malloc((size_t)n + 1) : NULL;
	if (name && get(list, i, name, (size_t)n + 1) < 0) {
		free(name);
		name = NULL;
	}
	return name;
}

static gt_status find_uncovered(const search *s, hid_t list, size_t sources)
{
	gt_status st = GT_OK;
	unsigned char *covered = calloc(s->planes, 1);
	if (!covered)
		return out_of_memory(s);
	for (size_t i = 0; i < sources; i++) {
		const hid_t space = H5Pget_virtual_vspace(list, i);
		size_t first, last;
		planes_of(s, space, &first, &last);
		H5Sclose(space);
		for (size_t p = first; p <= last && p < s->planes; p++)
			covered[p] = 1;
	}
	for (size_t p = 0; p < s->planes; p++) {
		const size_t first = p;
		while (p < s->planes && !covered[p])
			p++;
		if (p > first)
			GT_TRY(mark(s, first, p - 1, "no source file holds it: expected a complete virtual data set"));
	}
done:
	free(covered);
	return st;
}

static gt_status find_sources(const search *s, hid_t list)
{
	gt_status st = GT_OK;
	size_t sources = 0;
	if (H5Pget_virtual_count(list, &sources) < 0)
		return gt_fail(GT_ERR_FORMAT, "%s: %s: its sources cannot be read, damaged", s->path, s->name);
	for (size_t i = 0; i < sources && st == GT_OK; i++) {
		char *file = source_name(list, i, 0), *name = source_name(list, i, 1);
		st = file && name ? find_source(s, list, i, file, name) : out_of_memory(s);
		free(file);
		free(name);
	}
	return st == GT_OK ? find_uncovered(s, list, sources) : st;
}

static gt_status find(const search *s)
{
	const hid_t made = H5Dget_create_plist(s->data);
	const H5D_layout_t layout = H5Pget_layout(made);
	H5D_space_status_t space = H5D_SPACE_STATUS_ALLOCATED;
	gt_status st = GT_OK;
	if (layout == H5D_VIRTUAL)
		st = find_sources(s, made);
	else if (layout == H5D_CHUNKED)
		st = find_chunks(s, made);
	else if (layout == H5D_CONTIGUOUS && H5Pget_external_count(made) == 0 && H5Dget_space_status(s->data, &space) >= 0 &&
	         space == H5D_SPACE_STATUS_NOT_ALLOCATED)
		st = mark(s, 0, s->planes - 1, "was never written: expected a complete file");
	H5Pclose(made);
	return st;
}

/* Searches the file that contains the data set, which a link may lead to. */
static gt_status find_in_file(hid_t data, const char *path, const char *name, size_t planes, gt_hdf5_holes *h)
{
	const ssize_t n = H5Fget_name(data, NULL, 0);
	char *file = n > 0 ? malloc((size_t)n + 1) : NULL;
	size_t nested = 0;
	search s = { data, path, name, planes, 0, &nested, h, NULL };
	if (n > 0 && !file)
		return out_of_memory(&s);
	if (file && H5Fget_name(data, file, (size_t)n + 1) > 0)
		s.path = file;
	const gt_status st = planes ? find(&s) : GT_OK;
	free(file);
	return st;
}

gt_status gt_hdf5_find_holes(hid_t data, const char *path, const char *name, size_t planes, gt_hdf5_holes *h)
{
	*h = (gt_hdf5_holes){ .planes = planes };
	const gt_status st = find_in_file(data, path, name, planes, h);
	if (st != GT_OK)
		gt_hdf5_holes_free(h);
	return st;
}

gt_status gt_hdf5_check_holes(const gt_hdf5_holes *h, const char *path, const char *name, size_t first, size_t count)
{
	for (size_t p = first; h->cause && p < h->planes && p - first < count; p++)
		if (h->cause[p] && h->planes > 1)
			return gt_fail(GT_ERR_FORMAT, "%s: %s: image %zu of %zu: %s", path, name, p, h->planes, h->causes[h->cause[p] - 1]);
		else if (h->cause[p])
			return gt_fail(GT_ERR_FORMAT, "%s: %s: %s", path, name, h->causes[h->cause[p] - 1]);
	return GT_OK;
}

gt_status gt_hdf5_refuse_holes(hid_t data, const char *path, const char *name)
{
	gt_hdf5_holes h;
	gt_status st = gt_hdf5_find_holes(data, path, name, 1, &h);
	if (st == GT_OK)
		st = gt_hdf5_check_holes(&h, path, name, 0, 1);
	gt_hdf5_holes_free(&h);
	return st;
}
