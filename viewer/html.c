/* Escapes for HTML (HTML Living Standard, 13.1.2) and JSON (RFC 8259), and base64 (RFC 4648). */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "viewer/html.h"

/* In UTF-8 without control characters; NULL without memory. */
static char *shown(const char *text)
{
	const size_t n = strlen(text);
	char *copy = malloc(n + 1);
	if (copy)
		gt_utf8_shown(text, n, copy, n + 1);
	return copy;
}

static void put_text(FILE *f, const char *text, int breakable)
{
	char *copy = text ? shown(text) : NULL;
	for (const char *c = copy; c && *c; c++) {
		switch (*c) {
		case '&':
			fputs("&amp;", f);
			break;
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '"':
			fputs("&quot;", f);
			break;
		case '\'':
			fputs("&#39;", f);
			break;
		default:
			putc(*c, f);
		}
		if (breakable && strchr(",:;/", *c) && c[1] && c[1] != ' ')
			fputs("<wbr>", f);
	}
	free(copy);
}

void gt_html_text(FILE *f, const char *text) { put_text(f, text, 0); }

void gt_html_breakable(FILE *f, const char *text) { put_text(f, text, 1); }

void gt_write_json_text(FILE *f, const char *text)
{
	char *copy = text ? shown(text) : NULL;
	if (!copy) {
		fputs("null", f);
		return;
	}
	putc('"', f);
	for (const unsigned char *c = (const unsigned char *)copy; *c; c++)
		if (*c < 0x20 || strchr("\"\\<>&'", *c))
			fprintf(f, "\\u%04x", (unsigned)*c);
		else
			putc(*c, f);
	putc('"', f);
	free(copy);
}

void gt_write_json_number(FILE *f, double x)
{
	if (isfinite(x))
		fprintf(f, "%.17g", x);
	else
		fputs("null", f);
}

void gt_base64(FILE *f, const unsigned char *data, size_t n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char block[4 * 1024];
	size_t used = 0;
	for (size_t i = 0; i < n; i += 3) {
		const unsigned b = (unsigned)data[i] << 16 | (i + 1 < n ? (unsigned)data[i + 1] << 8 : 0) | (i + 2 < n ? data[i + 2] : 0u);
		block[used++] = digit[b >> 18];
		block[used++] = digit[b >> 12 & 63];
		block[used++] = digit[b >> 6 & 63];
		block[used++] = digit[b & 63];
		if (i + 1 >= n)
			block[used - 2] = '=';
		if (i + 2 >= n)
			block[used - 1] = '=';
		if (used == sizeof block) {
			fwrite(block, 1, used, f);
			used = 0;
		}
	}
	fwrite(block, 1, used, f);
}
