/* Cached variants: list, remove, export and import. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include "core/text.h"
#include "core/try.h"
#include "core/variant/folder.h"
#include "core/variant/sources.h"
#include "core/variant/store.h"
#include "tuner/kernels.h"
#include "tuner/space.h"
#include "tuner/tuner.h"

struct listing {
	void (*each)(void *self, const gt_tune_entry *e);
	void *self;
};

static int is_plain(const char *text)
{
	while (*text && !iscntrl((unsigned char)*text))
		text++;
	return !*text;
}

/* Replaces control characters: foreign files may contain terminal escapes. */
static void make_plain(char *text)
{
	for (; *text; text++)
		if (iscntrl((unsigned char)*text))
			*text = '?';
}

/* Returns 1 unless device, class and version are printable and the times positive. */
static int is_damaged(const gt_store_entry *e)
{
	return !*e->device || !*e->about || !*e->source || !(e->ms > 0) || !(e->built_in_ms > 0) || !is_plain(e->device) ||
	       !is_plain(e->about) || !is_plain(e->variant) || !is_plain(e->strategy) || !is_plain(e->when);
}

static const char *why_not(const gt_store_entry *e)
{
	return is_damaged(e)                                          ? "damaged: not used"
	       : strcmp(e->source, gt_kernel_hash_of(e->kernel)) != 0 ? "of another version of the kernel's source: not used"
	                                                              : NULL;
}

static void pass_on(const struct listing *l, const gt_store_entry *e, const char *why)
{
	gt_tune_entry t;
	memset(&t, 0, sizeof t);
	t.size = sizeof t;
	memcpy(t.kernel, e->kernel, sizeof t.kernel);
	memcpy(t.device, e->device, sizeof t.device);
	memcpy(t.about, e->about, sizeof t.about);
	memcpy(t.variant, e->variant, sizeof t.variant);
	memcpy(t.strategy, e->strategy, sizeof t.strategy);
	memcpy(t.when, e->when, sizeof t.when);
	t.ms = e->ms;
	t.built_in_ms = e->built_in_ms;
	t.shipped = e->shipped;
	t.why = why;
	make_plain(t.kernel);
	make_plain(t.device);
	make_plain(t.about);
	make_plain(t.variant);
	make_plain(t.strategy);
	make_plain(t.when);
	if (l->each)
		l->each(l->self, &t);
}

static void tell(void *self, const gt_store_entry *e) { pass_on(self, e, why_not(e)); }

gt_status gt_tune_list(const char *kernel, void (*each)(void *self, const gt_tune_entry *e), void *self)
{
	struct listing l = { each, self };
	const gt_status st = gt_store_list(kernel, tell, &l);
	gt_store_list_shipped(kernel, tell, &l);
	return st;
}

gt_status gt_tune_forget(const char *kernel)
{
	const gt_tunable *k;
	const gt_status st = gt_tunable_find(kernel, &k);
	return st == GT_OK ? gt_store_forget(kernel) : st;
}

/* Export and import ------------------------------------------------------------------------- */

struct moving {
	struct listing l;
	size_t n, room;
	gt_store_entry *entry;
	int failed; /* out of memory */
	/* import only */
	const char *device; /* NULL: unknown */
	int driver, there;
	const gt_store_entry *like;
	char why[512];
};

static void collect(void *self, const gt_store_entry *e)
{
	struct moving *m = self;
	if (m->n == m->room) {
		const size_t room = m->room ? 2 * m->room : 64;
		gt_store_entry *more = realloc(m->entry, room * sizeof *more);
		m->failed |= !more;
		if (!more)
			return;
		m->entry = more;
		m->room = room;
	}
	m->entry[m->n++] = *e;
}

static void collect_usable(void *self, const gt_store_entry *e)
{
	struct moving *m = self;
	const char *why = why_not(e);
	if (!why)
		collect(m, e);
	pass_on(&m->l, e, why);
}

gt_status gt_tune_export(const char *path, void (*each)(void *self, const gt_tune_entry *e), void *self)
{
	struct moving m = { .l = { each, self } };
	char *text = NULL;
	gt_status st = GT_OK;
	for (size_t i = 0; gt_tune_kernel_name(i); i++)
		GT_TRY(gt_store_list(gt_tune_kernel_name(i), collect_usable, &m));
	if (m.n == 0 && !m.failed)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "%s: not written: nothing is kept that another machine could use", path));
	text = m.failed ? NULL : gt_store_table(m.n, m.entry);
	GT_TRY(text ? gt_cache_write(path, text, strlen(text)) : gt_fail(GT_ERR_MEMORY, "no memory for a table of tuned kernels"));
done:
	free(text);
	free(m.entry);
	return st;
}

/* Checks that the variant is in the kernel's space for its class. */
static gt_status check_variant(const gt_store_entry *e)
{
	uint8_t pick[GT_MAX_LAYERS];
	gt_space *s = NULL;
	gt_status st = GT_OK;
	if (!*e->variant)
		return st; /* the built-in kernel */
	GT_TRY(gt_space_read(gt_kernel_file_of(e->kernel)->text, e->kernel, e->about, &s));
	if (!gt_space_parse(s, e->variant, pick) || gt_space_find(s, pick) == SIZE_MAX)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "\"%s\" is no variant of it for that problem: not taken", e->variant));
done:
	gt_space_free(s);
	return st;
}

static void look_for_same(void *self, const gt_store_entry *e)
{
	struct moving *m = self;
	m->there |= gt_store_same(e, m->like);
}

static gt_status judge(struct moving *m, const gt_store_entry *e)
{
	const gt_tunable *k = NULL;
	if (gt_tunable_find(e->kernel, &k) != GT_OK || k->at_run_time)
		return gt_fail(GT_ERR_UNKNOWN, "no kernel of this version: not taken");
	if (is_damaged(e))
		return gt_fail(GT_ERR_FORMAT, "damaged: not taken");
	if (why_not(e))
		return gt_fail(GT_ERR_UNSUPPORTED, "of another version of the kernel's source (%s, here %s): not taken", e->source,
		               gt_kernel_hash_of(e->kernel));
	if (m->device && strcmp(m->device, e->device) != 0)
		return gt_fail(GT_ERR_UNSUPPORTED, "of another device (here %s): not taken", m->device);
	if (m->device && m->driver / 1000 != e->driver / 1000)
		return gt_fail(GT_ERR_UNSUPPORTED, "of another driver (CUDA %d, here %d): not taken", e->driver / 1000, m->driver / 1000);
	m->there = 0;
	m->like = e;
	gt_status st = gt_store_list(e->kernel, look_for_same, m);
	if (st == GT_OK && m->there)
		return gt_fail(GT_ERR_UNSUPPORTED, "one of that device and problem is kept here: not taken");
	return st == GT_OK ? check_variant(e) : st;
}

/* Validates all entries before storing the first. */
static gt_status take(struct moving *m, const char *path)
{
	size_t taken = 0;
	gt_status st = GT_OK;
	char *well = calloc(m->n + 1, 1);
	if (!well)
		return gt_fail(GT_ERR_MEMORY, "no memory for a table of tuned kernels");
	for (size_t i = 0; i < m->n; i++) {
		well[i] = judge(m, &m->entry[i]) == GT_OK;
		taken += well[i] != 0;
		if (well[i])
			continue;
		gt_snprintf(m->why, sizeof m->why, "%s", gt_error());
		pass_on(&m->l, &m->entry[i], m->why);
	}
	if (taken == 0)
		st = gt_fail(GT_ERR_UNSUPPORTED, "%s: none of its %zu entries is taken: %s%s", path, m->n, m->n > 1 ? "of the last: " : "",
		             m->n ? m->why : "there is none");
	for (size_t i = 0; i < m->n && st == GT_OK; i++)
		if (well[i] && (st = gt_store_put(&m->entry[i])) == GT_OK)
			pass_on(&m->l, &m->entry[i], NULL);
	free(well);
	return st;
}

gt_status gt_tune_import(const char *path, const char *backend, void (*each)(void *self, const gt_tune_entry *e), void *self)
{
	char device[128], arch[16];
	struct moving m = { .l = { each, self } };
	gt_backend *be = NULL;
	size_t n = 0;
	errno = 0;
	char *text = gt_cache_read(path, &n);
	gt_status st = GT_OK;
	if (!text)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be read (%s)", path, errno ? strerror(errno) : "no file of at most 64 MiB"));
	if (gt_store_list_table(text, NULL, 0, collect, &m) != GT_OK)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: damaged, or no table of gantry tune --export", path));
	if (m.failed)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a table of tuned kernels"));
	if (backend && gt_backend_open(backend, &be) == GT_OK && gt_variant_device(device, sizeof device, arch, &m.driver) == GT_OK)
		m.device = device;
	st = take(&m, path);
done:
	gt_backend_close(be);
	free(m.entry);
	free(text);
	return st;
}
