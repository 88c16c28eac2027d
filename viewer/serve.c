/* HTTP server for browsers of this machine: one thread, a few connections, one request each. Drops slow connections. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include "core/clock.h"
#include "core/try.h"
#include "viewer/server.h"

enum { PEERS = 32, WAITING = 16, READ_SECONDS = 10, WRITE_SECONDS = 60, POLL_MS = 200, HEAD = 512 };

/* A connection: reads until there is an answer, then writes it. socket -1: free. */
struct gt_server_peer {
	int socket, waits; /* waits 1: the request is complete, the answer is pending */
	double since;
	char request[GT_REQUEST_MAX + 1], head[HEAD];
	size_t got, head_bytes, sent;
	struct gt_page_answer answer;
};

static void drop(struct gt_server_peer *p)
{
	if (p->socket >= 0)
		close(p->socket);
	free(p->answer.memory);
	p->socket = -1;
	p->waits = 0;
	p->answer = (struct gt_page_answer){ 0 };
}

static const char *reason(int code)
{
	return code == 200   ? "OK"
	       : code == 403 ? "Forbidden"
	       : code == 404 ? "Not Found"
	       : code == 405 ? "Method Not Allowed"
	       : code == 500 ? "Internal Server Error"
	                     : "Bad Request";
}

static void answer(const struct gt_page_site *site, struct gt_server_peer *p)
{
	/* A zero byte ends the text early, which makes the request invalid. */
	p->request[p->got] = 0;
	gt_page_answer(site, p->request, &p->answer);
	p->waits = !p->answer.code;
	if (p->waits)
		return;
	p->head_bytes = (size_t)
		snprintf(p->head, sizeof p->head,
	                 "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\nCache-Control: "
	                 "no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nX-Frame-Options: DENY\r\n"
	                 "Cross-Origin-Resource-Policy: same-origin\r\n\r\n",
	                 p->answer.code, reason(p->answer.code), p->answer.type, p->answer.bytes);
	p->sent = 0;
	p->since = gt_seconds();
}

static void read_some(const struct gt_page_site *site, struct gt_server_peer *p)
{
	char more; /* a waiting peer sends nothing; a read detects that it has left */
	const ssize_t n = p->waits ? recv(p->socket, &more, 1, 0) : recv(p->socket, p->request + p->got, GT_REQUEST_MAX - p->got, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || p->waits) {
		drop(p);
		return;
	}
	p->got += (size_t)n;
	p->request[p->got] = 0;
	if (strstr(p->request, "\r\n\r\n"))
		answer(site, p);
	else if (p->got == GT_REQUEST_MAX || memchr(p->request, 0, p->got)) {
		p->got = 0;
		answer(site, p);
	}
}

static void write_some(struct gt_server_peer *p)
{
	const int head = p->sent < p->head_bytes;
	const char *from = head ? p->head + p->sent : (const char *)p->answer.body + (p->sent - p->head_bytes);
	const size_t left = head ? p->head_bytes - p->sent : p->head_bytes + p->answer.bytes - p->sent;
	const ssize_t n = send(p->socket, from, left, MSG_NOSIGNAL);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	p->sent += n > 0 ? (size_t)n : 0;
	if (n <= 0)
		drop(p);
	else if (p->sent == p->head_bytes + p->answer.bytes) {
		shutdown(p->socket, SHUT_WR);
		drop(p);
	}
}

/* If all connections are in use, drops the peer whose request has been incomplete for longest. */
static void let_in(int listener, struct gt_server_peer *peers)
{
	struct gt_server_peer *place = NULL;
	const int s = accept(listener, NULL, NULL);
	if (s < 0)
		return;
	for (size_t i = 0; i < PEERS; i++)
		if (!place || peers[i].socket < 0 || (place->socket >= 0 && peers[i].since < place->since))
			place = &peers[i];
	drop(place);
	fcntl(s, F_SETFL, fcntl(s, F_GETFL) | O_NONBLOCK);
	fcntl(s, F_SETFD, FD_CLOEXEC);
	place->socket = s;
	place->got = place->head_bytes = place->sent = 0;
	place->since = gt_seconds();
}

void gt_server_once(struct gt_server *s, const struct gt_page_site *site)
{
	struct pollfd fd[PEERS + 1] = { { .fd = s->listener, .events = POLLIN } };
	for (size_t i = 0; i < PEERS; i++) {
		struct gt_server_peer *p = &s->peer[i];
		if (p->socket >= 0 && p->waits)
			answer(site, p);
		else if (p->socket >= 0 && gt_seconds() - p->since > (p->answer.code ? WRITE_SECONDS : READ_SECONDS))
			drop(p);
		fd[i + 1] = (struct pollfd){ .fd = p->socket, .events = p->answer.code ? POLLOUT : POLLIN };
	}
	if (poll(fd, PEERS + 1, POLL_MS) <= 0)
		return;
	for (size_t i = 0; i < PEERS; i++)
		if (fd[i + 1].revents && s->peer[i].socket >= 0) {
			if (s->peer[i].answer.code)
				write_some(&s->peer[i]);
			else
				read_some(site, &s->peer[i]);
		}
	if (fd[0].revents)
		let_in(s->listener, s->peer);
}

int gt_server_sends(const struct gt_server *s)
{
	for (size_t i = 0; i < PEERS; i++)
		if (s->peer[i].socket >= 0 && s->peer[i].answer.code)
			return 1;
	return 0;
}

static gt_status listen_at(int port, int *listener, int *got)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof at;
	const int yes = 1;
	*listener = socket(AF_INET, SOCK_STREAM, 0);
	if (*listener < 0)
		return gt_fail(GT_ERR_IO, "no socket: %s", strerror(errno));
	setsockopt(*listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	fcntl(*listener, F_SETFL, fcntl(*listener, F_GETFL) | O_NONBLOCK);
	fcntl(*listener, F_SETFD, FD_CLOEXEC);
	if (bind(*listener, (const struct sockaddr *)&at, sizeof at) != 0 || listen(*listener, WAITING) != 0) {
		const gt_status st = errno == EADDRINUSE
		                             ? gt_fail(GT_ERR_IO,
		                                       "port %d of 127.0.0.1 is taken by another program; port 0 takes a free one", port)
		                             : gt_fail(GT_ERR_IO, "port %d of 127.0.0.1: %s", port, strerror(errno));
		close(*listener);
		*listener = -1;
		return st;
	}
	if (getsockname(*listener, (struct sockaddr *)&at, &size) != 0)
		return gt_fail(GT_ERR_IO, "port %d of 127.0.0.1: %s", port, strerror(errno));
	*got = ntohs(at.sin_port);
	return GT_OK;
}

static gt_status make_token(char token[GT_TOKEN_DIGITS + 1])
{
	unsigned char random[GT_TOKEN_DIGITS / 2];
	if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
		return gt_fail(GT_ERR_IO, "no random numbers: %s", strerror(errno));
	for (size_t i = 0; i < sizeof random; i++)
		snprintf(token + 2 * i, 3, "%02x", random[i]);
	return GT_OK;
}

static gt_status make_html(const gt_page *page, const struct gt_page_items *items, char **html, size_t *bytes)
{
	FILE *f = open_memstream(html, bytes);
	if (!f)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	const gt_status st = gt_page_put(f, page, items, NULL, 1);
	fputs("</body>\n</html>\n", f);
	return fclose(f) == 0 || st != GT_OK ? st : gt_fail(GT_ERR_MEMORY, "out of memory");
}

gt_status gt_server_open(int port, struct gt_page_site *site, struct gt_server *s)
{
	gt_status st = GT_OK;
	*s = (struct gt_server){ .listener = -1 };
	if (port < 0 || port > 65535)
		return gt_fail(GT_ERR_ARG, "port %d: expected 0 to 65535", port);
	GT_TRY(listen_at(port, &s->listener, &site->port));
	GT_TRY(make_token(site->token));
	if (!(s->peer = calloc(PEERS, sizeof *s->peer)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	for (size_t i = 0; i < PEERS; i++)
		s->peer[i].socket = -1;
	snprintf(s->address, sizeof s->address, "http://127.0.0.1:%d/%s/", site->port, site->token);
	return GT_OK;
done:
	gt_server_close(s);
	return st;
}

void gt_server_close(struct gt_server *s)
{
	for (size_t i = 0; i < PEERS && s->peer; i++)
		drop(&s->peer[i]);
	free(s->peer);
	if (s->listener >= 0)
		close(s->listener);
	s->peer = NULL;
	s->listener = -1;
}

gt_status gt_page_serve(const gt_page *page, const gt_page_server *how)
{
	struct gt_page_items items;
	struct gt_page_site site = { .items = &items };
	struct gt_server server = { .listener = -1 };
	char *html = NULL;
	gt_status st = GT_OK;
	if (!how || how->size != sizeof *how)
		return gt_fail(GT_ERR_ARG, "page server: expected size to be sizeof(gt_page_server)");
	GT_TRY(gt_page_check(page));
	GT_TRY(gt_server_open(how->port, &site, &server));
	GT_TRY(gt_page_inspect(page, 1, &items));
	GT_TRY(make_html(page, &items, &html, &site.html_bytes));
	site.html = html;
	if (how->ready)
		how->ready(how->self, server.address);
	while (!how->stop || !how->stop(how->self))
		gt_server_once(&server, &site);
done:
	gt_server_close(&server);
	free(html);
	return st;
}
