/* Runs by slabs for volumes larger than memory: decision, cut, and run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "analytic/consistency/conjugate.h"
#include "analytic/fbp/slab.h"
#include "core/log.h"
#include "core/text.h"
#include "core/try.h"
#include "geometry/detector_edges.h"
#include "io/slice_writer.h"
#include "recon/choose.h"
#include "recon/modules.h"
#include "recon/recon.h"
#include "recon/truncation.h"
#include "team/team.h"

/* Text within one expression. */
#define BYTES(n) gt_bytes_text(n, (char[GT_BYTES_TEXT]){ 0 })

static const char *const kept_texts[] = { "read again for each slab", "kept in memory", "kept in a scratch file" };

/* Scans that the direct method does not support are left to the run in memory, which reports the reason. */
static int goes_by_slabs(const gt_recon *r, const gt_method *m)
{
	const gt_recon_settings *s = &r->set;
	const int plain = !s->text[GT_SET_PENALTY] && !s->text[GT_SET_STOP] && !s->text[GT_SET_CHECKPOINT] && !s->text[GT_SET_RESUME] &&
	                  !r->start;
	return m->analytic && gt_slab_plan_supports(m->analytic) && plain && !strcmp(gt_recon_init(s), "auto") &&
	       (s->weights.kind == GT_WEIGHTS_AUTO || s->weights.kind == GT_WEIGHTS_UNIFORM);
}

/* Takes the method of the settings, else the default for the scan. A run in memory chooses again and reports it. */
static gt_status method_of(gt_recon *r, const gt_scan *scan, gt_method *m)
{
	static const gt_listener no_log = { NULL, NULL };
	const gt_analytic *direct = gt_analytic_for(scan);
	if (r->set.text[GT_SET_SOLVER]) {
		*m = r->set.method;
		return GT_OK;
	}
	const gt_status st = gt_slab_plan_supports(direct) ? gt_method_for(&no_log, NULL, scan, &r->method)
	                                                   : gt_method_parse(direct->name, &r->method);
	*m = r->method;
	return st;
}

/* Files that are read as a whole, or not at all, are left to the run in memory, which reports the reason. */
enum { IN_PIECES, AS_A_WHOLE, NOT_AT_ALL };
static int how_read(const char *path)
{
	const gt_format *format;
	int projections;
	return gt_file_kind(path, &format, &projections) != GT_OK ? NOT_AT_ALL : format->open_views ? IN_PIECES : AS_A_WHOLE;
}

/* Refuses settings that would have no effect. On one device --scratch may also hold arrays of iterations. */
static gt_status only_by_slabs(const gt_recon *r, const char *what, const char *how)
{
	const gt_recon_settings *s = &r->set;
	const int iterates = (s->preset == GT_PRESET_ITERATIVE || s->method.solver) && !gt_recon_is_team(&r->job);
	const char *option = s->slabs                               ? "slabs=yes"
	                     : !s->overlap                          ? "--no-overlap"
	                     : s->keep != GT_VIEW_CACHE_AUTO        ? "--keep"
	                     : s->text[GT_SET_SCRATCH] && !iterates ? "--scratch"
	                                                            : NULL;
	return option ? gt_fail(GT_ERR_ARG, "%s: only for reconstruction by slabs, and '%s' %s", option, what, how) : GT_OK;
}

typedef struct {
	gt_view_reader *reader;
	float *view;
	size_t rows;
} view_of_file;

static gt_status read_view(void *self, size_t view, const float **values)
{
	view_of_file *f = self;
	*values = f->view;
	return gt_view_reader_read(f->reader, view, 1, 0, f->rows, f->view);
}

/* As check_displaced() in decide.c, but of views that stay in the file. */
static gt_status check_displaced(const gt_recon *r, const gt_method *m, const gt_scan *scan, const char *data)
{
	const char *offset = gt_method_choice(m->analytic, m->options, "offset");
	view_of_file f = { .rows = scan->rows };
	gt_status st = GT_OK;
	if (!offset || strcmp(offset, "auto") != 0)
		return GT_OK;
	gt_note_gap(&r->on.log, scan);
	if (!gt_displaced_is_open(scan))
		return GT_OK;
	if (!(f.view = malloc(scan->rows * scan->columns * sizeof *f.view)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", data));
	GT_TRY(gt_view_reader_open(data, &r->read, scan, &f.reader));
	st = gt_displaced_check(m->analytic->name, scan, &(gt_view_values){ read_view, &f });
done:
	gt_view_reader_close(f.reader);
	free(f.view);
	return st;
}

static gt_status decide(gt_recon *r, const gt_scan *scan)
{
	gt_recon_job *j = &r->job;
	gt_status st = GT_OK;
	if (r->set.text[GT_SET_OUTPUT])
		GT_TRY(gt_fail_in(gt_can_write_slices(r->set.text[GT_SET_OUTPUT]), "by slabs"));
	if (r->set.check && !r->set.text[GT_SET_DATA])
		gt_conjugate_move_assumed_axis(r->owned, &r->read, &r->on.log, r->path, 0);
	GT_TRY(gt_recon_find_grid(r, &r->on.log, scan, &j->chosen.grid));
	gt_note_slices(&r->on.log, &j->chosen.grid, scan);
	gt_note_detector(&r->on.log, scan);
	j->chosen.water = gt_recon_water(r, j->p);
	j->chosen.water_known = r->set.water > 0 || j->p->water > 0;
done:
	return st;
}

gt_status gt_recon_choose_slabs(gt_recon *r, int *by_slabs)
{
	static const gt_listener no_log = { NULL, NULL };
	const char *data = r->set.text[GT_SET_DATA] ? r->set.text[GT_SET_DATA] : r->path;
	gt_recon_job *j = &r->job;
	gt_status st = GT_OK;
	*by_slabs = 0;
	if (gt_recon_is_team(j))
		return only_by_slabs(r, "several devices", "compute all at once");
	if (r->set.preset == GT_PRESET_ITERATIVE)
		return only_by_slabs(r, "--preset iterative", "computes all at once");
	if (r->set.text[GT_SET_VIEWS])
		return only_by_slabs(r, "--views", "reads all that it takes at once");
	const int how = how_read(data);
	if (how != IN_PIECES)
		return how == AS_A_WHOLE ? only_by_slabs(r, data, "is of a format that is read as a whole") : GT_OK;
	GT_TRY(gt_recon_read(r, &no_log, 1, &r->owned));
	j->p = r->owned;
	GT_TRY(method_of(r, r->owned->scan, &j->chosen.method));
	if (!goes_by_slabs(r, &j->chosen.method)) {
		st = only_by_slabs(r, gt_method_name(&j->chosen.method), "computes all at once");
		goto done;
	}
	GT_TRY(gt_recon_find_grid(r, &no_log, r->owned->scan, &j->chosen.grid));
	*by_slabs = r->set.slabs || !r->set.overlap || !gt_recon_fits(r, j);
	if (*by_slabs)
		GT_TRY(decide(r, r->owned->scan));
	if (*by_slabs)
		st = check_displaced(r, &j->chosen.method, r->owned->scan, data);
	/* In memory, another method replaces one that was not requested. */
	if (st == GT_ERR_UNSUPPORTED && !r->set.text[GT_SET_SOLVER]) {
		*by_slabs = 0;
		st = only_by_slabs(r, j->chosen.method.analytic->name, "does not take the displaced detector");
	}
done:
	if (st != GT_OK || !*by_slabs) {
		gt_recon_undecide(r);
		j->p = NULL;
		j->chosen.method = (gt_method){ 0 };
	}
	return st;
}

static int show(void *self, const gt_slab_progress *p)
{
	gt_recon *r = self;
	char text[128];
	snprintf(text, sizeof text, "slab %zu/%zu  read %.0f MB/s  back %.3g GUPS  write %.0f MB/s", p->slab + 1, p->slabs,
	         p->read / p->seconds / 1e6, p->updates / p->seconds / 1073741824, p->written / p->seconds / 1e6);
	return gt_recon_report(&r->job, GT_RECON_SLAB, p->done, text);
}

static gt_slab_case case_of(gt_recon *r)
{
	const gt_recon_job *j = &r->job;
	return (gt_slab_case){ .log = &r->on.log,
		               .progress = show,
		               .progress_self = r,
		               .backend = j->with.backend,
		               .type = j->chosen.type,
		               .method = j->chosen.method.analytic,
		               .options = j->chosen.method.options,
		               .scan = j->p->scan,
		               .grid = &j->chosen.grid,
		               .data = r->set.text[GT_SET_DATA] ? r->set.text[GT_SET_DATA] : r->path,
		               .read = &r->read,
		               .keep = (gt_view_cache_place)r->set.keep,
		               .scratch = r->set.text[GT_SET_SCRATCH],
		               .device_limit = r->set.device_memory,
		               .host_limit = r->set.host_memory,
		               .hu = r->set.unit == GT_HU,
		               .alone = !r->set.overlap,
		               .force = r->set.force };
}

static gt_status open_slabs(gt_recon *r, const gt_slab_case *c, gt_slab_job *s)
{
	gt_slab_cut *cut = &r->slabs.plan;
	gt_status st = GT_OK;
	gt_recon_forget(r);
	GT_TRY(gt_slab_job_open(c, s));
	gt_backend_poll(s->be, r->on.cancel, r->on.cancel_self);
	snprintf(r->slabs.backend, sizeof r->slabs.backend, "%s", gt_backend_name(s->be));
	gt_method_note_form(&r->on.log, c->method, c->options, s->be);
	GT_TRY(gt_slab_job_choose(s, cut));
	gt_notify(&r->on.log, GT_INFO, GT_ABOUT_MEMORY,
	          "by slabs: %zu of %zu slices, %zu views of at most %zu rows at a time: %s on %s, %s of memory in all, "
	          "and %s in reserve%s%s",
	          cut->slabs, cut->slices, cut->batch, cut->rows, BYTES(cut->device), gt_backend_name(s->be),
	          BYTES(cut->process - cut->reserve), BYTES(cut->reserve), cut->slabs > 1 ? "; projections are " : "",
	          cut->slabs > 1 ? kept_texts[cut->kept] : "");
done:
	return st;
}

gt_status gt_recon_plan_slabs(gt_recon *r)
{
	const gt_slab_case c = case_of(r);
	gt_slab_job s = { .c = &c };
	const gt_status st = open_slabs(r, &c, &s);
	gt_slab_job_close(&s);
	return st;
}

static gt_status write(gt_recon *r, const gt_slab_job *s, const char *path, const gt_write_options *o)
{
	gt_write_options w = *o;
	gt_volume *head = NULL;
	gt_slice_writer *out = NULL;
	gt_status st = GT_OK;
	if (r->set.text[GT_SET_UNIT])
		w.unit = (gt_unit)r->set.unit;
	w.water = r->job.chosen.water;
	if (!w.notes.say)
		w.notes = r->on.log;
	snprintf(r->found.backend, sizeof r->found.backend, "%s", r->slabs.backend);
	GT_TRY(gt_volume_wrap(&r->job.chosen.grid, NULL, NULL, NULL, &head));
	GT_TRY(gt_recon_record(r, head));
	if (gt_recon_report(&r->job, GT_RECON_WRITES, 0, path))
		GT_TRY(gt_fail(GT_STOPPED, "stopped before %s was written", path));
	GT_TRY(gt_slice_writer_create(path, &w, head, &out));
	if (gt_recon_report(&r->job, GT_RECON_SLAB, 0, NULL))
		GT_TRY(gt_fail(GT_STOPPED, "stopped before the first slab"));
	GT_TRY(gt_slab_pipeline(s, out, &r->slabs));
	st = gt_slice_writer_commit(out);
	out = NULL;
done:
	gt_slice_writer_drop(out);
	gt_volume_free(head);
	return st;
}

gt_status gt_recon_run_slabs(gt_recon *r, const char *path, const gt_write_options *o)
{
	const gt_slab_case c = case_of(r);
	gt_slab_job s = { .c = &c };
	gt_status st = GT_OK;
	GT_TRY(gt_fail_in(gt_can_write_slices_as(path, o), "by slabs"));
	GT_TRY(open_slabs(r, &c, &s));
	GT_TRY(write(r, &s, path, o));
	r->found.seconds = r->slabs.whole;
	r->found.device_peak = r->slabs.device_peak;
	r->has_run = 1;
done:
	gt_slab_job_close(&s);
	return st;
}

gt_status gt_recon_slabs_result(const gt_recon *r, gt_recon_slabs *out)
{
	if (!r || r->tag != GT_IS_RECON || !out || out->size < sizeof out->size)
		return gt_fail(GT_ERR_ARG, "gt_recon_slabs_result: %s: expected a gt_recon and a struct with its size",
		               !r                      ? "r is NULL"
		               : r->tag != GT_IS_RECON ? "r is something else"
		               : !out                  ? "out is NULL"
		                                       : "out->size is too small");
	const gt_slab_result *s = &r->slabs;
	if (!s->plan.slabs)
		return gt_fail(GT_ERR_ARG, "gt_recon_slabs_result: the last run was not by slabs");
	gt_recon_slabs all = { .slabs = s->plan.slabs,
		               .slices = s->plan.slices,
		               .views = s->plan.batch,
		               .rows = s->plan.rows,
		               .kept = gt_view_cache_places[s->plan.kept],
		               .device = s->plan.device,
		               .host = s->plan.host,
		               .process = s->plan.process,
		               .reserve = s->plan.reserve,
		               .whole = s->whole,
		               .device_peak = s->device_peak,
		               .process_peak = s->process_peak };
	memcpy(all.seconds, s->seconds, sizeof all.seconds);
	memcpy(all.bytes, s->bytes, sizeof all.bytes);
	all.size = out->size < sizeof all ? out->size : sizeof all;
	memcpy(out, &all, all.size);
	return GT_OK;
}
