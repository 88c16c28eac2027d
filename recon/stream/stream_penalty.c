/* A penalty on a host volume, computed on the device slab by slab with adjacent slices. If the terms of a voxel extend
 * only to the next slice, gradients of a slab with one slice on either side are exact. Sums over slabs with the slice
 * above count that slice's own terms twice, so the slice's own sum is subtracted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "core/device/backend.h"
#include "core/device/upload.h"
#include "core/log.h"
#include "core/module.h"
#include "core/spec.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/stream/stream_impl.h"
#include "recon/team/team_split.h"

enum { INPUTS = 3, X = 0, P, KAPPA };              /* arrays side by side in a block */
static const size_t max_bytes = (size_t)256 << 20; /* per slab; larger ones are not faster */

struct slabwise {
	struct gt_penalty_ops ops;
	gt_stream *s;
	char *spec;
	gt_array *kappa;            /* on the host; NULL: 1 */
	size_t plane, slices, slot; /* slot: bytes of one array in a block, with adjacent slices */
};

/* Computed slices, and the slices they depend on. */
struct piece {
	gt_range own, seen;
};

static size_t slices_of(const struct slabwise *o) { return o->s->grid.n[2]; }
static size_t slabs(const struct slabwise *o) { return (slices_of(o) + o->slices - 1) / o->slices; }

static struct piece piece(const struct slabwise *o, size_t slab, int below)
{
	const size_t first = slab * o->slices, end = first + o->slices < slices_of(o) ? first + o->slices : slices_of(o);
	const size_t from = below && first ? first - 1 : first, to = end < slices_of(o) ? end + 1 : end;
	return (struct piece){ { first, end - first }, { from, to - from } };
}

static char *at(const struct slabwise *o, const gt_array *a, size_t slice)
{
	return (char *)gt_array_data(a) + slice * o->plane * gt_type_size(o->s->type);
}

static void send(const struct slabwise *o, const gt_array *const host[INPUTS], const struct piece *p)
{
	const size_t bytes = p->seen.n * o->plane * gt_type_size(o->s->type);
	for (size_t i = 0; i < INPUTS; i++)
		if (host[i])
			gt_stream_up(o->s, o->s->slabs, i * o->slot, at(o, host[i], p->seen.first), 1, bytes, bytes);
}

/* The penalty on some slices of the block, and its inputs. The penalty copies kappa. */
struct there {
	gt_penalty *R;
	gt_array *in[INPUTS];
};

static void leave(struct there *t)
{
	gt_penalty_free(t->R);
	for (int i = 0; i < INPUTS; i++)
		gt_array_free(t->in[i]);
}

static gt_status enter(const struct slabwise *o, const gt_array *const host[INPUTS], const struct piece *p, gt_range of, struct there *t)
{
	const gt_stream *s = o->s;
	const gt_grid g = gt_grid_slab(&s->grid, (gt_range){ p->seen.first + of.first, of.n });
	const char *block = gt_upload_block(s->slabs);
	const size_t first = of.first * o->plane * gt_type_size(s->type);
	gt_status st = GT_OK;
	*t = (struct there){ .R = NULL };
	for (size_t i = 0; i < INPUTS; i++)
		if (host[i])
			GT_TRY(gt_array_wrap(s->device, s->type, of.n * o->plane, (char *)block + i * o->slot + first, &t->in[i]));
	GT_TRY(gt_regularizer_new(o->spec, s->device, s->type, &g, t->in[KAPPA], &t->R));
done:
	if (st != GT_OK)
		leave(t);
	return st;
}

/* Passes failures of the device to the host's backend, which solvers check. */
static void pass_failure(const struct slabwise *o, gt_status st)
{
	if (st == GT_OK)
		st = gt_backend_status(o->s->device);
	if (st != GT_OK)
		gt_backend_fail(o->s->host, st);
}

/* 1: the array covers the whole volume. */
static int fits(const struct slabwise *o, const gt_array *a)
{
	if (a && (gt_array_size(a) != gt_grid_voxels(&o->s->grid) || gt_array_type(a) != o->s->type))
		gt_backend_fail(o->s->host,
		                gt_fail(GT_ERR_ARG, "%s: an array of %zu %s values, expected %zu of %s", o->ops.name, gt_array_size(a),
		                        gt_type_name(gt_array_type(a)), gt_grid_voxels(&o->s->grid), gt_type_name(o->s->type)));
	return gt_backend_known(o->s->host) == GT_OK;
}

/* Sums --------------------------------------------------------------------------- */

/* Adds two sums of some slices; the value if p is NULL. */
static gt_status add_sums(const struct slabwise *o, const gt_array *const host[INPUTS], const struct piece *p, gt_range of, double a,
                          double sign, double sum[2])
{
	struct there t;
	double found[2] = { 0, 0 };
	const gt_status st = enter(o, host, p, of, &t);
	if (st != GT_OK)
		return st;
	if (host[P])
		gt_penalty_line(t.R, t.in[X], t.in[P], a, &found[0], &found[1]);
	else
		found[0] = gt_penalty_value(t.R, t.in[X]);
	leave(&t);
	for (int i = 0; i < 2; i++)
		sum[i] += sign * found[i];
	return GT_OK;
}

static void sums(const struct slabwise *o, const gt_array *x, const gt_array *p, double a, double sum[2])
{
	const gt_array *const host[INPUTS] = { x, p, o->kappa };
	gt_status st = GT_OK;
	sum[0] = sum[1] = 0;
	for (size_t k = 0; fits(o, x) && fits(o, p) && k < slabs(o); k++) {
		const struct piece slab = piece(o, k, 0);
		send(o, host, &slab);
		GT_TRY(add_sums(o, host, &slab, (gt_range){ 0, slab.seen.n }, a, 1, sum));
		if (slab.seen.n > slab.own.n)
			GT_TRY(add_sums(o, host, &slab, (gt_range){ slab.own.n, 1 }, a, -1, sum));
		gt_upload_turn(o->s->slabs);
	}
done:
	pass_failure(o, st);
	if (gt_backend_known(o->s->host) != GT_OK)
		sum[0] = sum[1] = NAN;
}

static double value(void *self, const gt_array *x)
{
	double sum[2];
	sums(self, x, NULL, 0, sum);
	return sum[0];
}

static void line(void *self, const gt_array *x, const gt_array *p, double a, double *slope, double *curvature)
{
	double sum[2];
	sums(self, x, p, a, sum);
	*slope = sum[0];
	*curvature = sum[1];
}

/* Gradients ------------------------------------------------------------------------ */

/* Adds a slab's own slices of `from` to the slices of `to`. */
static void bring(const struct slabwise *o, const gt_array *from, const struct piece *p, gt_array *to)
{
	gt_array *own = NULL;
	if (gt_array_part(from, (p->own.first - p->seen.first) * o->plane, p->own.n * o->plane, &own) == GT_OK)
		gt_stream_down(o->s, own, at(o, to, p->own.first), 1);
	gt_array_free(own);
}

/* g: NULL for the majorizer alone, which does not need x. */
static gt_status add_gradient(const struct slabwise *o, const gt_array *const host[INPUTS], const struct piece *p, gt_array *g, gt_array *d)
{
	gt_array *sum[2] = { NULL, NULL };
	struct there t = { .R = NULL };
	gt_status st = GT_OK;
	GT_TRY(gt_array_part(o->s->sum[0], 0, p->seen.n * o->plane, &sum[0]));
	GT_TRY(gt_array_part(o->s->part[0], 0, p->seen.n * o->plane, &sum[1]));
	GT_TRY(enter(o, host, p, (gt_range){ 0, p->seen.n }, &t));
	if (g)
		gt_fill(0, sum[0]);
	if (d)
		gt_fill(0, sum[1]);
	if (g)
		gt_penalty_gradient(t.R, t.in[X], sum[0], d ? sum[1] : NULL);
	else
		gt_penalty_majorize(t.R, sum[1]);
	gt_upload_turn(o->s->slabs);
	if (g)
		bring(o, sum[0], p, g);
	if (d)
		bring(o, sum[1], p, d);
done:
	leave(&t);
	gt_array_free(sum[0]);
	gt_array_free(sum[1]);
	return st;
}

static void gradients(const struct slabwise *o, const gt_array *x, gt_array *g, gt_array *d)
{
	const gt_array *const host[INPUTS] = { x, NULL, o->kappa };
	gt_status st = GT_OK;
	for (size_t k = 0; fits(o, x) && fits(o, g) && fits(o, d) && k < slabs(o); k++) {
		const struct piece slab = piece(o, k, 1);
		send(o, host, &slab);
		GT_TRY(add_gradient(o, host, &slab, g, d));
	}
done:
	pass_failure(o, st);
}

static void gradient(void *self, const gt_array *x, gt_array *g, gt_array *d) { gradients(self, x, g, d); }
static void majorize(void *self, gt_array *d) { gradients(self, NULL, NULL, d); }

/* Making ------------------------------------------------------------------------------ */

static void destroy(void *self)
{
	struct slabwise *o = self;
	gt_array_free(o->kappa);
	gt_stream_free(o->s);
	free(o->spec);
	free(o);
}

/* Returns the slices of a slab: a block holds three arrays with adjacent slices. 0: it is too small. */
static size_t slices_in(const gt_stream *s, size_t plane)
{
	const size_t space = s->slab / INPUTS / plane, some = max_bytes / plane > 3 ? max_bytes / plane : 3;
	return space < 3 ? 0 : (space < some ? space : some) - 2;
}

/* 1: the penalty reads a file for the whole volume, not for a slab. */
static int has_map(const char *spec)
{
	const char *values = gt_spec_cut(spec).values;
	return values && (!strncmp(values, "map=", 4) || strstr(values, ",map="));
}

/* 1: the device supports the penalty, whose terms extend only to the next slice. */
static int is_near(const gt_stream *s, const char *spec, struct gt_penalty_ops *ops, int *convex)
{
	const gt_grid thin = gt_grid_slab(&s->grid, (gt_range){ 0, 1 });
	const gt_module *module = NULL;
	void *options = NULL;
	gt_penalty *R = NULL;
	const gt_status st = gt_module_parse_kind(&gt_regularizer_kind, spec, &module, &options);
	const gt_regularizer *r = (const gt_regularizer *)module;
	free(options);
	if (st != GT_OK || !r->neighbours_only || has_map(spec) || gt_regularizer_new(spec, s->device, s->type, &thin, NULL, &R) != GT_OK)
		return 0;
	*ops = (struct gt_penalty_ops){ .name = r->name, .value = value, .gradient = gradient, .majorize = majorize, .free = destroy };
	if (gt_penalty_has(R) & GT_HAS_LINE)
		ops->line = line;
	*convex = gt_penalty_is_convex(R);
	gt_penalty_free(R);
	return 1;
}

gt_status gt_stream_penalty(gt_stream *s, const char *spec, const gt_array *kappa, gt_penalty **R)
{
	const size_t plane = s->grid.n[0] * s->grid.n[1], each = gt_type_size(s->type), slices = slices_in(s, plane * each);
	int convex = 1;
	gt_status st = GT_OK;
	struct slabwise *o = calloc(1, sizeof *o);
	if (!o)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	if (!slices || !is_near(s, spec, &o->ops, &convex)) {
		free(o);
		return gt_regularizer_new(spec, s->host, s->type, &s->grid, kappa, R);
	}
	o->s = s;
	s->users++;
	o->plane = plane;
	o->slices = slices;
	o->slot = (slices + 2) * plane * each;
	if (!(o->spec = strdup(spec)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	gt_notify(s->log, GT_INFO, GT_ABOUT_CHOICE, "%s computes the penalty '%s' too, %zu slices at a time", gt_backend_name(s->device),
	          o->ops.name, slices);
	if (kappa) {
		GT_TRY(gt_array_like(kappa, &o->kappa));
		gt_copy(kappa, o->kappa);
	}
	return gt_penalty_new(&o->ops, o, s->host, s->type, gt_grid_voxels(&s->grid), convex, R);
done:
	destroy(o);
	return st;
}
