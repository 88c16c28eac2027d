#ifndef GT_TESTS_HTTP_H
#define GT_TESTS_HTTP_H
/* Requests to the pages that the library serves on this computer. */
#include <stddef.h>

/* Sends a request for `path` below the address http://127.0.0.1:PORT/TOKEN/; returns the socket. */
int gt_test_ask(const char *address, const char *path);
/* Returns the content, NUL-terminated, to be freed; *bytes: 0 if the status is not 200. Closes the socket. */
char *gt_test_answer(int socket, size_t *bytes);
char *gt_test_get(const char *address, const char *path, size_t *bytes);

#endif
