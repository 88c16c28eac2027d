#ifndef GT_TESTS_IO_DICOM_BYTES_H
#define GT_TESTS_IO_DICOM_BYTES_H
/* DICOM files written byte by byte, without DCMTK: PS3.5, section 7, implicit representation, little endian. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "io/dicom/dicom.h"
#include "tests/support/support.h"

/* Returns 1 and prints the reason if DCMTK is missing; DICOM tests are then skipped. */
static inline int dicom_is_missing(void)
{
	if (gt_dicom_ready() == GT_OK)
		return 0;
	printf("skipped: %s\n", gt_error());
	return 1;
}

typedef struct { unsigned char *byte; size_t size, room; } dicom_bytes;

static inline dicom_bytes *dicom_bytes_new(size_t room)
{
	dicom_bytes *b = calloc(1, sizeof *b);
	b->room = room + 4096;
	b->byte = calloc(1, b->room);
	ck_assert_ptr_nonnull(b->byte);
	return b;
}

static inline void dicom_add(dicom_bytes *b, const void *data, size_t size)
{
	ck_assert_uint_le(b->size + size, b->room);
	for (size_t i = 0; i < size; i++)
		b->byte[b->size++] = ((const unsigned char *)data)[i];
}

static inline void dicom_add_little(dicom_bytes *b, unsigned long value, int size)
{
	for (int i = 0; i < size; i++) {
		const unsigned char byte = (unsigned char)(value >> 8 * i);
		dicom_add(b, &byte, 1);
	}
}

/* The preamble, and the header that names the transfer syntax. */
static inline void dicom_add_head(dicom_bytes *b, const char *syntax)
{
	const size_t length = strlen(syntax) + strlen(syntax) % 2;
	b->size = 128;
	dicom_add(b, "DICM", 4);
	dicom_add_little(b, 0x00000002, 4);
	dicom_add(b, "UL\4\0", 4);
	dicom_add_little(b, 8 + length, 4);
	dicom_add_little(b, 0x00100002, 4);
	dicom_add(b, "UI", 2);
	dicom_add_little(b, length, 2);
	dicom_add(b, syntax, length);
}

static inline void dicom_add_tag(dicom_bytes *b, unsigned group, unsigned element, size_t size)
{
	dicom_add_little(b, group, 2);
	dicom_add_little(b, element, 2);
	dicom_add_little(b, size, 4);
}

static inline void dicom_add_element(dicom_bytes *b, const gt_dicom_tag *tag, const void *value, size_t size)
{
	dicom_add_tag(b, tag->group, tag->element, size);
	dicom_add(b, value, size);
}

static inline void dicom_save(dicom_bytes *b, const char *path)
{
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(b->byte, 1, b->size, f), b->size);
	fclose(f);
	free(b->byte);
	free(b);
}

#endif
