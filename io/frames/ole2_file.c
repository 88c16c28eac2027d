/* Compound files, after [MS-CFB]: chains of sectors in a table, small streams in sectors of 64 bytes within one stream,
 * names in a directory of 128-byte entries. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/files/opener.h"
#include "core/try.h"
#include "io/file_access.h"
#include "io/frames/ole2_file.h"

enum { HEAD = 512, ENTRY = 128, IN_HEAD = 109, SMALL = 64, NAMES = 64 };
#define LAST 0xFFFFFFFAu /* this and larger values: no sector */
#define NONE 0xFFFFFFFFu

struct gt_ole2 {
	char *path;
	int file;
	size_t size, sector, cutoff;
	uint32_t *next, *next_small; /* chains of sectors, of small sectors */
	size_t sectors, smalls;
	unsigned char *entry;
	size_t entries;
};

static uint32_t u16(const unsigned char *b) { return b[0] | (uint32_t)b[1] << 8; }
static uint32_t u32(const unsigned char *b) { return u16(b) | u16(b + 2) << 16; }

static const unsigned char magic[8] = { 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1 };

int gt_is_ole2(const char *path)
{
	unsigned char head[8];
	return gt_file_start(path, head, sizeof head) == sizeof head && !memcmp(head, magic, sizeof head);
}

static gt_status broken(const gt_ole2 *f, const char *what) { return gt_fail(GT_ERR_FORMAT, "%s: %s", f->path, what); }

static gt_status read_sector(const gt_ole2 *f, uint32_t n, void *to)
{
	if (n >= f->sectors)
		return broken(f, "names a sector beyond its end");
	return gt_read_at(f->path, f->file, (off_t)((n + 1ull) * f->sector), f->sector, to);
}

/* Reads a chain of sectors, at most the size of the file; *bytes is a multiple of a sector. */
static gt_status read_chain(const gt_ole2 *f, uint32_t first, unsigned char **to, size_t *bytes)
{
	size_t n = 0, room = 0;
	*to = NULL;
	for (uint32_t s = first; s < LAST; s = f->next[s], n++) {
		if (s >= f->sectors || n >= f->sectors)
			return broken(f, "has a chain of sectors that does not end");
		if (n == room) {
			room = room ? 2 * room : 8;
			unsigned char *more = realloc(*to, room * f->sector);
			if (!more)
				return gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path);
			*to = more;
		}
		const gt_status st = read_sector(f, s, *to + n * f->sector);
		if (st != GT_OK)
			return st;
	}
	*bytes = n * f->sector;
	return GT_OK;
}

/* Reads the table of chains: the header lists its first sectors, a list of sectors the others. */
static gt_status read_table(gt_ole2 *f, const unsigned char *head)
{
	const size_t each = f->sector / 4;
	unsigned char *sector = malloc(f->sector), *list = malloc(f->sector);
	uint32_t place = u32(head + 68);
	size_t done = 0, lists = 0;
	gt_status st = sector && list ? GT_OK : gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path);
	if (st == GT_OK && !(f->next = malloc((f->sectors + each) * sizeof *f->next)))
		st = gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path);
	for (size_t i = 0; st == GT_OK && done < f->sectors; i++) {
		uint32_t at = i < IN_HEAD ? u32(head + 76 + 4 * i) : NONE;
		if (i >= IN_HEAD) {
			const size_t k = (i - IN_HEAD) % (each - 1);
			if (k == 0) {
				if (place >= LAST || lists++ > f->sectors)
					break;
				GT_TRY(read_sector(f, place, list));
				place = u32(list + 4 * (each - 1));
			}
			at = u32(list + 4 * k);
		}
		if (at >= LAST)
			break;
		GT_TRY(read_sector(f, at, sector));
		for (size_t k = 0; k < each && done < f->sectors; k++)
			f->next[done++] = u32(sector + 4 * k);
	}
	for (; st == GT_OK && done < f->sectors; done++)
		f->next[done] = NONE;
done:
	free(sector);
	free(list);
	return st;
}

static gt_status read_small_table(gt_ole2 *f, uint32_t first)
{
	unsigned char *bytes = NULL;
	size_t n = 0;
	gt_status st = read_chain(f, first, &bytes, &n);
	if (st == GT_OK && !(f->next_small = malloc(n + 1)))
		st = gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path);
	f->smalls = n / 4;
	for (size_t i = 0; st == GT_OK && i < f->smalls; i++)
		f->next_small[i] = u32(bytes + 4 * i);
	free(bytes);
	return st;
}

gt_status gt_ole2_open(const char *path, gt_ole2 **out)
{
	unsigned char head[HEAD];
	size_t n = 0;
	gt_status st = GT_OK;
	gt_ole2 *f = calloc(1, sizeof *f);
	if (!f)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	f->file = -1;
	if (!(f->path = strdup(path)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(gt_file_open(path, &f->file, &f->size));
	GT_TRY(gt_read_at(path, f->file, 0, HEAD, head));
	if (memcmp(head, magic, sizeof magic) || (u16(head + 30) != 9 && u16(head + 30) != 12) || u16(head + 32) != 6)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: is not a compound file with sectors of 512 or 4096 bytes", path));
	f->sector = (size_t)1 << u16(head + 30);
	f->sectors = (f->size + f->sector - 1) / f->sector;
	f->sectors -= f->sectors > 0;
	if (f->sectors >= LAST)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: is larger than a compound file can be", path));
	f->cutoff = u32(head + 56);
	GT_TRY(read_table(f, head));
	GT_TRY(read_chain(f, u32(head + 48), &f->entry, &n));
	f->entries = n / ENTRY;
	if (!f->entries)
		GT_TRY(broken(f, "has no directory"));
	GT_TRY(read_small_table(f, u32(head + 60)));
	*out = f;
	f = NULL;
done:
	gt_ole2_close(f);
	return st;
}

void gt_ole2_close(gt_ole2 *f)
{
	if (!f)
		return;
	if (f->file >= 0)
		close(f->file);
	free(f->path);
	free(f->next);
	free(f->next_small);
	free(f->entry);
	free(f);
}

/* The requested names have no letters of other scripts. */
static int is_called(const unsigned char *entry, const char *name, size_t n)
{
	if (u16(entry + NAMES) != 2 * (n + 1) || n >= NAMES / 2)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (entry[2 * i + 1] || entry[2 * i] != (unsigned char)name[i])
			return 0;
	return 1;
}

/* Entry of this name in a tree of siblings; NONE. Compares all of them: the order of the tree is not trusted. */
static uint32_t find_in(const gt_ole2 *f, uint32_t root, const char *name, size_t n)
{
	uint32_t *stack = malloc((f->entries + 2) * sizeof *stack), found = NONE;
	size_t depth = 0, seen = 0;
	if (!stack)
		return NONE;
	stack[depth++] = root;
	while (depth && found == NONE && seen++ <= 2 * f->entries) {
		const uint32_t at = stack[--depth];
		if (at >= f->entries)
			continue;
		const unsigned char *e = f->entry + (size_t)at * ENTRY;
		if (is_called(e, name, n))
			found = at;
		if (depth + 2 <= f->entries) {
			stack[depth++] = u32(e + 68);
			stack[depth++] = u32(e + 72);
		}
	}
	free(stack);
	return found;
}

int gt_ole2_find(const gt_ole2 *f, const char *name, uint32_t *stream, size_t *bytes)
{
	uint32_t at = 0;
	for (size_t n; *name; name += n + (name[n] == '/')) {
		n = strcspn(name, "/");
		at = find_in(f, u32(f->entry + (size_t)at * ENTRY + 76), name, n);
		if (at == NONE)
			return 0;
	}
	const unsigned char *e = f->entry + (size_t)at * ENTRY;
	*stream = at;
	/* with sectors of 512 bytes the upper half of the size is undefined */
	*bytes = u32(e + 120) | (f->sector > HEAD ? (size_t)u32(e + 124) << 32 : 0);
	return e[66] == 2 && *bytes <= f->size;
}

/* Reads bytes of a chain from offset `at`; small: sectors of 64 bytes within the root's stream. */
static gt_status read_pieces(const gt_ole2 *f, uint32_t first, int small, size_t at, size_t bytes, unsigned char *to)
{
	const size_t piece = small ? SMALL : f->sector, max = small ? f->smalls : f->sectors;
	uint32_t s = first;
	for (size_t skipped = at / piece, n = 0; bytes; n++) {
		if (s >= max || n > max)
			return broken(f, "has a stream whose chain of sectors is broken");
		if (n >= skipped) {
			const size_t within = n == skipped ? at % piece : 0, part = bytes < piece - within ? bytes : piece - within;
			const gt_status st = small ? read_pieces(f, u32(f->entry + 116), 0, (size_t)s * SMALL + within, part, to)
			                           : gt_read_at(f->path, f->file, (off_t)((s + 1ull) * f->sector + within), part, to);
			if (st != GT_OK)
				return st;
			to += part;
			bytes -= part;
		}
		s = small ? f->next_small[s] : f->next[s];
	}
	return GT_OK;
}

gt_status gt_ole2_read(const gt_ole2 *f, uint32_t stream, size_t at, size_t bytes, void *to)
{
	const unsigned char *e = f->entry + (size_t)stream * ENTRY;
	const size_t all = u32(e + 120) | (f->sector > HEAD ? (size_t)u32(e + 124) << 32 : 0);
	if (at > all || bytes > all - at)
		return gt_fail(GT_ERR_FORMAT, "%s: a stream has %zu bytes, expected at least %zu", f->path, all, at + bytes);
	return read_pieces(f, u32(e + 116), all < f->cutoff, at, bytes, to);
}

gt_status gt_ole2_numbers(const gt_ole2 *f, const char *name, int integers, size_t n, double *to, size_t *found)
{
	uint32_t stream;
	size_t bytes;
	*found = 0;
	if (!gt_ole2_find(f, name, &stream, &bytes))
		return gt_fail(GT_ERR_FORMAT, "%s: %s is missing", f->path, name);
	for (; *found < n && 4 * *found + 4 <= bytes; ++*found) {
		unsigned char raw[4];
		const gt_status st = gt_ole2_read(f, stream, 4 * *found, 4, raw);
		if (st != GT_OK)
			return st;
		const uint32_t bits = u32(raw);
		int32_t whole;
		float real;
		memcpy(&whole, &bits, 4);
		memcpy(&real, &bits, 4);
		to[*found] = integers ? whole : real;
	}
	return GT_OK;
}
