/* Memory of a run, noted after each step of its dry run, and settings that make a run fit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "geometry/projections.h"
#include "recon/modules.h"
#include "recon/noise/strength_search.h"
#include "recon/memory_estimate.h"

#define BYTES(n) gt_bytes_text(n, (char[GT_BYTES_TEXT]){ 0 })

static gt_counters counters(const gt_backend *be)
{
	gt_counters count;
	gt_backend_counters(be, &count);
	return count;
}

static size_t held(const gt_backend *be) { return counters(be).bytes; }

static double bytes_of(size_t n) { return (double)n * sizeof(float); }

void gt_memory_estimate_begin(gt_memory_estimate *e, const gt_projections *p, const gt_grid *grid)
{
	const double data = bytes_of(gt_scan_size(p->scan));
	*e = (gt_memory_estimate){ .size = sizeof *e,
		                   .host_free = e->host_free,
		                   .host_process = e->host_process,
		                   .host_data = data,
		                   .host_projections = data * (1 + (p->weight != NULL) + (p->photons != NULL)),
		                   .host_volume = bytes_of(gt_grid_voxels(grid)) };
}

void gt_memory_estimate_open(gt_memory_estimate *e, gt_backend *be)
{
	if (!e)
		return;
	e->on_host = !gt_backend_is_gpu(be);
	gt_backend_memory(be, &e->free, &e->total);
	snprintf(e->backend, sizeof e->backend, "%s", gt_backend_name(be));
	snprintf(e->about, sizeof e->about, "%s", gt_backend_describe(be));
}

void gt_memory_estimate_volume(gt_memory_estimate *e, const gt_backend *be)
{
	if (e)
		e->volume = held(be);
}

void gt_memory_estimate_started(gt_memory_estimate *e, const gt_backend *be)
{
	if (e)
		e->start_peak = counters(be).peak_bytes;
}

/* Host memory while a penalty is made: volumes, and pixels in addition to the pixels on the device. The sample of noise
 * has all pixels on the device while a chunk of them is drawn; without a sample it is 0. Then a strength is searched on
 * patches. */
typedef struct {
	double volumes, pixels, sample, patches;
} host_parts;

/* Bytes of pixels of a sample of noise that are drawn at a time. */
static double chunk_of(const host_parts *h) { return fmin(h->sample, GT_STRENGTH_DRAWN * sizeof(float)); }

/* Memory of host_penalty(). A strength needs a copy of the volume, a list of its voxels (two), and a chunk of a noise
 * sample. Later it needs two sets of some views. Resolution kappa is a volume. Noise kappa is one, and the weights of
 * its voxels, from two sets of a subset's data. A threshold from the start takes such a copy and list before kappa. */
static host_parts host_penalty(const gt_memory_estimate *e, const gt_grid *grid, const gt_penalty_spec *o)
{
	const double view = e->host_data / (double)e->views;
	const size_t subset = (e->views + e->subsets - 1) / e->subsets;
	const int even = o->kappa == GT_KAPPA_NOISE, kappa = even || (o->kappa == GT_KAPPA_RESOLUTION && e->host_weights > 0);
	if (!o->automatic)
		return (host_parts){ o->edges ? 3 : kappa, 0, 0, 0 };
	const double some = 2 * view * (double)gt_strength_patch_views(e->views), subsets = even ? 2 * view * (double)subset : 0;
	return (host_parts){ 3 + kappa + even, fmax(some, subsets), e->host_data, gt_strength_patch_bytes(grid, o->noise > 0) };
}

static double beside_volumes(const host_parts *h) { return fmax(h->patches, fmax(h->pixels, chunk_of(h))); }

/* On a host backend, pixels coexist with one set of pixels and a volume of the device. */
static double making(const gt_memory_estimate *e, const gt_array *x, double volumes, const host_parts *h)
{
	const double factor = (double)gt_type_size(gt_array_type(x)) / sizeof(float);
	const double held = (double)(e->volume + e->data + e->weights + e->operators),
		     with_pixels = (double)gt_array_bytes(x) + fmax((factor + 1) * h->pixels, factor * h->sample + chunk_of(h));
	return volumes + (e->on_host ? fmax((double)e->penalty_peak, held + fmax(with_pixels, h->patches)) : beside_volumes(h));
}

void gt_memory_estimate_penalty(gt_memory_estimate *e, const gt_array *x, const gt_grid *grid, const gt_penalty_spec *o)
{
	if (!e)
		return;
	const gt_backend *be = gt_array_backend(x);
	const host_parts host = o ? host_penalty(e, grid, o) : (host_parts){ 0, 0, 0, 0 };
	const double volumes = host.volumes * bytes_of(gt_array_size(x));
	e->penalty = held(be) - e->volume - e->data - e->weights - e->operators;
	e->penalty_peak = counters(be).peak_bytes;
	e->host_strength = volumes + beside_volumes(&host);
	e->host_making = o ? making(e, x, volumes, &host) : 0;
}

void gt_memory_estimate_subsets(gt_memory_estimate *e, const gt_backend *be, const gt_subsets *s, int weighted, const gt_scan *scan)
{
	if (!e)
		return;
	e->views = scan->views;
	e->subsets = s->subsets;
	for (size_t k = 0; k < s->subsets; k++) {
		e->data += gt_array_bytes(s->b[k]);
		e->weights += s->w ? gt_array_bytes(s->w[k]) : 0;
	}
	e->operators = held(be) - e->volume - e->penalty - e->data - e->weights;
	const size_t largest = (scan->views + s->subsets - 1) / s->subsets;
	e->host_subset = s->subsets > 1 ? bytes_of(largest * scan->rows * scan->columns) : 0;
	e->host_weights = weighted ? bytes_of(gt_scan_size(scan)) : 0;
}

void gt_memory_estimate_solved(gt_memory_estimate *e, const gt_backend *be, size_t iterating, size_t best, double moved)
{
	if (!e)
		return;
	e->best_image = best;
	e->moved = moved;
	e->solver = iterating - held(be) - best;
}

double gt_memory_estimate_held(const gt_memory_estimate *e) { return e->host_projections + e->host_volume + e->host_weights; }

void gt_memory_estimate_close(gt_memory_estimate *e, const gt_backend *be)
{
	if (!e)
		return;
	e->peak = counters(be).peak_bytes;
	if (e->peak > e->free && e->peak > e->penalty_peak) { /* without memory a run has no best image */
		e->peak = e->peak - e->best_image > e->penalty_peak ? e->peak - e->best_image : e->penalty_peak;
		e->best_image = 0;
	}
	e->host_peak = gt_memory_estimate_held(e) + (e->on_host ? (double)e->peak : 0);
	/* One subset at a time is copied to the device, before the solver's memory is allocated and not during the
	 * strength search. */
	const double more = e->host_subset > e->host_strength ? e->host_subset : e->host_strength;
	const double early = e->host_peak + more - (e->on_host ? (double)(e->solver + e->best_image) : 0);
	e->host_peak = e->host_process + fmax(e->host_peak, fmax(early, gt_memory_estimate_held(e) + e->host_making));
}

void gt_memory_estimate_limit(gt_memory_estimate *e, double bytes)
{
	e->limited = bytes > 0;
	if (e->limited && bytes < (double)e->free)
		e->free = (size_t)bytes;
}

/* Fraction of the memory for the pages of open files. */
static const double for_pages = 0.1;

double gt_memory_estimate_room(const gt_memory_estimate *e) { return (1 - for_pages) * e->host_free; }

void gt_memory_estimate_spill(gt_memory_estimate *e, double arrays)
{
	const double over = e->host_peak - gt_memory_estimate_room(e);
	e->scratch = e->on_host && e->host_free >= 0 && over > 0 ? fmin(over, arrays) : 0;
}

static double in_memory(const gt_memory_estimate *e) { return e->host_peak - e->scratch; }

static int fits_device(const gt_memory_estimate *e) { return (e->on_host && !e->limited) || e->peak <= e->free; }

int gt_memory_estimate_fits(const gt_memory_estimate *e) { return fits_device(e) && (e->host_free < 0 || in_memory(e) <= e->host_free); }

/* Settings that fit ---------------------------------------------------------------- */

/* Adds "; --WHAT (X GiB)" to the list if that fits. */
static void offer(const gt_memory_dry_run *r, const gt_memory_variant *v, const gt_memory_estimate *asked, const char *what, char **list)
{
	gt_memory_estimate e = *asked;
	if (r->dry_run(r->self, v, &e) != GT_OK || !gt_memory_estimate_fits(&e))
		return;
	char *more = gt_text("%s%s%s (%s)", *list ? *list : "", *list ? ", or " : "", what,
	                     BYTES(e.on_host ? in_memory(&e) : (double)e.peak));
	free(*list);
	*list = more;
}

/* Same extent with fewer and larger voxels. */
static gt_grid coarser(const gt_grid *grid, double factor)
{
	gt_grid g = *grid;
	for (int a = 0; a < 3; a++) {
		const double length = (double)grid->n[a] * grid->pitch[a];
		const size_t n = (size_t)((double)grid->n[a] * factor);
		g.n[a] = n ? n : 1;
		char text[32];
		gt_snprintf(text, sizeof text, "%.4g", length / (double)g.n[a]);
		g.pitch[a] = gt_strtod(text, NULL);
	}
	return g;
}

enum { HALVINGS = 5 };

/* Offers the finest grid that fits, to 1/2^HALVINGS of the requested one along each axis. */
static void offer_grid(const gt_memory_dry_run *r, const gt_memory_estimate *asked, char **list)
{
	char text[256];
	double fits = 0, fails = 1;
	for (int i = 0; i < HALVINGS; i++) {
		const double middle = (fits + fails) / 2;
		const gt_grid g = coarser(r->grid, middle);
		gt_memory_estimate e = *asked;
		if (r->dry_run(r->self, &(gt_memory_variant){ .grid = &g }, &e) == GT_OK && gt_memory_estimate_fits(&e))
			fits = middle;
		else
			fails = middle;
	}
	if (!(fits > 0))
		return;
	const gt_grid g = coarser(r->grid, fits);
	gt_grid_print(&g, text, sizeof text);
	char *what = gt_text("--grid %s", text);
	if (what)
		offer(r, &(gt_memory_variant){ .grid = &g }, asked, what, list);
	free(what);
}

static const gt_param *find_param(const gt_param *p, const char *key)
{
	while (p && p->key && strcmp(p->key, key))
		p++;
	return p && p->key ? p : NULL;
}

/* Returns the method's options with another value of a parameter, malloc'ed; NULL if it has no such parameter. */
static void *options_with(const gt_method *m, const char *key, const char *value)
{
	const gt_param *param = m->solver ? find_param(m->solver->params, key) : NULL;
	void *options = param ? malloc(m->solver->options_size) : NULL;
	char text[64];
	if (!options)
		return NULL;
	memcpy(options, m->options, m->solver->options_size);
	snprintf(text, sizeof text, "%s=%s", key, value);
	if (gt_params_parse(m->solver->params, text, options) == GT_OK)
		return options;
	free(options);
	return NULL;
}

/* Estimates the run with n as the value of a parameter; 0: unknown. */
static int dry_run_with(const gt_memory_dry_run *r, const char *key, int n, gt_memory_estimate *e)
{
	char value[16];
	snprintf(value, sizeof value, "%d", n);
	void *options = options_with(r->method, key, value);
	const int told = options && r->dry_run(r->self, &(gt_memory_variant){ .options = options }, e) == GT_OK;
	free(options);
	return told;
}

/* Returns the largest value of this parameter below the requested one with which the run fits; 0: no value fits, or the
 * parameter does not determine the memory. */
static int max_that_fits(const gt_memory_dry_run *r, const gt_memory_estimate *asked, const gt_param *p)
{
	int fails, fits = p->min > 1 ? (int)p->min : 1;
	memcpy(&fails, (const char *)r->method->options + p->at, sizeof fails);
	gt_memory_estimate e = *asked;
	if (fails <= fits || !dry_run_with(r, p->key, fits, &e) || e.peak >= asked->peak || !gt_memory_estimate_fits(&e))
		return 0;
	while (fails - fits > 1) {
		const int middle = fits + (fails - fits) / 2;
		e = *asked;
		*(dry_run_with(r, p->key, middle, &e) && gt_memory_estimate_fits(&e) ? &fits : &fails) = middle;
	}
	return fits;
}

/* Offers fewer vectors for solvers with a parameter for their number. Fewer subsets save no memory. */
static void offer_vectors(const gt_memory_dry_run *r, const gt_memory_estimate *asked, char **list)
{
	for (const gt_param *p = r->method->solver ? r->method->solver->params : NULL; p && p->key; p++) {
		const int max = p->kind == GT_INT && strcmp(p->key, "subsets") ? max_that_fits(r, asked, p) : 0;
		char value[16];
		if (!max)
			continue;
		snprintf(value, sizeof value, "%d", max);
		void *options = options_with(r->method, p->key, value);
		char *what = gt_text("--solver %s:%s=%d", gt_method_name(r->method), p->key, max);
		if (what && options)
			offer(r, &(gt_memory_variant){ .options = options }, asked, what, list);
		free(what);
		free(options);
	}
}

int gt_memory_estimate_compare(const gt_memory_dry_run *r, const gt_memory_estimate *asked, size_t *with, size_t *without)
{
	void *yes = options_with(r->method, "keep", "yes"), *no = options_with(r->method, "keep", "no");
	gt_memory_estimate keeps = *asked, discards = *asked;
	const int ok = yes && no && r->dry_run(r->self, &(gt_memory_variant){ .options = yes }, &keeps) == GT_OK &&
	               r->dry_run(r->self, &(gt_memory_variant){ .options = no }, &discards) == GT_OK;
	*with = keeps.peak;
	*without = discards.peak;
	free(yes);
	free(no);
	return ok;
}

/* ", Y are free", or how a limit of the process comes to that; malloc'ed. */
static char *free_text(const gt_memory_dry_run *r, const gt_memory_estimate *e)
{
	if (r->host_limit > 0 && r->host_used > 0 && r->host_limit - r->host_used <= e->host_free)
		return gt_text(" in addition to the %s that the process holds, and the limit (--host-memory) is %s", BYTES(r->host_used),
		               BYTES(r->host_limit));
	return gt_text(", %s are free", BYTES(e->host_free));
}

char *gt_memory_estimate_explain(const gt_memory_dry_run *r, const gt_memory_estimate *e)
{
	char *list = NULL, *first = NULL, *text, *free_, word[512];
	void *no = options_with(r->method, "keep", "no");
	if (no) {
		char *what = gt_text("--solver %s:keep=no", gt_method_name(r->method));
		if (what)
			offer(r, &(gt_memory_variant){ .options = no }, e, what, &list);
		free(what);
	}
	free(no);
	offer_vectors(r, e, &list);
	if (r->method->solver && !fits_device(e) && !e->on_host) {
		char backend[48], what[64];
		snprintf(backend, sizeof backend, "stream:%s", e->backend);
		snprintf(what, sizeof what, "--backend %s", backend);
		offer(r, &(gt_memory_variant){ .backend = backend }, e, what, &list);
	}
	if (r->may_spill && r->method->solver && e->on_host && !(e->scratch > 0))
		offer(r, &(gt_memory_variant){ .spills = 1 }, e, "--scratch FOLDER", &list);
	if (r->is_double)
		offer(r, &(gt_memory_variant){ .single = 1 }, e, "--precision single", &list);
	offer_grid(r, e, &list);
	if (r->read_whole)
		first = gt_text("; %s is read as a whole, but %s runs by slabs from NetCDF: import it first: gantry import %s -o scan.nc",
		                r->read_whole, gt_method_name(r->method), gt_shell_word(r->read_whole, word, sizeof word));
	free_ = free_text(r, e);
	if (fits_device(e))
		text = gt_text("needs %s of memory%s; %s%s%s", BYTES(in_memory(e)), free_ ? free_ : "",
		               list ? "would fit: " : "no similar setting would fit", list ? list : "", first ? first : "");
	else
		text = gt_text("needs %s on %s, %s are free; %s%s%s", BYTES((double)e->peak), e->backend, BYTES((double)e->free),
		               list ? "would fit: " : "no grid would fit: the data alone need more", list ? list : "", first ? first : "");
	free(free_);
	free(first);
	free(list);
	return text;
}
