/* HTTP client for tests of live pages: one request and its complete response. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tests/support/http.h"
#include "tests/support/support.h"

int gt_test_ask(const char *address, const char *path)
{
	int port = 0, used = 0;
	char token[64], request[256];
	ck_assert_int_eq(sscanf(address, "http://127.0.0.1:%d/%63[0-9a-f]/%n", &port, token, &used), 2);
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int s = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert(connect(s, (struct sockaddr *)&at, sizeof at) == 0);
	const int n = snprintf(request, sizeof request, "GET /%s/%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", token, path, port);
	ck_assert(send(s, request, (size_t)n, 0) == n);
	return s;
}

char *gt_test_answer(int socket, size_t *bytes)
{
	char *all = malloc(1 << 20), *body;
	size_t got = 0;
	for (ssize_t more; (more = recv(socket, all + got, (1 << 20) - 1 - got, 0)) > 0;)
		got += (size_t)more;
	all[got] = 0;
	close(socket);
	ck_assert((body = strstr(all, "\r\n\r\n")));
	*bytes = strstr(all, "HTTP/1.1 200 ") == all ? got - (size_t)(body + 4 - all) : 0;
	memmove(all, body + 4, got - (size_t)(body + 4 - all) + 1);
	return all;
}

char *gt_test_get(const char *address, const char *path, size_t *bytes) { return gt_test_answer(gt_test_ask(address, path), bytes); }
