/* Requests to a served page. Refuses all but two exact forms, without a reason if the token is wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "viewer/request.h"

static const char *const modes[] = { "slice", "maximum", "minimum", "mean", NULL };
enum { SLICE, MAXIMUM, MINIMUM, MEAN };
struct cut {
	size_t item, axis, from, to;
	int mode;
};

static void refuse(struct gt_page_answer *a, int code)
{
	a->code = code;
	a->type = "text/plain; charset=utf-8";
	a->body = code == 404 ? "not found\n" : "refused\n";
	a->bytes = strlen(a->body);
}

/* Takes the same time for any token of this length. */
static int is_token(const char *text, const char *token)
{
	unsigned other = 0;
	for (size_t i = 0; i < GT_TOKEN_DIGITS; i++) {
		other |= (unsigned)(text[i] ^ token[i]);
		if (!text[i])
			return 0;
	}
	return !other;
}

/* Accepts exactly one Host line with a local name, against DNS rebinding. */
static int host_is_ours(const char *request, int port)
{
	char a[64], b[64];
	int found = 0;
	snprintf(a, sizeof a, "127.0.0.1:%d\r\n", port);
	snprintf(b, sizeof b, "localhost:%d\r\n", port);
	for (const char *line = strstr(request, "\r\n"); line && line[2]; line = strstr(line + 2, "\r\n")) {
		const char *value = line + 7;
		if (strncasecmp(line + 2, "host:", 5) != 0)
			continue;
		value += strspn(value, " \t");
		if (found++ || (strncmp(value, a, strlen(a)) != 0 && strncmp(value, b, strlen(b)) != 0))
			return 0;
	}
	return found == 1;
}

/* Parses a number of at most nine digits and the slash after it; NULL: none. */
static const char *number(const char *text, size_t *n)
{
	size_t digits = 0;
	for (*n = 0; text[digits] >= '0' && text[digits] <= '9' && digits < 10; digits++)
		*n = 10 * *n + (size_t)(text[digits] - '0');
	return digits > 0 && digits < 10 && text[digits] == '/' ? text + digits + 1 : NULL;
}

static int parse_cut(const char *text, const struct gt_page_items *items, struct cut *c)
{
	size_t *const part[] = { &c->item, &c->axis, &c->from, &c->to };
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (!(text = number(text, part[i])))
			return 0;
	for (c->mode = 0; modes[c->mode] && strcmp(text, modes[c->mode]) != 0;)
		c->mode++;
	return modes[c->mode] && c->item < items->n && items->of[c->item].data && c->axis < 3 && c->from <= c->to &&
	       c->to < items->of[c->item].n[c->axis];
}

/* NAN if no slice has a finite value. */
static float combined(const float *first, size_t step, size_t n, int mode)
{
	double out = NAN;
	size_t count = 0;
	for (size_t i = 0; i < n; i++) {
		const float v = first[i * step];
		if (n > 1 && !isfinite(v))
			continue;
		out = !count++          ? (double)v
		      : mode == MAXIMUM ? fmax(out, (double)v)
		      : mode == MINIMUM ? fmin(out, (double)v)
		                        : out + (double)v;
	}
	return (float)(mode == MEAN && count ? out / (double)count : out);
}

static void send_plane(const struct gt_page_site *site, const struct cut *c, struct gt_page_answer *a)
{
	const struct gt_page_data *d = &site->items->of[c->item];
	const size_t step[3] = { 1, d->n[0], d->n[0] * d->n[1] }, right = c->axis == 0 ? 1 : 0, up = c->axis == 2 ? 1 : 2;
	const size_t w = d->n[right], h = d->n[up], slices = c->mode == SLICE ? 1 : c->to - c->from + 1;
	float *plane = malloc(w * h * sizeof *plane);
	if (!plane) {
		refuse(a, 500);
		return;
	}
	for (size_t y = 0; y < h; y++)
		for (size_t x = 0; x < w; x++)
			plane[y * w + x] = combined(d->data + c->from * step[c->axis] + y * step[up] + x * step[right], step[c->axis],
			                            slices, c->mode);
	*a = (struct gt_page_answer){ 200, "application/octet-stream", plane, w * h * sizeof *plane, plane };
}

void gt_page_answer(const struct gt_page_site *site, const char *request, struct gt_page_answer *a)
{
	char path[128];
	struct cut c;
	*a = (struct gt_page_answer){ 0 };
	if (strncmp(request, "GET ", 4) != 0) {
		refuse(a, 405);
		return;
	}
	const size_t n = strcspn(request + 4, " \r\n");
	if (n >= sizeof path ||
	    (strncmp(request + 4 + n, " HTTP/1.1\r\n", 11) != 0 && strncmp(request + 4 + n, " HTTP/1.0\r\n", 11) != 0)) {
		refuse(a, 400);
		return;
	}
	memcpy(path, request + 4, n);
	path[n] = 0;
	if (!host_is_ours(request, site->port)) {
		refuse(a, 403);
		return;
	}
	const char *rest = path + 1 + GT_TOKEN_DIGITS;
	if (path[0] != '/' || !is_token(path + 1, site->token) || *rest != '/')
		refuse(a, 404);
	else if (!rest[1])
		*a = (struct gt_page_answer){ 200, "text/html; charset=utf-8", site->html, site->html_bytes, NULL };
	else if (site->more && site->more(site->self, rest, a))
		return;
	else if (site->items && !strncmp(rest, "/plane/", 7) && parse_cut(rest + 7, site->items, &c))
		send_plane(site, &c, a);
	else
		refuse(a, 404);
}
