/* Decides everything that the settings left open: data, grid, method, projector, attenuation of water. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/consistency.h>
#include <gantry/array.h>
#include "analytic/consistency/conjugate.h"
#include "core/device/host_memory.h"
#include "core/device/prefetch.h"
#include "core/log.h"
#include "core/spec.h"
#include "core/text.h"
#include "core/try.h"
#include "io/plausibility.h"
#include "recon/choose.h"
#include "recon/modules.h"
#include "recon/negative_air.h"
#include "recon/recon.h"
#include "recon/truncation.h"
#include "team/team.h"

double gt_recon_host_free(const gt_recon_settings *s)
{
	const double available = gt_host_available();
	if (!(s->host_memory > 0))
		return available;
	return fmax(0, fmin(available < 0 ? INFINITY : available, s->host_memory - gt_host_used()));
}

double gt_recon_water(const gt_recon *r, const gt_projections *p)
{
	const double asked = r->set.water;
	if (asked > 0 && p->water > 0 && fabs(asked / p->water - 1) > 0.1)
		gt_notify(&r->on.log, GT_INFO, GT_ABOUT_CHOICE, "water: %g mm-1 as requested, instead of the %g that %s states", asked,
		          p->water, r->path ? r->path : "the scan");
	return asked > 0 ? asked : p->water > 0 ? p->water : GT_WATER_DEFAULT;
}

/* A checkpoint must not be one of the other files. */
static gt_status check_files(const gt_recon *r)
{
	char *const *text = r->set.text;
	const gt_checkpointing c = { .spec = text[GT_SET_CHECKPOINT] };
	const char *others[6];
	size_t n = 0;
	const char *const all[] = { r->path, text[GT_SET_DATA], text[GT_SET_OUTPUT], text[GT_SET_LIKE], gt_recon_init(&r->set) };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i])
			others[n++] = all[i];
	others[n] = NULL;
	return gt_checkpointing_check(&c, others);
}

/* Reports the settings of the preset, with the requested changes. */
static void report_preset(const gt_recon *r, const gt_preset_made *m)
{
	const char *name = gt_preset_names[r->set.preset];
	gt_notify(&r->on.log, GT_INFO, GT_ABOUT_CHOICE,
	          "--preset %s%s%s: --solver %s --weights %s --penalty %s; the remaining time is estimated after the first iteration", name,
	          m->changed ? ", changed by" : "", m->changed ? m->changed : "", m->solver, m->weights, m->penalty);
	if (m->is_replaced)
		gt_notify(&r->on.log, GT_INFO, GT_ABOUT_CHOICE, "--preset %s has no effect: solver, weights and penalty are all overridden",
		          name);
}

/* Permits negative voxels if the data contradict x >= 0 and nonneg= was not requested. */
static gt_status permit_negative(const gt_recon *r, const gt_projections *p, int planning, gt_preset_made *m)
{
	const char *own = gt_presets[r->set.preset].solver;
	const gt_negative_air air = gt_negative_air_of(p);
	const size_t n = strcspn(m->solver, ":");
	char *solver;
	if (!gt_negative_air_matters(&air) || strlen(own) != n || strncmp(own, m->solver, n) || strstr(m->solver, "nonneg"))
		return GT_OK;
	if (!(solver = gt_spec_with(m->solver, "nonneg=no")))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	free(m->solver);
	m->solver = solver;
	if (!planning)
		gt_notify(
			&r->on.log, GT_INFO, GT_ABOUT_CHOICE,
			"%.2g %% of the air has negative line integrals beyond the noise, mean %.2g: negative voxels are permitted (--solver "
			"%s:nonneg=yes forbids them)",
			100 * air.part, air.mean, own);
	return GT_OK;
}

/* Applies the settings of the preset that were not requested otherwise. */
static gt_status set_preset(gt_recon *r, const gt_projections *p, const gt_grid *grid, int planning)
{
	gt_recon_settings *s = &r->set;
	gt_recon_extent window;
	gt_preset_made made;
	const gt_preset_settings asked = { s->text[GT_SET_SOLVER], s->text[GT_SET_WEIGHTS], s->text[GT_SET_PENALTY] };
	gt_status st = GT_OK;
	gt_recon_extent_views(p, grid, &window);
	GT_TRY(gt_preset_make((gt_preset)s->preset, window.p.scan->views, &asked, &made));
	if (!made.solver)
		goto done;
	GT_TRY(permit_negative(r, p, planning, &made));
	if (!planning)
		report_preset(r, &made);
	GT_TRY(gt_method_parse(made.solver, &r->method));
	if (r->method.analytic)
		GT_TRY(gt_fail(GT_ERR_ARG,
		               "--preset=%s: %s is an analytic method, which takes neither its weights nor its penalty: expected "
		               "an iterative --solver, or --preset=fast",
		               gt_preset_names[s->preset], r->method.analytic->name));
	GT_TRY(gt_penalty_spec_parse(made.penalty, &r->penalty));
	GT_TRY(gt_weights_spec_parse(made.weights, &r->job.chosen.weights));
	r->penalty_text = made.penalty;
	made.penalty = NULL;
done:
	gt_preset_made_free(&made);
	return st;
}

/* Checks the data against the displacement of the detector, unless offset= decides. Replaces a method that was not
 * requested. */
static gt_status check_displaced(gt_recon *r, gt_method *m, int requested)
{
	const gt_projections *p = r->job.p;
	const char *offset = m->analytic ? gt_method_choice(m->analytic, m->options, "offset") : NULL;
	if (!offset || strcmp(offset, "auto") != 0)
		return GT_OK;
	gt_note_gap(&r->on.log, p->scan);
	const gt_status st = gt_check_displaced(m->analytic->name, p);
	return st == GT_ERR_UNSUPPORTED && !requested ? gt_method_instead(&r->on.log, p->scan, m) : st;
}

/* Takes the method of the settings, of the preset, or the default for the scan. */
static gt_status find_method(gt_recon *r, int planning)
{
	gt_recon_job *j = &r->job;
	size_t subsets;
	gt_status st = GT_OK;
	GT_TRY(set_preset(r, j->p, &j->chosen.grid, planning));
	const int made = r->penalty_text != NULL;
	if (!r->set.text[GT_SET_SOLVER] && !made)
		GT_TRY(gt_method_for(&r->on.log, &j->chosen.grid, j->p->scan, &r->method));
	GT_TRY(check_displaced(r, r->set.text[GT_SET_SOLVER] ? &r->set.method : &r->method, r->set.text[GT_SET_SOLVER] != NULL));
	j->chosen.method = r->set.text[GT_SET_SOLVER] && !made ? r->set.method : r->method;
	j->chosen.penalty = made ? &r->penalty : r->set.text[GT_SET_PENALTY] ? &r->set.penalty : NULL;
	if (j->chosen.method.solver)
		j->chosen.projector = gt_projector_for_grid(&r->on.log, r->set.text[GT_SET_PROJECTOR], &j->chosen.grid, j->p->scan);
	GT_TRY(gt_recon_settings_check(&r->set, &j->chosen.method, r->start != NULL));
	GT_TRY(gt_recon_count_subsets(&j->chosen.method, j->p->scan, &subsets));
done:
	return st;
}

/* Copies the settings that need no choice. */
static void begin_job(gt_recon *r)
{
	const gt_recon_settings *s = &r->set;
	r->job = (gt_recon_job){ .on = r->on,
		                 .with = { .backend = s->text[GT_SET_BACKEND],
		                           .split = s->text[GT_SET_SPLIT],
		                           .balance = s->balance,
		                           .reproducible = s->reproducible,
		                           .scratch = s->text[GT_SET_SCRATCH],
		                           .device_limit = s->device_memory },
		                 .chosen = { .grid_is_given = s->text[GT_SET_GRID] || s->text[GT_SET_LIKE] || r->grid_from || r->start ||
		                                              gt_recon_starts_from_file(gt_recon_init(s)),
		                             .init = gt_recon_init(s),
		                             .checkpoint = s->text[GT_SET_CHECKPOINT],
		                             .resume = s->text[GT_SET_RESUME],
		                             .command = s->text[GT_SET_COMMAND],
		                             .start = r->start,
		                             .type = s->precision ? GT_F64 : GT_F32,
		                             .margin = (gt_z_margin_mode)s->margin,
		                             .weights = s->weights,
		                             .stop = s->stop },
		                 .how = &gt_recon_computing,
		                 .name = r->path ? r->path : "the projections" };
}

static gt_status read_all(gt_recon *r)
{
	if (r->given) {
		r->job.p = r->given;
		return gt_recon_check_given(r);
	}
	const char *streams = gt_recon_streams(&r->job);
	gt_team_prefetch(streams ? streams : r->job.with.backend ? r->job.with.backend : "auto");
	const gt_status st = gt_recon_read(r, &r->on.log, 0, &r->owned);
	gt_backend_prefetch_end();
	r->job.p = r->owned;
	return st;
}

/* Returns the threads of cpu:THREADS; 0: one per processor. */
static int threads_asked(const char *backend)
{
	int threads = 0;
	return backend && sscanf(backend, "cpu:%d", &threads) == 1 && threads > 0 ? threads : 0;
}

/* A suggested command that corrects images also needs this command's options for images. */
static void report_with_options(void *self, const gt_message *m)
{
	const gt_recon *r = self;
	const int tries = strstr(m->text, "try: ") != NULL;
	gt_notify(&r->on.log, m->severity, m->subject, "%s%s", m->text, tries ? "; add the options for images of this command" : "");
}

static int is_images(const char *path)
{
	static const char *const names[] = { "frames", "nxtomo", "dataexchange" };
	const gt_format *format = NULL;
	int projections, is = 0;
	if (!path || gt_file_kind(path, &format, &projections) != GT_OK)
		return 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		is |= !strcmp(format->name, names[i]);
	return is;
}

/* Refuses values that are not line integrals; warns of inconsistent rays and outlier columns. */
static gt_status check_data(gt_recon *r)
{
	const char *data = r->set.text[GT_SET_DATA], *name = data ? data : r->path ? r->path : "the projections";
	const gt_projections *p = r->job.p;
	if (r->set.force)
		gt_projections_implausible(p, &r->on.log, name);
	const gt_status st = r->set.force ? GT_OK : gt_projections_plausible(p, name);
	if (st != GT_OK)
		return st;
	gt_projections_note_all(p, &r->on.log, name);
	const gt_listener with_options = { report_with_options, r };
	const int images = r->set.check && is_images(r->path);
	/* Readers of images compare the range of the angles themselves. */
	if (r->set.check && (data || !images))
		gt_note_range(&r->on.log, p);
	if (r->set.check && !data)
		gt_conjugate_move_assumed_axis(r->owned, &r->read, &r->on.log, r->path, threads_asked(r->job.with.backend));
	if (r->set.check)
		gt_conjugate_warn(p, images ? &with_options : &r->on.log, data ? NULL : r->path, threads_asked(r->job.with.backend));
	return GT_OK;
}

/* Returns 1 if a truncated object matters to the method: extend=none excludes it. */
static int is_extended(const gt_method *m)
{
	const char *extend = m->analytic ? gt_method_choice(m->analytic, m->options, "extend") : NULL;
	return !extend || strcmp(extend, "none") != 0;
}

static gt_status decide_whole(gt_recon *r, int planning)
{
	gt_recon_job *j = &r->job;
	size_t subsets;
	gt_status st = GT_OK;
	gt_mark_stage("reading");
	GT_TRY(read_all(r));
	gt_mark_stage("checks of the data");
	const gt_scan *scan = j->p->scan;
	gt_note_detector(&r->on.log, scan);
	GT_TRY(check_data(r));
	j->chosen.water = gt_recon_water(r, j->p);
	j->chosen.water_known = r->set.water > 0 || j->p->water > 0;
	if (!gt_presets[r->set.preset].solver) /* a preset has subsets for these views */
		GT_TRY(gt_recon_count_subsets(&r->set.method, scan, &subsets));
	GT_TRY(gt_recon_find_grid(r, &r->on.log, scan, &j->chosen.grid));
	GT_TRY(find_method(r, planning));
	gt_note_slices(&r->on.log, &j->chosen.grid, scan);
	GT_TRY(gt_recon_choose_outside(r));
	if (is_extended(&j->chosen.method))
		gt_note_body(&r->on.log, j->p, j->chosen.method.solver != NULL);
	gt_note_weights(&r->on.log, j->p);
done:
	return st;
}

gt_status gt_recon_decide(gt_recon *r, int planning)
{
	gt_status st = GT_OK;
	if (r->is_chosen)
		return GT_OK;
	gt_recon_undecide(r);
	/* The caller's projections are already allocated, and the estimate of the run counts them again. */
	r->host_free = gt_recon_host_free(&r->set);
	r->host_used = gt_host_used();
	r->host_peak = gt_host_peak();
	if (r->given && r->host_free >= 0)
		r->host_free += (double)gt_scan_size(r->given->scan) * sizeof(float);
	GT_TRY(gt_recon_settings_check(&r->set, &r->set.method, r->start != NULL));
	GT_TRY(check_files(r));
	begin_job(r);
	if (r->path)
		GT_TRY(gt_recon_choose_slabs(r, &r->by_slabs));
	if (!r->by_slabs)
		GT_TRY(decide_whole(r, planning));
	r->is_chosen = 1;
done:
	if (st != GT_OK)
		gt_recon_undecide(r);
	return st;
}
