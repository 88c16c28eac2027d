/* Describes a run as text, for files and plans. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "core/try.h"
#include "core/variant/variant.h"
#include "recon/modules.h"
#include "recon/projector_spec.h"
#include "recon/recon.h"

char *gt_recon_parameters(const gt_recon_job *j, const gt_recon_found *f)
{
	/* kernel variants used instead of built-in ones */
	const char *variant = gt_variant_taken();
	const char *outside = gt_outside_is_active(&j->chosen.outside) ? gt_outside_names[j->chosen.outside.mode] : NULL;
	char *method = gt_method_print(&j->chosen.method), *text = NULL, over[64] = "";
	if (gt_agreement_fails(&f->agreement))
		gt_snprintf(over, sizeof over, " mean_over_%s=%+.3g%%", f->start,
		            100 * f->agreement.difference / fabs(f->agreement.direct));
	if (method && j->chosen.method.analytic)
		text = gt_text("solver=%s precision=%s backend=%s%s%s", method, gt_type_name(j->chosen.type), f->backend,
		               *f->split ? " split=" : "", f->split);
	else if (method)
		text = gt_text("solver=%s projector=%s weights=%s penalty=%s init=%s%s%s%s precision=%s backend=%s%s%s%s%s done=%d/%d",
		               method, j->chosen.projector, f->weights, f->penalty ? f->penalty : "none", f->start,
		               outside ? " outside=" : "", outside ? outside : "", over, gt_type_name(j->chosen.type), f->backend,
		               *f->split ? " split=" : "", f->split, *variant ? " kernel=" : "", variant, f->run.iterations, f->run.max);
	free(method);
	return text;
}

/* The penalty as made, else as requested, else "none". */
static char *penalty_text(const gt_recon *r, const gt_recon_found *f, int planned)
{
	const char *asked = r->penalty_text ? r->penalty_text : r->set.text[GT_SET_PENALTY];
	return gt_text("%s", planned && asked ? asked : f->penalty ? f->penalty : "none");
}

/* Appends a line and frees value. Without memory *text is NULL from then on. */
static void add(char **text, const char *key, char *value)
{
	char *more = *text && value ? gt_text("%s%s=%s\n", *text, key, value) : NULL;
	free(*text);
	free(value);
	*text = more;
}

static char *grid_text(const gt_grid *g)
{
	char text[256];
	gt_grid_print(g, text, sizeof text);
	return gt_text("%s", text);
}

/* Appends a copy of value unless it is NULL. */
static void add_copy(char **text, const char *key, const char *value)
{
	if (value)
		add(text, key, gt_text("%s", value));
}

/* Appends complete lines; NULL: none. */
static void add_lines(char **text, const char *lines)
{
	char *more = *text && lines ? gt_text("%s%s", *text, lines) : NULL;
	if (!lines)
		return;
	free(*text);
	*text = more;
}

char *gt_recon_facts(const gt_recon *r, const gt_recon_found *f)
{
	const gt_recon_job *j = &r->job;
	char *text = gt_text("%s", "");
	add_copy(&text, "command", j->chosen.command);
	add_copy(&text, "scan", r->path);
	add(&text, "grid", grid_text(&j->chosen.grid));
	add(&text, "solver", gt_method_print(&j->chosen.method));
	if (j->chosen.method.solver) {
		add(&text, "projector", gt_projector_text(j->chosen.projector));
		add_copy(&text, "weights", f->weights);
		add(&text, "penalty", penalty_text(r, f, 1));
		add_copy(&text, "start", f->start);
		add_copy(&text, "outside", gt_outside_is_active(&j->chosen.outside) ? gt_outside_names[j->chosen.outside.mode] : NULL);
	}
	add_copy(&text, "precision", gt_type_name(j->chosen.type));
	add_copy(&text, "backend", f->backend);
	add_copy(&text, "split", *f->split ? f->split : NULL);
	if (f->model.seconds > 0)
		add(&text, "model", gt_text("%.3g ms %s", 1e3 * f->model.seconds, j->chosen.method.solver ? "per iteration" : "in all"));
	add_lines(&text, f->splits);
	add_lines(&text, f->ranks);
	return text;
}

char *gt_recon_slab_facts(const gt_recon *r)
{
	const gt_slab_cut *c = &r->slabs.plan;
	return gt_text(
		"slabs=%zu\nslices=%zu\nviews=%zu\nrows=%zu\nkept=%s\ndevice_bytes=%.0f\nhost_bytes=%.0f\nprocess_bytes=%.0f\nreserve_bytes=%.0f\n",
		c->slabs, c->slices, c->batch, c->rows, gt_view_cache_places[c->kept], c->device, c->host, c->process, c->reserve);
}

gt_status gt_recon_record(gt_recon *r, gt_volume *v)
{
	free(r->parameters);
	r->parameters = gt_recon_parameters(&r->job, &r->found);
	if (!r->parameters)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	v->water = r->job.chosen.water;
	v->position = r->job.p->position;
	v->positioned = r->job.p->positioned;
	return gt_volume_set_provenance(v, r->job.chosen.command, r->parameters, r->job.p->scan);
}

/* Texts by name -------------------------------------------------------------------- */

static char *solver_text(const gt_recon *r)
{
	const gt_method *m = r->is_chosen ? &r->job.chosen.method : &r->set.method;
	return m->solver || m->analytic ? gt_method_print(m) : NULL;
}

static char *method_text(const gt_recon *r)
{
	const gt_method *m = r->is_chosen ? &r->job.chosen.method : &r->set.method;
	return m->solver || m->analytic ? gt_text("%s", gt_method_name(m)) : NULL;
}

static char *projector_text(const gt_recon *r)
{
	return r->is_chosen && r->job.chosen.projector ? gt_projector_text(r->job.chosen.projector) : NULL;
}
static char *weights_text(const gt_recon *r) { return r->found.weights ? gt_text("%s", r->found.weights) : NULL; }
static char *penalty_found(const gt_recon *r) { return r->found.weights ? penalty_text(r, &r->found, 0) : NULL; }
static char *start_text(const gt_recon *r) { return r->found.start ? gt_text("%s", r->found.start) : NULL; }
static char *outside_text(const gt_recon *r) { return r->is_chosen ? gt_text("%s", gt_outside_names[r->job.chosen.outside.mode]) : NULL; }

/* Mean over soft parts relative to the mean of the direct method. */
static char *agreement_text(const gt_recon *r)
{
	const gt_agreement *a = &r->found.agreement;
	const double percent = 100 / fabs(a->direct);
	return a->voxels ? gt_text("%+.4g %% (noise explains %.3g %%)", a->difference * percent, a->noise * percent) : NULL;
}

static char *chosen_grid(const gt_recon *r) { return r->is_chosen ? grid_text(&r->job.chosen.grid) : NULL; }
static char *precision_text(const gt_recon *r) { return gt_text("%s", r->set.precision ? "double" : "single"); }
static char *subsets_text(const gt_recon *r) { return r->found.subsets ? gt_text("%zu", r->found.subsets) : NULL; }
static char *slabs_text(const gt_recon *r) { return r->by_slabs && r->slabs.plan.slabs ? gt_text("%zu", r->slabs.plan.slabs) : NULL; }
static char *parameters_text(const gt_recon *r) { return r->parameters ? gt_text("%s", r->parameters) : NULL; }
static char *scan_text(const gt_recon *r) { return r->path ? gt_text("%s", r->path) : NULL; }

static char *backend_text(const gt_recon *r)
{
	const char *name = r->by_slabs ? r->slabs.backend : r->found.backend;
	return name[0] ? gt_text("%s", name) : NULL;
}

static char *split_text(const gt_recon *r) { return *r->found.split ? gt_text("%s", r->found.split) : NULL; }
static char *model_text(const gt_recon *r) { return r->found.model.seconds > 0 ? gt_text("%.6g", r->found.model.seconds) : NULL; }

static char *checkpoint_text(const gt_recon *r)
{
	const char *spec = r->set.text[GT_SET_CHECKPOINT];
	return spec ? gt_checkpointing_path(spec) : NULL;
}

const char *gt_recon_text(gt_recon *r, const char *name)
{
	static const struct {
		const char *name;
		char *(*text)(const gt_recon *r);
	} texts[] = { { "solver", solver_text },         { "method", method_text },       { "projector", projector_text },
		      { "weights", weights_text },       { "penalty", penalty_found },    { "start", start_text },
		      { "grid", chosen_grid },           { "precision", precision_text }, { "backend", backend_text },
		      { "subsets", subsets_text },       { "slabs", slabs_text },         { "checkpoint", checkpoint_text },
		      { "parameters", parameters_text }, { "scan", scan_text },           { "split", split_text },
		      { "model", model_text },           { "outside", outside_text },     { "agreement", agreement_text } };
	if (!r || r->tag != GT_IS_RECON || !name)
		return NULL;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!strcmp(texts[i].name, name)) {
			free(r->text);
			return r->text = texts[i].text(r);
		}
	return NULL;
}
