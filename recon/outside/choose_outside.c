/* Chooses how the object outside the grid is treated. With enough views both modes are equally good, and the cost
 * decides. docs/measurements.md, "Regions inside the object", has the figures for the limits. */
#include <math.h>
#include <stdlib.h>
#include <gantry/analytic.h>
#include <gantry/author/constants.h>
#include <gantry/regularizer.h>
#include "core/log.h"
#include "core/partition/rank.h"
#include "core/text.h"
#include "core/try.h"
#include "recon/modules.h"
#include "recon/outside/subtract.h"
#include "recon/recon.h"
#include "recon/truncation.h"
#include "recon/weights/model_weights.h"
#include "team/process_group.h"

/* A grid widened to the object has at most this factor more voxels: then it is computed. */
#define MAX_WIDER 1.5
/* Views per rotation, as a fraction of pi/2 times the object's diameter in pixels. With fewer, streaks of the analytic
 * method outside the grid become errors inside it. */
#define MIN_SAMPLING 0.75

typedef struct {
	gt_recon *r;
	gt_recon_job *j;
	gt_object_box box;
	double wider, sampling; /* the figures of both limits */
	char *why_not;          /* owned: the reason against mode subtract; NULL: none */
} choice;

static gt_status add_reason(choice *c, const char *text)
{
	if (!c->why_not && !(c->why_not = gt_text("%s", text)))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	return GT_OK;
}

static void extent_with(const choice *c, gt_outside_mode mode, gt_recon_extent *e)
{
	const gt_outside o = { mode, c->box };
	const gt_listener silent = { NULL, NULL };
	const gt_z_margin_options margin = { c->j->chosen.margin, c->j->chosen.grid_is_given };
	gt_outside_extent(&o, c->j->p, &c->j->chosen.grid, e);
	gt_recon_extent_pad(&silent, &margin, e);
}

static double voxels_with(const choice *c, gt_outside_mode mode)
{
	gt_recon_extent e;
	extent_with(c, mode, &e);
	return (double)gt_grid_voxels(&e.grid);
}

/* The grid of the analytic method in mode subtract. */
static gt_grid grid_outside(const choice *c)
{
	const gt_outside o = { GT_OUTSIDE_SUBTRACT, c->box };
	const gt_z_margin_options margin = { c->j->chosen.margin, c->j->chosen.grid_is_given };
	gt_recon_extent e;
	gt_grid outside;
	extent_with(c, GT_OUTSIDE_SUBTRACT, &e);
	gt_outside_coarse_grid(&o, &margin, &e, &outside);
	return outside;
}

static double sampling_of(const choice *c)
{
	const gt_scan *s = c->j->p->scan;
	const gt_grid *g = &c->j->chosen.grid;
	const double voxel = sqrt(g->pitch[0] * g->pitch[1]), range = gt_scan_angular_range(s);
	double shadow[2];
	gt_voxel_shadow(s, g, shadow);
	const double pixel = shadow[0] > 0 ? voxel / shadow[0] : voxel;
	return (double)s->views * 2 * GT_PI / range / (GT_PI / 2 * c->box.diameter / fmax(pixel, voxel));
}

/* Finds the first reason against mode subtract. */
static gt_status find_obstacle(choice *c)
{
	const gt_recon_job *j = c->j;
	const gt_scan *s = j->p->scan;
	const gt_analytic *m = gt_analytic_for(s);
	const gt_grid outside = grid_outside(c);
	gt_analytic_coverage seen;
	gt_status st = GT_OK;
	if (c->box.is_truncated)
		GT_TRY(add_reason(c, "the detector is narrower than the object"));
	if (j->chosen.method.solver->traits & GT_NEEDS_WHOLE_DATA) {
		char *text = gt_text("%s needs the whole line integrals", j->chosen.method.solver->name);
		st = text ? add_reason(c, text) : gt_fail(GT_ERR_MEMORY, "out of memory");
		free(text);
		GT_TRY(st);
	}
	if (gt_analytic_supports(m, &outside, s) != GT_OK || gt_check_displaced(m->name, j->p) != GT_OK)
		GT_TRY(add_reason(c, "no analytic method fits the scan"));
	else if (gt_outside_coverage(s, &outside, &seen) != GT_OK || isfinite(seen.radius))
		GT_TRY(add_reason(c, "the pitch is too large for an analytic method there"));
done:
	return st;
}

/* A grid cut to the object has at most this fraction of the voxels; otherwise too little time is saved. */
#define MAX_CUT 0.8

/* Cuts a grid that the object fills in part: c->box holds all that attenuates. */
static void choose_air(choice *c, int is_named)
{
	const gt_object_box *b = &c->box;
	gt_outside *o = &c->j->chosen.outside;
	const double part = voxels_with(c, GT_OUTSIDE_AIR) / voxels_with(c, GT_OUTSIDE_NO);
	if (!is_named && (b->is_truncated || part > MAX_CUT))
		return;
	*o = (gt_outside){ GT_OUTSIDE_AIR, *b };
	gt_notify(&c->r->on.log, GT_INFO, GT_ABOUT_CHOICE,
	          "the object spans x %.4g to %.4g, y %.4g to %.4g mm: voxels beyond are air, set to 0 and not computed; %.2g of the "
	          "voxels remain (--outside no computes all)",
	          b->low[0], b->high[0], b->low[1], b->high[1], part);
}

/* Finds the first reason why subtraction is less accurate than the widened grid; NULL: none. The analytic method of
 * helices is less accurate than the analytic method of circles: subtracted errors remain in the region. */
static const char *inaccurate(const choice *c)
{
	if (!(c->sampling >= MIN_SAMPLING))
		return "too few views for an analytic method there";
	if (gt_scan_is_helical(c->j->p->scan))
		return "an analytic method is less accurate on a helix";
	if (c->j->chosen.method.solver->traits & GT_AMPLIFIES_INCONSISTENCY)
		return "the solver amplifies errors of a subtracted object";
	return NULL;
}

static gt_outside_mode automatic(const choice *c)
{
	return c->why_not || c->wider <= MAX_WIDER || inaccurate(c) ? GT_OUTSIDE_GRID : GT_OUTSIDE_SUBTRACT;
}

/* 1: the widened grid fits into the memory of all processes of the team. */
static int grid_fits(const choice *c)
{
	const int fits = gt_recon_fits(c->r, c->j);
	return gt_processes_are_spec(c->j->with.backend) ? gt_group_all(fits) : fits;
}

/* why: reason against the widened grid; NULL: the cost alone. */
static void report_subtracted(const choice *c, const char *why)
{
	const gt_object_box *b = &c->box;
	gt_notify(&c->r->on.log, GT_INFO, GT_ABOUT_CHOICE,
	          "the object extends outside the grid (x %.4g to %.4g, y %.4g to %.4g mm): %s reconstructs it there, and its projections "
	          "are subtracted from the data%s%s (--outside grid widens the grid)",
	          b->low[0], b->high[0], b->low[1], b->high[1], gt_analytic_for(c->j->p->scan)->name, why ? "; " : "", why ? why : "");
}

static void report_widened(const choice *c, const char *why)
{
	const gt_object_box *b = &c->box;
	gt_recon_extent e;
	gt_outside_extent(&c->j->chosen.outside, c->j->p, &c->j->chosen.grid, &e);
	gt_notify(&c->r->on.log, GT_INFO, GT_ABOUT_CHOICE,
	          "the object extends outside the grid (x %.4g to %.4g, y %.4g to %.4g mm): %zu and %zu more voxels along x and y are "
	          "computed and not written, %.3g times the voxels%s%s (--outside no omits them)",
	          b->low[0], b->high[0], b->low[1], b->high[1], e.grid.n[0] - c->j->chosen.grid.n[0], e.grid.n[1] - c->j->chosen.grid.n[1],
	          voxels_with(c, GT_OUTSIDE_GRID) / voxels_with(c, GT_OUTSIDE_NO), why ? "; " : "", why ? why : "");
}

/* NULL: the cost alone. */
static const char *reason_for_grid(const choice *c) { return c->why_not || c->wider <= MAX_WIDER ? c->why_not : inaccurate(c); }

static gt_status choose(choice *c)
{
	const int asked = c->r->set.outside;
	gt_outside *o = &c->j->chosen.outside;
	gt_status st = GT_OK;
	GT_TRY(find_obstacle(c));
	if (asked == GT_OUTSIDE_SUBTRACT && c->why_not)
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "outside=subtract: %s: expected outside=grid, or auto", c->why_not));
	c->wider = voxels_with(c, GT_OUTSIDE_GRID) / voxels_with(c, GT_OUTSIDE_SUBTRACT);
	c->sampling = sampling_of(c);
	*o = (gt_outside){ asked == GT_OUTSIDE_AUTO ? automatic(c) : (gt_outside_mode)asked, c->box };
	const int is_short = asked == GT_OUTSIDE_AUTO && o->mode == GT_OUTSIDE_GRID && !c->why_not && c->sampling >= MIN_SAMPLING &&
	                     !grid_fits(c);
	if (is_short)
		o->mode = GT_OUTSIDE_SUBTRACT;
	if (o->mode == GT_OUTSIDE_SUBTRACT)
		report_subtracted(c, is_short ? "the widened grid does not fit into memory" : NULL);
	else
		report_widened(c, asked == GT_OUTSIDE_GRID ? NULL : reason_for_grid(c));
done:
	return st;
}

/* The strength and the values of such penalties belong to the grid of a file. */
static int penalty_has_file(const gt_recon_job *j) { return j->chosen.penalty && gt_penalty_has_file(j->chosen.penalty->spec); }

gt_status gt_recon_choose_outside(gt_recon *r)
{
	choice c = { .r = r, .j = &r->job };
	const int asked = r->set.outside, is_named = asked != GT_OUTSIDE_AUTO && asked != GT_OUTSIDE_NO;
	const int may_cut = asked == GT_OUTSIDE_AIR || (asked == GT_OUTSIDE_AUTO && gt_presets[r->set.preset].solver);
	gt_status st = GT_OK;
	r->job.chosen.outside = (gt_outside){ .mode = GT_OUTSIDE_NO };
	if (!r->job.chosen.method.solver)
		return is_named ? gt_fail(GT_ERR_ARG,
		                          "outside=%s: %s is an analytic method, which may cut the object: expected an iterative --solver",
		                          gt_outside_names[asked], gt_method_name(&r->job.chosen.method))
		                : GT_OK;
	const int is_bounded = gt_object_box_find(r->job.p, GT_ROUGH_AIR, &c.box), has_file = penalty_has_file(&r->job);
	if (is_named && (!is_bounded || has_file))
		return gt_fail(GT_ERR_UNSUPPORTED, "outside=%s: %s: expected outside=no", gt_outside_names[asked],
		               has_file ? "the penalty takes a file on the grid" : "the projections do not bound the object");
	if (asked == GT_OUTSIDE_NO || !is_bounded || has_file)
		gt_note_sides(&r->on.log, &r->job.chosen.grid, r->job.p);
	else if (gt_outside_ends_inside(&c.box, &r->job.chosen.grid))
		st = asked != GT_OUTSIDE_AIR
		             ? choose(&c)
		             : gt_fail(GT_ERR_UNSUPPORTED,
		                       "outside=air: the grid ends inside the object: expected outside=auto, subtract or grid");
	else if (may_cut && gt_object_box_find(r->job.p, GT_CLEAN_AIR, &c.box))
		choose_air(&c, asked == GT_OUTSIDE_AIR);
	free(c.why_not);
	return st;
}

gt_status gt_recon_ignore_outside(gt_recon *r)
{
	const int asked = r->set.outside;
	if (asked != GT_OUTSIDE_AUTO && asked != GT_OUTSIDE_NO)
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"outside=%s: several scans are reconstructed together: expected outside=no, and a grid that holds the object",
			gt_outside_names[asked]);
	if (gt_outside_is_active(&r->job.chosen.outside) && r->job.chosen.outside.mode != GT_OUTSIDE_AIR)
		gt_note_sides(&r->on.log, &r->job.chosen.grid, r->job.p);
	r->job.chosen.outside.mode = GT_OUTSIDE_NO;
	return GT_OK;
}
