/* DICOM: a folder of up to four files, as slices of a volume and as projections. Changed bytes break the lengths of
 * parts and elements, so this harness changes elements together with their lengths. "DICOM PS3.5", 7.1 "Data
 * Elements", PS3.10, 7.1 "DICOM File Meta Information". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/table.h"
#include "tests/fuzz/fuzz.h"

enum { FILES = 4, ELEMENTS = 250, HEAD = 132, LONG = 64, KEPT = 16, MAX_KEPT = 8192 };

/* Accepted inputs. Some changes start from one of them, because most new coverage is a new refusal. */
static struct {
	uint8_t data[MAX_KEPT];
	size_t size;
} kept[KEPT];
static size_t keeps;

static void keep(const uint8_t *data, size_t size)
{
	if (size > MAX_KEPT)
		return;
	memcpy(kept[keeps % KEPT].data, data, size);
	kept[keeps++ % KEPT].size = size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	gt_fuzz_input in = { data, size };
	gt_fuzz_clear();
	static const char *const name[FILES] = { "1.dcm", "2.dcm", "3.dcm", "4.dcm" };
	for (size_t i = 0; i < FILES && gt_fuzz_part(&in, name[i]); i++)
		;
	const int projections = gt_fuzz_read(&gt_format_dicom_ct_pd, gt_fuzz_folder(), NULL),
		  slices = gt_fuzz_read(&gt_format_dicom_series, gt_fuzz_folder(), NULL);
	if (projections || slices)
		keep(data, size);
	return 0;
}

/* An element, or other bytes as a header without a value. */
typedef struct {
	const uint8_t *head, *value;
	size_t head_bytes, bytes;
	int width;    /* width of the length, the last bytes of the header: 2 or 4; 0: no element */
	uint32_t lie; /* difference between the stated and the actual length */
} element;

typedef struct {
	element e[ELEMENTS + 2];
	size_t n;
} dicom_file;

static uint32_t state;
static uint32_t any(uint32_t below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 8) % below;
}

static int is_of(const char *kinds, const uint8_t *kind)
{
	for (; *kinds; kinds += 2)
		if (kinds[0] == kind[0] && kinds[1] == kind[1])
			return 1;
	return 0;
}

static int has_kind(const uint8_t *kind) { return kind[0] >= 'A' && kind[0] <= 'Z' && kind[1] >= 'A' && kind[1] <= 'Z'; }

static uint32_t number_at(const uint8_t *p, int width)
{
	uint32_t n = 0;
	for (int i = width; i--;)
		n = n << 8 | p[i];
	return n;
}

static void put_number(uint8_t *p, int width, uint32_t n)
{
	for (int i = 0; i < width; i++)
		p[i] = (uint8_t)(n >> 8 * i);
}

/* Little endian, explicit or implicit. Items of sequences and elements of undefined length are headers only. */
static int parse_element(const uint8_t *d, size_t n, element *e)
{
	if (n < 8)
		return 0;
	const int kind = has_kind(d + 4), lengthy = kind && is_of("OBOWOFODOLOVSQUCURUTUNUV", d + 4);
	*e = (element){ .head = d, .head_bytes = lengthy ? 12 : 8, .width = kind && !lengthy ? 2 : 4 };
	if (n < e->head_bytes)
		return 0;
	const uint32_t bytes = number_at(d + e->head_bytes - e->width, e->width);
	if (number_at(d, 2) == 0xfffe || (e->width == 4 && bytes == UINT32_MAX))
		e->width = 0;
	else if (bytes > n - e->head_bytes)
		return 0;
	else
		e->bytes = bytes;
	e->value = d + e->head_bytes;
	return 1;
}

static void parse_file(const uint8_t *d, size_t n, dicom_file *f)
{
	size_t at = n >= HEAD && !memcmp(d + HEAD - 4, "DICM", 4) ? HEAD : 0;
	f->n = 0;
	if (at)
		f->e[f->n++] = (element){ .head = d, .head_bytes = at };
	for (; f->n < ELEMENTS && parse_element(d + at, n - at, &f->e[f->n]); f->n++)
		at += f->e[f->n].head_bytes + f->e[f->n].bytes;
	if (at < n)
		f->e[f->n++] = (element){ .head = d + at, .head_bytes = n - at };
}

/* Returns the number of files. */
static size_t parse(const uint8_t *d, size_t n, dicom_file *f)
{
	size_t files = 0;
	for (; files < FILES && n > 3; files++) {
		const size_t said = number_at(d, 3), bytes = said < n - 3 ? said : n - 3;
		parse_file(d + 3, bytes, &f[files]);
		d += 3 + bytes;
		n -= 3 + bytes;
	}
	return files;
}

/* Returns 0 if the buffer is too small. The first element of the second group holds the length of that group. */
static size_t print_file(const dicom_file *f, uint8_t *to, size_t room)
{
	size_t n = 0, group = 0, end = 0;
	for (const element *e = f->e; e < f->e + f->n; e++) {
		if (e->head_bytes + e->bytes > room - n)
			return 0;
		memcpy(to + n, e->head, e->head_bytes);
		n += e->head_bytes;
		if (e->width)
			put_number(to + n - e->width, e->width, (uint32_t)e->bytes + e->lie);
		if (e->width == 2 && e->bytes == 4 && number_at(e->head, 4) == 2)
			group = n;
		if (e->bytes)
			memcpy(to + n, e->value, e->bytes);
		n += e->bytes;
		if (e->width && number_at(e->head, 2) == 2)
			end = n;
	}
	if (group && end >= group + 4)
		put_number(to + group, 4, (uint32_t)(end - group - 4));
	return n;
}

static size_t print(const dicom_file *f, size_t files, uint8_t *to, size_t room)
{
	size_t n = 0;
	for (size_t i = 0; i < files; i++) {
		const size_t bytes = n + 3 < room ? print_file(&f[i], to + n + 3, room - n - 3) : 0;
		if (!bytes)
			return 0;
		put_number(to + n, 3, (uint32_t)bytes);
		n += 3 + bytes;
	}
	return n;
}

/* Replaces one of the numbers between backslashes. */
static size_t change_decimal(const element *e, char *to, size_t room)
{
	static const char *const other[] = { "0",   "-1",  "1",     "2",   "0.5",   "-0.001", "3.25", "17",
		                             "-90", "512", "65536", "1e9", "-1e-9", "",       "nan" };
	char made[32];
	size_t parts = 1, begin = 0, end;
	for (size_t i = 0; i < e->bytes; i++)
		parts += e->value[i] == '\\';
	for (size_t skip = any((uint32_t)parts); skip; begin++)
		skip -= e->value[begin] == '\\';
	for (end = begin; end < e->bytes && e->value[end] != '\\'; end++)
		;
	if (any(3))
		snprintf(made, sizeof made, "%s", other[any(sizeof other / sizeof *other)]);
	else
		snprintf(made, sizeof made, "%d", (int)any(2000) - 1000);
	const int n = snprintf(to, room, "%.*s%s%.*s", (int)begin, (const char *)e->value, made, (int)(e->bytes - end),
	                       (const char *)e->value + end);
	return n < 0 || (size_t)n >= room ? 0 : (size_t)n;
}

static size_t change_integer(const element *e, uint8_t *to)
{
	static const uint32_t other[] = { 0, 1, 2, 3, 4, 7, 8, 12, 16, 32, 255, 4096, 0x7fff, 0x8000, 0xffff };
	const int width = e->bytes < 4 ? 2 : 4;
	const uint32_t now = number_at(e->value, width);
	put_number(to, width, any(2) ? other[any(sizeof other / sizeof *other)] : now + any(5) - 2);
	return (size_t)width;
}

/* Changes some of many values, mostly samples. */
static size_t change_some(const element *e, uint8_t *to)
{
	static const uint32_t other[] = { 0, 1, 0x7fff, 0x8000, 0xffff };
	memcpy(to, e->value, e->bytes);
	for (uint32_t n = 1 + any(4); n--;)
		put_number(to + 2 * any((uint32_t)e->bytes / 2), 2, any(2) ? other[any(5)] : any(1 << 16));
	return e->bytes;
}

/* Another value of its kind, of an even length; room: e->bytes and LONG more. */
static size_t change_value(const element *e, uint8_t *to)
{
	const uint8_t *kind = has_kind(e->head + 4) ? e->head + 4 : (const uint8_t *)"UN";
	const size_t room = e->bytes + LONG;
	size_t n;
	if (is_of("DSIS", kind) && any(8))
		n = change_decimal(e, (char *)to, room);
	else if (is_of("USSSULSL", kind) && e->bytes >= 2 && any(8))
		n = change_integer(e, to);
	else if (is_of("OWOBUN", kind) && e->bytes >= 2 && any(8))
		n = change_some(e, to);
	else {
		if (e->bytes)
			memcpy(to, e->value, e->bytes);
		n = LLVMFuzzerMutate ? LLVMFuzzerMutate(to, e->bytes, room - 1) : e->bytes;
	}
	if (n % 2)
		to[n++] = is_of("UIOBUN", kind) ? 0 : ' ';
	return n;
}

static int same_tag(const element *a, const element *b) { return a->width && b->width && !memcmp(a->head, b->head, 4); }

/* Changes one file, or all files equally, because most elements of a series must agree. */
static void change(dicom_file *f, size_t files, element *e, uint8_t *made)
{
	const element was = *e;
	const uint32_t all = any(2);
	const size_t bytes = change_value(e, made);
	for (size_t i = 0; i < files; i++)
		for (element *x = f[i].e; x < f[i].e + f[i].n; x++)
			if (x == e || (all && same_tag(x, &was))) {
				x->value = made;
				x->bytes = x->width == 2 && bytes > 0xfffe ? 0 : bytes;
			}
}

static void insert(dicom_file *f, size_t at, element e)
{
	if (f->n == ELEMENTS + 2)
		return;
	memmove(f->e + at + 1, f->e + at, (f->n - at) * sizeof *f->e);
	f->e[at] = e;
	f->n++;
}

static void drop(dicom_file *f, size_t at)
{
	memmove(f->e + at, f->e + at + 1, (f->n - at - 1) * sizeof *f->e);
	f->n--;
}

static void swap(element *a, element *b)
{
	const element first = *a;
	*a = *b;
	*b = first;
}

static size_t change_files(dicom_file *f, size_t files, size_t which)
{
	if (any(2) && files < FILES) {
		f[files] = f[which];
		return files + 1;
	}
	if (files > 1) {
		f[which] = f[files - 1];
		return files - 1;
	}
	return files;
}

/* Usually an element with numbers, whose changes are read furthest. */
static element *any_element(dicom_file *f)
{
	element *e = &f->e[any((uint32_t)f->n)];
	for (int i = 0; i < 6 && !(e->width && has_kind(e->head + 4) && is_of("DSISUSSSULSLOWOB", e->head + 4)); i++)
		e = &f->e[any((uint32_t)f->n)];
	return e;
}

/* Returns the number of files. One change breaks little: accepted inputs are changed again. */
static size_t change_elements(dicom_file *f, size_t files, uint8_t *made)
{
	const size_t which = any((uint32_t)files);
	dicom_file *one = &f[which], *other = &f[any((uint32_t)files)];
	if (!one->n || !other->n)
		return change_files(f, files, which);
	element *e = any_element(one);
	const size_t to = any((uint32_t)other->n);
	switch (any(32)) {
	case 0:
		drop(one, any((uint32_t)one->n));
		break;
	case 1:
		insert(other, to, *e);
		break;
	case 2:
		swap(e, &other->e[to]);
		break;
	case 3:
		e->lie = any(2) ? any(9) - 4 : any(1u << 31);
		break;
	case 4:
		return change_files(f, files, which);
	default:
		if (e->width)
			change(f, files, e, made);
	}
	return files;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	static dicom_file f[FILES];
	state = seed;
	const size_t which = keeps ? any(keeps < KEPT ? (uint32_t)keeps : KEPT) : 0;
	if (keeps && !any(3) && kept[which].size <= max)
		memcpy(data, kept[which].data, size = kept[which].size);
	uint8_t *made = malloc(size + LONG), *changed = malloc(max);
	size_t files = parse(data, size, f), n = 0;
	if (files && made && changed && any(32)) {
		/* new values last for one change; a second change is a new call */
		files = change_elements(f, files, made);
		n = print(f, files, changed, max);
	}
	if (n)
		memcpy(data, changed, n);
	free(made);
	free(changed);
	if (n)
		return n;
	return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, max) : size;
}
