/* Entries of tuned kernels as JSON. Writers use a lock file and rename a whole file into place; readers need no lock.
 * Operators treat a damaged file as missing; listing reports it. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "core/text.h"
#include "core/try.h"
#include "core/variant/folder.h"
#include "core/variant/sources.h"
#include "core/variant/store.h"

enum { FORMAT = 1 };

static char *path_of(const char *kernel, const char *end, int make)
{
	char name[96];
	gt_snprintf(name, sizeof name, "%s.%s", kernel, end);
	return gt_cache_path(name, make);
}

static void copy_text(const cJSON *o, const char *name, char *text, size_t size)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);
	gt_snprintf(text, size, "%s", cJSON_IsString(item) ? item->valuestring : "");
}
static double number_of(const cJSON *o, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(o, name);
	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static void read_entry(const char *kernel, const cJSON *o, gt_store_entry *e)
{
	memset(e, 0, sizeof *e);
	gt_snprintf(e->kernel, sizeof e->kernel, "%s", kernel);
	copy_text(o, "source", e->source, sizeof e->source);
	copy_text(o, "device", e->device, sizeof e->device);
	copy_text(o, "class", e->about, sizeof e->about);
	copy_text(o, "variant", e->variant, sizeof e->variant);
	copy_text(o, "searcher", e->strategy, sizeof e->strategy);
	copy_text(o, "when", e->when, sizeof e->when);
	e->driver = (int)number_of(o, "driver");
	e->evaluations = (int)number_of(o, "programs");
	e->ms = number_of(o, "ms");
	e->built_in_ms = number_of(o, "built_in_ms");
}

static cJSON *write_entry(const gt_store_entry *e)
{
	cJSON *o = cJSON_CreateObject();
	cJSON_AddStringToObject(o, "source", e->source);
	cJSON_AddStringToObject(o, "device", e->device);
	cJSON_AddNumberToObject(o, "driver", e->driver);
	cJSON_AddStringToObject(o, "class", e->about);
	cJSON_AddStringToObject(o, "variant", e->variant);
	cJSON_AddNumberToObject(o, "ms", e->ms);
	cJSON_AddNumberToObject(o, "built_in_ms", e->built_in_ms);
	cJSON_AddStringToObject(o, "searcher", e->strategy);
	cJSON_AddNumberToObject(o, "programs", e->evaluations);
	cJSON_AddStringToObject(o, "when", e->when);
	return o;
}

static int is_well(const cJSON *all, const char *kernel)
{
	const cJSON *named = cJSON_GetObjectItemCaseSensitive(all, "kernel");
	return all && number_of(all, "format") == FORMAT && cJSON_IsString(named) && !strcmp(named->valuestring, kernel) &&
	       cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(all, "entries"));
}

/* *all: the file's contents, NULL if there is no file. */
static gt_status read_all(const char *path, const char *kernel, cJSON **all)
{
	size_t n = 0;
	char *text = gt_cache_read(path, &n);
	*all = text ? cJSON_Parse(text) : NULL;
	const int well = !text || is_well(*all, kernel);
	free(text);
	if (well)
		return GT_OK;
	cJSON_Delete(*all);
	*all = NULL;
	return gt_fail(GT_ERR_FORMAT,
	               "%s: damaged or of another version: ignored, using the built-in kernels (gantry tune --forget %s removes it)", path,
	               kernel);
}

static void list_entries(const cJSON *all, const char *kernel, int shipped, void (*each)(void *self, const gt_store_entry *e), void *self)
{
	const cJSON *o;
	cJSON_ArrayForEach(o, cJSON_GetObjectItemCaseSensitive(all, "entries"))
	{
		gt_store_entry e;
		read_entry(kernel, o, &e);
		e.shipped = shipped;
		each(self, &e);
	}
}

gt_status gt_store_list_table(const char *text, const char *kernel, int shipped, void (*each)(void *self, const gt_store_entry *e),
                              void *self)
{
	cJSON *tables = cJSON_Parse(text);
	const cJSON *all;
	int well = cJSON_IsArray(tables) && cJSON_GetArraySize(tables) > 0;
	cJSON_ArrayForEach(all, tables)
	{
		const cJSON *name = cJSON_GetObjectItemCaseSensitive(all, "kernel");
		well = well && cJSON_IsString(name) && is_well(all, name->valuestring);
	}
	for (all = well ? tables->child : NULL; all; all = all->next) {
		const char *named = cJSON_GetObjectItemCaseSensitive(all, "kernel")->valuestring;
		if (!kernel || !strcmp(named, kernel))
			list_entries(all, named, shipped, each, self);
	}
	cJSON_Delete(tables);
	return well ? GT_OK : gt_fail(GT_ERR_FORMAT, "no table of tuned kernels, or of another version");
}

void gt_store_list_shipped(const char *kernel, void (*each)(void *self, const gt_store_entry *e), void *self)
{
	for (const struct gt_kernel_file *f = gt_kernel_tables; f->name; f++)
		gt_store_list_table(f->text, kernel, 1, each, self);
}

static cJSON *new_file(const char *kernel)
{
	cJSON *all = cJSON_CreateObject();
	cJSON_AddNumberToObject(all, "format", FORMAT);
	cJSON_AddStringToObject(all, "kernel", kernel);
	cJSON_AddItemToObject(all, "entries", cJSON_CreateArray());
	return all;
}

char *gt_store_table(size_t n, const gt_store_entry *e)
{
	cJSON *tables = cJSON_CreateArray(), *all = NULL;
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(e[i].kernel, e[i - 1].kernel) != 0)
			cJSON_AddItemToArray(tables, all = new_file(e[i].kernel));
		cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(all, "entries"), write_entry(&e[i]));
	}
	char *text = cJSON_Print(tables);
	cJSON_Delete(tables);
	return text;
}

gt_status gt_store_list(const char *kernel, void (*each)(void *self, const gt_store_entry *e), void *self)
{
	char *path = path_of(kernel, "json", 0);
	cJSON *all = NULL;
	const gt_status st = path ? read_all(path, kernel, &all) : GT_OK;
	list_entries(all, kernel, 0, each, self);
	cJSON_Delete(all);
	free(path);
	return st;
}

struct sought {
	gt_store_entry like, found;
	int there;
};
int gt_store_same(const gt_store_entry *a, const gt_store_entry *b)
{
	return !strcmp(a->source, b->source) && !strcmp(a->device, b->device) && a->driver / 1000 == b->driver / 1000 &&
	       !strcmp(a->about, b->about);
}
static void look(void *self, const gt_store_entry *e)
{
	struct sought *s = self;
	if (gt_store_same(e, &s->like)) {
		s->found = *e;
		s->there = 1;
	}
}

/* The user's entry has priority: it may state that no variant beats the built-in kernel. */
int gt_store_find(const gt_variant_request *w, int shipped, char *text, size_t size)
{
	char arch[16], *path = path_of(w->kernel, "json", 0);
	struct sought *s = calloc(1, sizeof *s);
	if (s && gt_variant_device(s->like.device, sizeof s->like.device, arch, &s->like.driver) == GT_OK) {
		gt_snprintf(s->like.source, sizeof s->like.source, "%s", gt_kernel_hash_of(w->kernel));
		gt_snprintf(s->like.about, sizeof s->like.about, "%s", w->about);
		if (path && access(path, R_OK) == 0 && gt_store_list(w->kernel, look, s) != GT_OK)
			s->there = 0;
		if (!s->there && shipped)
			gt_store_list_shipped(w->kernel, look, s);
	}
	const int there = s && s->there && *s->found.variant;
	if (there)
		gt_snprintf(text, size, "%s", s->found.variant);
	free(path);
	free(s);
	return there;
}

static gt_status lock_of(const char *kernel, int *lock)
{
	char *path = path_of(kernel, "lock", 1);
	*lock = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
	int well = *lock >= 0;
	while (well && flock(*lock, LOCK_EX) != 0)
		well = errno == EINTR;
	const gt_status st = well ? GT_OK
	                          : gt_fail(GT_ERR_IO, "%s: cannot be written (%s): the tuned kernel is not cached",
	                                    path ? path : "the cache of tuned kernels",
	                                    path ? strerror(errno) : "no HOME and no XDG_CACHE_HOME");
	free(path);
	return st;
}

static void remove_same(cJSON *entries, const gt_store_entry *e)
{
	for (int i = cJSON_GetArraySize(entries) - 1; i >= 0; i--) {
		gt_store_entry other;
		read_entry(e->kernel, cJSON_GetArrayItem(entries, i), &other);
		if (gt_store_same(&other, e))
			cJSON_DeleteItemFromArray(entries, i);
	}
}

gt_status gt_store_put(const gt_store_entry *e)
{
	cJSON *all = NULL;
	char *path = path_of(e->kernel, "json", 1), *text = NULL;
	int lock = -1;
	gt_status st = GT_OK;
	GT_TRY(lock_of(e->kernel, &lock));
	if (read_all(path, e->kernel, &all) != GT_OK || !all)
		all = new_file(e->kernel);
	cJSON *entries = cJSON_GetObjectItemCaseSensitive(all, "entries");
	remove_same(entries, e);
	cJSON_AddItemToArray(entries, write_entry(e));
	text = cJSON_Print(all);
	GT_TRY(text ? gt_cache_write(path, text, strlen(text)) : gt_fail(GT_ERR_MEMORY, "no memory for the tuned kernel"));
done:
	if (lock >= 0)
		close(lock);
	cJSON_free(text);
	cJSON_Delete(all);
	free(path);
	return st;
}

gt_status gt_store_forget(const char *kernel)
{
	char *path = path_of(kernel, "json", 0);
	const int well = path && (unlink(path) == 0 || errno == ENOENT);
	const gt_status st = well ? GT_OK : gt_fail(GT_ERR_IO, "%s: cannot be removed (%s)", path ? path : "the cache", strerror(errno));
	free(path);
	return st;
}
