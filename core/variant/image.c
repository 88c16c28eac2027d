/* Compiled kernels in the user's cache, one file each: a line with the kernel's name and a hash, then the code. The
 * file name is a hash of everything that the code depends on. Invalid files are compiled again. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/hash.h"
#include "core/text.h"
#include "core/variant/folder.h"
#include "core/variant/sources.h"
#include "core/variant/variant.h"

static char *path_of(const gt_variant_code *code, const char *arch)
{
	char all[4096], name[40];
	size_t n = (size_t)gt_snprintf(all, sizeof all, "2 %s %s %s %s %s %s", gt_kernel_hash_of_source(code->source), arch, code->source,
	                               code->instance, code->bytes ? code->bytes : "", gt_variant_planted());
	for (const char *const *m = code->macros; *m && n < sizeof all; m++)
		n += (size_t)gt_snprintf(all + n, sizeof all - n, " %s", *m);
	n = n < sizeof all ? n : sizeof all - 1;
	gt_snprintf(name, sizeof name, "code/%016" PRIx64 "%08" PRIx64, gt_hash(0, all, n), gt_hash(1, all, n) & 0xffffffff);
	return gt_cache_path(name, 1);
}

/* Returns 0 if the file does not match its first line. */
static int take(const char *file, size_t n, char **name, void **image, size_t *bytes)
{
	const char *end = memchr(file, '\n', n);
	char kernel[512];
	uint64_t hash;
	if (!end || end - file > 500 || sscanf(file, "gantry-kernel %511s %" SCNx64, kernel, &hash) != 2)
		return 0;
	*bytes = n - (size_t)(end + 1 - file);
	if (*bytes == 0 || gt_hash(0, end + 1, *bytes) != hash)
		return 0;
	*name = strdup(kernel);
	*image = malloc(*bytes);
	if (*name && *image) {
		memcpy(*image, end + 1, *bytes);
		return 1;
	}
	free(*name);
	free(*image);
	return 0;
}

static void keep(const char *path, const char *name, const void *image, size_t bytes)
{
	char *file = malloc(bytes + 600);
	if (!file)
		return;
	const int head = gt_snprintf(file, 600, "gantry-kernel %s %" PRIx64 "\n", name, gt_hash(0, image, bytes));
	if (head < 600) {
		memcpy(file + head, image, bytes);
		gt_cache_write(path, file, (size_t)head + bytes); /* a failed write only costs another compilation */
	}
	free(file);
}

gt_status gt_variant_image(const gt_variant_code *code, const char *arch, char **name, void **image, size_t *bytes)
{
	char *path = path_of(code, arch);
	size_t n = 0;
	char *file = path ? gt_cache_read(path, &n) : NULL;
	const int there = file && take(file, n, name, image, bytes);
	const gt_status st = there ? GT_OK : gt_variant_compile(code, arch, name, image, bytes);
	if (!there && st == GT_OK && path)
		keep(path, *name, *image, *bytes);
	free(file);
	free(path);
	return st;
}
