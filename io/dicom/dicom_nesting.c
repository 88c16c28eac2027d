/* How deep sequences may be in each other, before DCMTK, which calls itself for each, sees the file. Every level
 * begins with the tag of an item, (FFFE,E000), at an even place: PS3.5, section 7.5. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/try.h"
#include "io/dicom/dicom.h"
#include "io/probe.h"

/* The deepest that the stack of a thread surely holds, far above what scanners write. */
enum { MOST_ITEMS = 256, BLOCK = 1 << 18, HEAD = 1024 };

/* In either order of bytes; one too many where samples look like one. */
static size_t items_in(const uint16_t *word, size_t n)
{
	size_t items = 0;
	for (size_t i = 0; i + 1 < n; i++)
		items += (size_t)(((word[i] == 0xfffe) & (word[i + 1] == 0xe000)) | ((word[i] == 0xfeff) & (word[i + 1] == 0x00e0)));
	return items;
}

/* The transfer syntax that hides all behind a compression. */
static int is_deflated(const void *head, size_t n)
{
	static const char syntax[] = "1.2.840.10008.1.2.1.99";
	return memmem(head, n, syntax, sizeof syntax - 1) != NULL;
}

gt_status gt_dicom_nesting(const char *path, int *deep)
{
	size_t items = 0, kept = 0, n;
	gt_status st = GT_OK;
	FILE *f = fopen(path, "rb");
	uint16_t *word = malloc((BLOCK + 1) * sizeof *word);
	*deep = 0;
	if (!word)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	if (!f)
		goto done; /* DCMTK says why */
	for (int first = 1; !*deep && (n = fread(word + kept, 1, BLOCK * sizeof *word, f) / sizeof *word) > 0; first = 0) {
		if (first && is_deflated(word, n * sizeof *word < HEAD ? n * sizeof *word : HEAD))
			*deep = 1;
		items += items_in(word, kept + n);
		*deep = *deep || items > MOST_ITEMS;
		/* A tag may lie across two blocks. */
		word[0] = word[kept + n - 1];
		kept = 1;
	}
	if (ferror(f))
		st = gt_fail(GT_ERR_IO, "%s: cannot be read", path);
done:
	if (f)
		fclose(f);
	free(word);
	return st;
}

/* In a child process: reading, and letting go. */
static void try_to_load(const char *path)
{
	gt_dicom *d;
	if (gt_dicom_load(path, &d) == GT_OK)
		gt_dicom_close(d);
}

gt_status gt_dicom_open(const char *path, gt_dicom **d)
{
	int deep = 0;
	gt_status st = GT_OK;
	*d = NULL;
	if (gt_dicom_ready() == GT_OK)
		st = gt_dicom_nesting(path, &deep);
	if (st == GT_OK && deep)
		st = gt_probe(path, "DCMTK", try_to_load);
	return st == GT_OK ? gt_dicom_load(path, d) : st;
}
