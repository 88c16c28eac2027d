#ifndef GT_VIEWER_REQUEST_H
#define GT_VIEWER_REQUEST_H
/* What a served page answers to a request (RFC 9112), without any socket. */
#include "viewer/page.h"

enum { GT_TOKEN_DIGITS = 32, GT_REQUEST_MAX = 8192 };
struct gt_page_answer {
	int code;                       /* 200, or an error; 0: there is none yet */
	const char *type;
	const void *body;               /* of the site's, or memory */
	size_t bytes;
	void *memory;                   /* to be freed; NULL: none */
};
struct gt_page_site {
	const struct gt_page_items *items;      /* NULL: none */
	/* Other paths, from the slash behind the token on; 0: there is no such. NULL: there are none. May leave the
	 * code at 0: the one who asks waits, and it is called again for the same path at every turn of the server. */
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
