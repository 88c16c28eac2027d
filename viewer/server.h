#ifndef GT_VIEWER_SERVER_H
#define GT_VIEWER_SERVER_H
/* HTTP server on a port of 127.0.0.1: one thread at a time, a few connections, one request each. */
#include "viewer/request.h"

struct gt_server_peer;
struct gt_server {
	int listener;                   /* -1: closed */
	struct gt_server_peer *peer;
	char address[128];              /* to open: with the site's token */
};
/* Sets port and token of the site. GT_ERR_IO: the port is taken. After a failure the server is closed. */
gt_status gt_server_open (int port, struct gt_page_site *site, struct gt_server *s);
/* Handles pending events, waits at most 0.2 s for them, and retries requests that wait for an answer. */
void      gt_server_once (struct gt_server *s, const struct gt_page_site *site);
int       gt_server_sends(const struct gt_server *s);   /* 1: an answer is not completely sent */
void      gt_server_close(struct gt_server *s);         /* no effect if closed */
#endif
