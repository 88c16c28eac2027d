#ifndef GT_VIEWER_REQUEST_H
#define GT_VIEWER_REQUEST_H
/* Answers of a served page to HTTP requests (RFC 9112), without sockets. */
#include "viewer/page.h"

enum { GT_TOKEN_DIGITS = 32, GT_REQUEST_MAX = 8192 };
struct gt_page_answer {
	int code;                       /* 200, or an error; 0: no answer yet */
	const char *type;
	const void *body;               /* belongs to the site, or is memory */
	size_t bytes;
	void *memory;                   /* to be freed; NULL: none */
};
struct gt_page_site {
	const struct gt_page_items *items;      /* NULL: none */
	/* Answers other paths, from the slash after the token on; returns 0 for unknown paths. NULL: no other paths.
	 * If it leaves the code at 0, the request stays open and the server calls it again in every cycle. */
	int (*more)(void *self, const char *rest, struct gt_page_answer *a);
	void *self;
	const char *html;               /* the page itself */
	size_t html_bytes;
	char token[GT_TOKEN_DIGITS + 1];
	int port;
};
/* request: all up to the empty line, ended by 0. Grammar: GET /TOKEN/ and GET
 * /TOKEN/plane/ITEM/AXIS/FROM/TO/slice|maximum|minimum|mean. */
void gt_page_answer(const struct gt_page_site *site, const char *request, struct gt_page_answer *a);
#endif
