/* Finds the source of a kernel, and its hash without comments and layout. */
#include <ctype.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "core/hash.h"
#include "core/text.h"
#include "core/variant/sources.h"

enum { MAX_FILES = 256, MAX_KERNELS = 16 };

const struct gt_kernel_file *gt_kernel_file_of(const char *kernel)
{
	char line[80];
	gt_snprintf(line, sizeof line, " tune %s\n", kernel);
	for (const struct gt_kernel_file *f = gt_kernel_files; f->name; f++)
		if (strstr(f->text, line))
			return f;
	return NULL;
}

/* The text without comments and spaces, padded to a multiple of 8 bytes. NULL: out of memory. */
static char *strip(const char *text, size_t *n)
{
	char *out = calloc(1, strlen(text) + 16);
	*n = 0;
	for (const char *at = text; out && *at;) {
		const char *end = at[0] == '/' && at[1] == '*' ? strstr(at + 2, "*/") : NULL;
		if (end) {
			at = end + 2;
			continue;
		}
		if (!isspace((unsigned char)*at))
			out[(*n)++] = *at;
		at++;
	}
	return out;
}

struct walk {
	uint64_t hash;
	char seen[MAX_FILES];
};

static int ends_with(const char *text, const char *end)
{
	const size_t n = strlen(text), m = strlen(end);
	return n >= m && !strcmp(text + n - m, end);
}
/* Host headers have types and functions that kernels do not use. */
static int has_kernels(const char *name)
{
	return !strncmp(name, "projectors/", 11) || !strncmp(name, "analytic/", 9) || ends_with(name, ".cuh") || ends_with(name, ".inc") ||
	       ends_with(name, "_math.h");
}

static void walk_file(struct walk *w, size_t i);

/* Follows #include "NAME" or <NAME> of embedded files. */
static void walk_includes(struct walk *w, const char *text)
{
	for (const char *at = text; (at = strstr(at, "#include ")); at++) {
		const char *name = at + 10;
		const size_t n = strcspn(name, "\">\n");
		for (size_t i = 0; i < MAX_FILES && gt_kernel_files[i].name; i++)
			if (strlen(gt_kernel_files[i].name) == n && !strncmp(gt_kernel_files[i].name, name, n))
				walk_file(w, i);
	}
}

static void walk_file(struct walk *w, size_t i)
{
	size_t n;
	if (i >= MAX_FILES || w->seen[i])
		return;
	w->seen[i] = 1;
	char *text = has_kernels(gt_kernel_files[i].name) ? strip(gt_kernel_files[i].text, &n) : NULL;
	if (text)
		w->hash = gt_hash(w->hash, text, (n + 7) / 8 * 8);
	free(text);
	walk_includes(w, gt_kernel_files[i].text);
}

static const char *hash_of(const struct gt_kernel_file *f)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct {
		const struct gt_kernel_file *file;
		char hash[20];
	} known[MAX_KERNELS];
	int i = 0;
	if (!f)
		return "";
	pthread_mutex_lock(&lock);
	while (i < MAX_KERNELS - 1 && known[i].file && known[i].file != f)
		i++;
	if (known[i].file != f) {
		struct walk w = { 0, { 0 } };
		walk_file(&w, (size_t)(f - gt_kernel_files));
		known[i].file = f;
		gt_snprintf(known[i].hash, sizeof known[i].hash, "%016" PRIx64, w.hash);
	}
	pthread_mutex_unlock(&lock);
	return known[i].hash;
}

const char *gt_kernel_hash_of(const char *kernel) { return hash_of(gt_kernel_file_of(kernel)); }

const char *gt_kernel_hash_of_source(const char *name)
{
	const struct gt_kernel_file *f = gt_kernel_files;
	while (f->name && strcmp(f->name, name) != 0)
		f++;
	return hash_of(f->name ? f : NULL);
}
