/* UTF-8: RFC 3629. */
#include <string.h>
#include "core/text.h"

/* Length in bytes and code point of the character that begins here; 0: invalid. */
static size_t character(const unsigned char *c, size_t left, unsigned long *code)
{
	static const unsigned long min[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const size_t n = c[0] < 0x80 ? 1 : c[0] >> 5 == 6 ? 2 : c[0] >> 4 == 14 ? 3 : c[0] >> 3 == 30 ? 4 : 0;
	if (n == 0 || n > left)
		return 0;
	*code = n == 1 ? c[0] : c[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if (c[i] >> 6 != 2)
			return 0;
		*code = *code << 6 | (c[i] & 0x3fu);
	}
	const int surrogate = *code >= 0xd800 && *code <= 0xdfff;
	return *code < min[n] || *code > 0x10ffff || surrogate ? 0 : n;
}

static int is_shown(unsigned long code)
{
	const int control = code < 0x20 || (code >= 0x7f && code < 0xa0);
	/* Marks, embeddings, overrides and isolates of the bidirectional algorithm, UAX 9: they reorder the text
	 * around them. */
	const int bidi = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
	                 (code >= 0x2066 && code <= 0x2069);
	return (!control && !bidi) || code == '\n' || code == '\t';
}

void gt_utf8_shown(const char *text, size_t n, char *out, size_t size)
{
	size_t to = 0;
	for (size_t at = 0; at < n;) {
		unsigned long code = 0;
		const size_t bytes = character((const unsigned char *)text + at, n - at, &code), good = bytes && is_shown(code);
		const size_t more = good ? bytes : 1;
		if (to + more >= size)
			break;
		if (good)
			memmove(out + to, text + at, more);
		else
			out[to] = '?';
		to += more;
		at += bytes ? bytes : 1;
	}
	if (size)
		out[to] = 0;
}
