#ifndef GT_VIEWER_SERVER_H
#define GT_VIEWER_SERVER_H
/* A port of 127.0.0.1 and those who ask there: one thread at a time, a few connections, one request each. */
#include "viewer/request.h"

struct gt_server_peer;
struct gt_server {
	int listener;                   /* -1: closed */
	struct gt_server_peer *peer;
	char address[128];              /* to open: with the site's token */
};
/* Sets port and token of the site. GT_ERR_IO: the port is taken. After a failure the server is closed. */
gt_status gt_server_open (int port, struct gt_page_site *site, struct gt_server *s);
/* Waits a fifth of a second at most for something to do, and does it; asks the site again for those who wait. */
void      gt_server_once (struct gt_server *s, const struct gt_page_site *site);
int       gt_server_sends(const struct gt_server *s);   /* 1: an answer is not wholly sent yet */
void      gt_server_close(struct gt_server *s);         /* closed: fine */
#endif
