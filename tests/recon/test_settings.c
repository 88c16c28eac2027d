/* Settings take effect and are recorded: precision, stopping rules, progress, texts, and the memory of a proposed
 * grid.
 * labels: unit */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include <gantry/recon.h>
#include "core/text.h"
#include "tests/recon/small_recon.h"

static const size_t voxels = (size_t)24 * 22 * 6;

static gt_volume *run(gt_recon *r, gt_recon_outcome *how)
{
	gt_volume *v;
	ck_ok(gt_volume_new(&grid, &v));
	ck_ok(gt_recon_run(r, v));
	how->size = sizeof *how;
	ck_ok(gt_recon_result(r, how));
	return v;
}

/* The bytes per voxel show the precision; the record agrees. */
GT_TEST(precision)
{
	static const char *const words[] = { "single", "double" };
	gt_projections *p = projections();
	for (size_t i = 0; i < 2; i++) {
		const char *const set[][2] = {
			{ "solver", "pcg:iterations=1" }, { "precision", words[i] }, { "padding", "no" }, { NULL, NULL }
		};
		gt_recon *r = recon(p, set);
		gt_memory_estimate m = { .size = sizeof m };
		gt_recon_outcome how;
		char expected[32];
		snprintf(expected, sizeof expected, " precision=%s ", words[i]);
		ck_ok(gt_recon_grid(r, &grid));
		ck_ok(gt_recon_plan(r, &m, NULL));
		ck_assert_uint_eq(m.volume, voxels * (i ? sizeof(double) : sizeof(float)));
		gt_volume *v = run(r, &how);
		ck_assert_msg(strstr(how.parameters, expected) != NULL, "'%s' is not in: %s", expected, how.parameters);
		ck_assert_str_eq(gt_recon_text(r, "precision"), words[i]);
		gt_volume_free(v);
		gt_recon_free(r);
	}
	gt_projections_free(p);
}

/* A rule that the first iteration meets ends the run. */
GT_TEST(stop)
{
	static const struct {
		const char *rule, *reason;
		int iterations;
	} cases[] = { { "change=1mm-1", "small change", 1 },
		      { "gradient=1", "small gradient", 1 },
		      { "seconds=1e-9", "time", 1 },
		      { "change=1e-12", NULL, 4 },
		      { "change=1HU", "small change", 200 } };
	gt_projections *p = projections();
	gt_recon *r = recon(p, NULL);
	gt_recon_outcome how;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		ck_ok(gt_recon_set(r, "solver", cases[i].iterations > 4 ? "pcg:iterations=200" : "pcg:iterations=4"));
		ck_ok(gt_recon_set(r, "stop", cases[i].rule));
		gt_volume_free(run(r, &how));
		ck_assert_pstr_eq(how.reason, cases[i].reason);
		ck_assert_int_eq(how.stopped, 0);
		if (cases[i].iterations <= 4)
			ck_assert_int_eq(how.iterations, cases[i].iterations);
		else
			ck_assert(how.iterations > 1 && how.iterations < cases[i].iterations);
	}
	gt_recon_free(r);
	gt_projections_free(p);
}

struct reported {
	int iteration, begins, ends;
	double residual, cost, seconds;
};

static int listen(void *self, const gt_recon_progress *p)
{
	struct reported *t = self;
	t->begins += p->phase == GT_RECON_BEGINS;
	t->ends += p->phase == GT_RECON_ENDS;
	if (p->phase == GT_RECON_BEGINS)
		ck_assert_double_eq(p->done, 0);
	if (p->phase == GT_RECON_ENDS)
		ck_assert_double_eq(p->done, 1);
	if (p->phase != GT_RECON_ITERATION)
		return 0;
	ck_assert_int_eq(p->iteration, ++t->iteration);
	ck_assert_int_eq(p->iterations, 4);
	ck_assert_double_eq_tol(p->done, p->iteration / 4., 1e-15);
	ck_assert_double_ge(p->seconds, t->seconds);
	ck_assert_double_eq_tol(p->cost, p->data + p->penalty, 1e-9 * p->cost);
	ck_assert_double_gt(p->gradient, 0);
	ck_assert_double_gt(p->change, 0);
	t->seconds = p->seconds;
	t->residual = p->residual;
	t->cost = p->cost;
	return 0;
}

/* |A x - b| of the volume and |b|, from the projector. */
static void misfit(const gt_projections *p, const float *x, double *residual, double *data)
{
	gt_backend *be = gt_test_backend();
	const size_t n = gt_scan_size(p->scan);
	float *Ax = malloc(n * sizeof *Ax);
	gt_linop *A;
	gt_array *in, *out;
	ck_ok(gt_projector_new("dd", be, GT_F64, &grid, p->scan, &A));
	ck_ok(gt_array_new(be, GT_F64, voxels, &in));
	ck_ok(gt_array_new(be, GT_F64, n, &out));
	gt_array_put_float(x, in);
	gt_forward(A, in, out);
	gt_array_get_float(out, Ax);
	ck_ok(gt_backend_status(be));
	*residual = *data = 0;
	for (size_t i = 0; i < n; i++) {
		*residual += pow((double)Ax[i] - (double)p->data[i], 2);
		*data += (double)p->data[i] * (double)p->data[i];
	}
	*residual = sqrt(*residual);
	*data = sqrt(*data);
	gt_array_free(in);
	gt_array_free(out);
	gt_linop_free(A);
	gt_backend_close(be);
	free(Ax);
}

/* Every iteration is reported, the last one with the residual of its volume. */
GT_TEST(reported)
{
	static const char *const cgls[][2] = {
		{ "solver", "cgls:iterations=4" }, { "init", "zero" }, { "padding", "no" }, { "precision", "double" }, { NULL, NULL }
	};
	gt_projections *p = projections();
	gt_recon *r = recon(p, cgls);
	gt_recon_outcome how;
	struct reported t = { .iteration = 0 };
	double residual, data;
	gt_recon_on_progress(r, listen, &t);
	gt_volume *v = run(r, &how);
	misfit(p, gt_volume_data(v), &residual, &data);
	ck_assert_int_eq(t.iteration, 4);
	ck_assert(t.begins == 1 && t.ends == 1);
	ck_assert_double_eq_tol(how.residual, residual / data, 1e-6);
	ck_assert_double_eq(t.residual, how.residual);
	ck_assert_double_eq_tol(t.cost, residual * residual / 2, 1e-5 * t.cost);
	ck_assert_double_eq(how.cost[3], t.cost);
	gt_volume_free(v);
	gt_recon_free(r);
	gt_projections_free(p);
}

/* Subsets contain all data once, and at least one view each. */
GT_TEST(subsets)
{
	gt_projections *p = projections();
	gt_backend *be = gt_test_backend();
	gt_subsets s;
	double sum = 0;
	for (size_t i = 0; i < gt_scan_size(p->scan); i++)
		sum += (double)p->data[i] * (double)p->data[i];
	for (size_t n = 1; n <= VIEWS; n = n == 1 ? 5 : n == 5 ? VIEWS : VIEWS + 1) {
		size_t values = 0;
		ck_ok(gt_subsets_new("dd", be, GT_F64, &grid, p->scan, p->data, NULL, n, &s));
		ck_assert_uint_eq(s.subsets, n);
		ck_assert_ptr_null(s.w);
		for (size_t k = 0; k < n; k++)
			values += gt_array_size(s.b[k]);
		ck_assert_uint_eq(values, gt_scan_size(p->scan));
		ck_assert_double_eq_tol(gt_subsets_norm(&s), sqrt(sum), 1e-9 * sqrt(sum));
		gt_subsets_free(&s);
	}
	ck_refused(gt_subsets_new("dd", be, GT_F64, &grid, p->scan, p->data, NULL, 0, &s), GT_ERR_ARG, "from 1 to 48");
	ck_refused(gt_subsets_new("dd", be, GT_F64, &grid, p->scan, p->data, NULL, VIEWS + 1, &s), GT_ERR_ARG, "from 1 to 48");
	gt_backend_close(be);
	gt_projections_free(p);
}

static char *line_of(const char *lines, const char *key)
{
	const char *at = strstr(lines, key);
	ck_assert_msg(at != NULL, "no line %s in: %s", key, lines);
	return strndup(at, strcspn(at, "\n"));
}

/* A plan records the penalty as requested, a finished run the strength it found. */
GT_TEST(texts)
{
	static const char *const asked[][2] = { { "solver", "pcg:iterations=2" },
		                                { "penalty", "huber:delta=5HU,noise=2HU" },
		                                { "weights", "photons:count=1e5,electronic=3" },
		                                { "command", "a line for the record" },
		                                { NULL, NULL } };
	gt_projections *p = projections();
	gt_recon *r = recon(p, asked);
	gt_recon_outcome how;
	const char *lines;
	p->position = GT_FFP;
	ck_ok(gt_recon_grid(r, &grid));
	ck_ok(gt_recon_plan(r, NULL, &lines));
	char *penalty = line_of(lines, "penalty="), *backend = line_of(lines, "backend="), *command = line_of(lines, "command=");
	ck_assert_str_eq(penalty, "penalty=huber:delta=5HU,noise=2HU");
	ck_assert_str_eq(command, "command=a line for the record");
	gt_volume *v = run(r, &how);
	ck_assert(v->position == GT_FFP);
	ck_assert_str_eq(gt_recon_text(r, "backend"), backend + strlen("backend="));
	ck_assert(!strncmp(gt_recon_text(r, "backend"), gt_test_is_gpu() ? "cuda" : "cpu", 3));
	free(penalty);
	penalty = strdup(gt_recon_text(r, "penalty"));
	double strength = 0, noise = 0;
	ck_assert_msg(sscanf(penalty, "huber:delta=5HU,strength=%lf strength_from=noise:%lfHU", &strength, &noise) == 2, "%s", penalty);
	ck_assert_msg(strength > 0 && fabs(noise - 2) < 0.1, "%s", penalty);
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "parameters"), penalty));
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "parameters"), " weights=photons:count=100000,electronic=3/"));
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "parameters"), backend));
	ck_assert_str_eq(gt_recon_text(r, "subsets"), "1");
	ck_ok(gt_recon_set(r, "penalty", NULL));
	gt_volume_free(v);
	v = run(r, &how);
	ck_assert_str_eq(gt_recon_text(r, "penalty"), "none");
	ck_assert_ptr_nonnull(strstr(gt_recon_text(r, "parameters"), " penalty=none "));
	free(penalty);
	free(backend);
	free(command);
	gt_volume_free(v);
	gt_recon_free(r);
	gt_projections_free(p);
}

/* A setting that is reset leaves no trace. */
GT_TEST(taken_back)
{
	static const char *const pcg[][2] = { { "solver", "pcg:iterations=3" }, { NULL, NULL } };
	static const char *const more[][2] = { { "water", "0.03" },        { "stop", "change=1mm-1" }, { "weights", "noise" },
		                               { "precision", "double" },  { "init", "zero" },         { "penalty", "huber:strength=300" },
		                               { "padding", "no" },        { "unit", "HU" },           { "projector", "joseph" },
		                               { "device-memory", "1GiB" } };
	gt_projections *p = projections();
	gt_recon *r = recon(p, pcg);
	gt_recon_outcome how;
	gt_volume *before = run(r, &how);
	char *parameters = strdup(how.parameters);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		ck_ok(gt_recon_set(r, more[i][0], more[i][1]));
	gt_volume *v = run(r, &how);
	ck_assert(v->water == 0.03 && how.iterations == 1 && how.max == 3);
	ck_assert_ptr_nonnull(strstr(how.parameters, " projector=joseph"));
	ck_assert_ptr_nonnull(strstr(how.parameters, " weights=noise/"));
	ck_assert_ptr_nonnull(strstr(how.parameters, " penalty=huber:strength=300 init=zero precision=double "));
	gt_volume_free(v);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		ck_ok(gt_recon_set(r, more[i][0], NULL));
	v = run(r, &how);
	ck_assert_str_eq(how.parameters, parameters);
	ck_assert_double_eq(v->water, before->water);
	ck_assert_mem_eq(v->data, before->data, voxels * sizeof(float));
	gt_volume_free(v);
	gt_volume_free(before);
	free(parameters);
	gt_recon_free(r);
	gt_projections_free(p);
}

/* The grid that a refusal proposes takes the memory that the refusal states. */
GT_TEST(proposed_grid)
{
	static const char *const pcg[][2] = { { "solver", "pcg:iterations=2" }, { NULL, NULL } };
	gt_projections *p = projections();
	gt_recon *r = recon(p, pcg);
	gt_memory_estimate m = { .size = sizeof m };
	char limit[32], text[GT_BYTES_TEXT];
	int proposals = 0;
	/* the object ends within the rows: a requested grid needs no padding slices, the default one has some */
	for (size_t i = 0; i < gt_scan_size(p->scan); i++)
		if (i / COLUMNS % ROWS < 3 || i / COLUMNS % ROWS >= ROWS - 3)
			gt_projections_data(p)[i] = 0;
	ck_ok(gt_recon_plan(r, &m, NULL));
	const size_t whole = m.peak;
	for (int part = 9; part > 4; part--) {
		snprintf(limit, sizeof limit, "%zu", whole * (size_t)part / 10);
		ck_ok(gt_recon_set(r, "grid", NULL));
		ck_ok(gt_recon_set(r, "device-memory", limit));
		ck_refused(gt_recon_plan(r, &m, NULL), GT_ERR_MEMORY, "needs");
		const char *at = strstr(gt_error(), "--grid ");
		if (!at)
			continue;
		char asked[64], takes[64], *said = strdup(gt_error());
		ck_assert_int_eq(sscanf(at, "--grid %63s (%63[^)])", asked, takes), 2);
		ck_ok(gt_recon_set(r, "grid", asked));
		ck_assert_msg(gt_recon_plan(r, &m, NULL) == GT_OK, "'%s', and then: %s", said, gt_error());
		gt_bytes_text(m.on_host ? m.host_peak : (double)m.peak, text);
		/* on the host the process may have grown in between */
		ck_assert_msg(!strcmp(takes, text) || (m.on_host && fabs(strtod(takes, NULL) / strtod(text, NULL) - 1) < 0.05),
		              "'%s', and then %s takes %s", said, asked, text);
		proposals++;
		free(said);
	}
	ck_assert_int_gt(proposals, 2);
	gt_recon_free(r);
	gt_projections_free(p);
}

int main(void) { return gt_test_main("settings", NULL); }
