/* Variants of the study: the reference on some threads, every projector on all of them, every projector on the GPU. */
#include "apps/study/accuracy/accuracy.h"
#include "geometry/grid.h"

enum { CPU_COUNTS = 3 };

static gt_status append(study *s, const study_variant *v)
{
	study_accuracy_own *own = accuracy_of(s);
	if (!study_grow(&own->variant, own->variants, &own->capacity, sizeof *own->variant))
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	own->variant[own->variants++] = *v;
	return GT_OK;
}

study_variant *study_next(const study *s, const study_variant *v, unsigned part)
{
	const study_accuracy_own *own = accuracy_of(s);
	for (size_t i = v ? (size_t)(v - own->variant) + 1 : 0; i < own->variants; i++)
		if (own->variant[i].parts & part)
			return &own->variant[i];
	return NULL;
}

size_t study_count(const study *s, unsigned part)
{
	size_t n = 0;
	for (const study_variant *v = NULL; (v = study_next(s, v, part));)
		n++;
	return n;
}

static gt_status probe(const study *s, const study_variant *v)
{
	gt_scan *few = NULL;
	gt_backend *be = NULL;
	gt_linop *A = NULL;
	gt_grid coarse;
	gt_status st = GT_OK;
	GT_TRY(gt_scan_coarsen(s->scan, 8, 4, 16, &few));
	gt_grid_coarsen(&s->grid, 8, &coarse);
	GT_TRY(gt_backend_open(v->backend, &be));
	GT_TRY(gt_projector_new(v->spec, be, v->type, &coarse, few, &A));
done:
	gt_linop_free(A);
	gt_backend_close(be);
	gt_scan_free(few);
	return st;
}

static gt_status add(study *s, study_variant *v)
{
	const gt_status st = probe(s, v);
	if (st == GT_OK)
		return append(s, v);
	return study_or_left_out(s, st, "all", v->label);
}

static study_variant on_cpu(const study *s, const gt_projector *p, int threads)
{
	const int all = threads == s->threads, reference = p == accuracy_of(s)->reference;
	study_variant v = { .projector = p, .spec = p->name, .threads = threads, .parts = IN_TIMES };
	if (all)
		v.parts |= IN_GUPS | (reference ? IN_SWEEPS | IN_FEW : 0) | (reference || !s->gpu[0] ? IN_ACCURACY : 0);
	snprintf(v.backend, sizeof v.backend, "cpu:%d", threads);
	snprintf(v.label, sizeof v.label, "%s (%d thread%s)", p->name, threads, threads == 1 ? "" : "s");
	snprintf(v.key, sizeof v.key, "%s-cpu", p->name);
	return v;
}

/* The first that takes the scan is the reference: on more than one number of threads. */
static gt_status add_cpu(study *s, const gt_projector *p)
{
	const int count[CPU_COUNTS] = { 1, 8, s->threads };
	study_variant v = on_cpu(s, p, s->threads);
	gt_status st = GT_OK;
	if (accuracy_of(s)->reference)
		return add(s, &v);
	st = probe(s, &v);
	if (st != GT_OK)
		return study_or_left_out(s, st, "all", v.label);
	accuracy_of(s)->reference = p;
	for (int i = 0; i < CPU_COUNTS; i++)
		if (i == CPU_COUNTS - 1 || count[i] < s->threads) {
			v = on_cpu(s, p, count[i]);
			GT_TRY(append(s, &v));
		}
done:
	return st;
}

/* In double where it does not compute in single. */
static gt_status add_gpu(study *s, const gt_projector *p, const char *spec, unsigned parts)
{
	study_variant v = { .projector = p, .spec = spec, .gpu = 1, .parts = parts };
	snprintf(v.backend, sizeof v.backend, "%s", s->gpu);
	snprintf(v.label, sizeof v.label, "%s (GPU)", spec);
	snprintf(v.key, sizeof v.key, "%s-gpu", p->name);
	if (!p->single_only && probe(s, &v) == GT_ERR_UNSUPPORTED) {
		v.type = GT_F64;
		if (probe(s, &v) == GT_OK)
			snprintf(v.label, sizeof v.label, "%s (GPU, double)", spec);
		else
			v.type = GT_F32;
	}
	return add(s, &v);
}

/* Z-line backprojection with other numbers of slices per thread, as figure 10 of the paper: times alone. */
static gt_status add_columns(study *s, const gt_projector *p)
{
	static const char *const specs[] = { "dd-bz:entries=17,w=shared", "dd-bz:entries=33", "dd-bz:entries=33,w=shared",
		                             "dd-bz:entries=all", "dd-bz:entries=all,w=shared" };
	gt_status st = strcmp(p->name, "dd-bz") ? GT_ERR_UNSUPPORTED : GT_OK;
	for (size_t i = 0; i < sizeof specs / sizeof *specs && st == GT_OK; i++)
		st = add_gpu(s, p, specs[i], IN_TIMES | IN_FEW);
	return st == GT_ERR_UNSUPPORTED ? GT_OK : st;
}

gt_status study_find_variants(study *s)
{
	for (size_t i = 0; gt_projectors[i]; i++)
		if (!gt_projectors[i]->cuda_only)
			GT_OR_RETURN(add_cpu(s, gt_projectors[i]));
		else if (!s->gpu[0])
			study_leave_out_as(s, "all", gt_projectors[i]->name, "runs on a GPU only, and there is none here");
	for (size_t i = 0; s->gpu[0] && gt_projectors[i]; i++) {
		GT_OR_RETURN(add_gpu(s, gt_projectors[i], gt_projectors[i]->name, IN_TIMES | IN_GUPS | IN_ACCURACY | IN_SWEEPS | IN_FEW));
		GT_OR_RETURN(add_columns(s, gt_projectors[i]));
	}
	if (!accuracy_of(s)->reference)
		return gt_fail(GT_ERR_UNSUPPORTED, "no projector supports this scan on the CPU: %s", gt_error());
	return GT_OK;
}

const char *study_model(const study_variant *v) { return v->projector->model ? v->projector->model : v->projector->name; }
