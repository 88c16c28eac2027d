/* Penalties that read distant slices or exchange in inner iterations: a team computes what one rank computes, also
 * with thin or empty local ranges. Unsupported penalties are refused.
 * labels: unit */
#include "core/penalty.h"
#include "tests/recon/team_runs.h"

static const struct team_case cases[] = {
	{ "fista", "iterations=3,prox=yes", "tgv:strength=0.1,inner=6", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "pdhg", "iterations=3", "tgv:strength=0.05,ratio=1.2,inner=4", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "fista", "iterations=3,prox=yes", "nlm:strength=0.8,h=200HU", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "fista", "iterations=3,prox=yes", "nlm:h=200HU,search=3,patch=5", 1, 0, 0, 1e-12, 1e-5, 1 },
	{ "os-sqs", "iterations=1", "nltv:strength=5,h=100HU,prior=PRIOR", 4, 1, 0, 1e-12, 1e-5, 1 },
	{ "pcg", "iterations=3,preconditioner=diagonal", "nltv:strength=5,h=100HU,search=3,patch=1,prior=PRIOR", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "fista", "iterations=3,prox=yes", "joint-tv:strength=0.1,inner=6", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "fista", "iterations=3,prox=yes", "joint-tv:strength=0.1,kind=nuclear,inner=5", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "fista", "iterations=3,prox=yes", "wavelet:strength=0.1,inner=5", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "fista", "iterations=3,prox=yes", "wavelet:strength=0.1,filter=db2,levels=2,inner=4", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "pnp-fista", "iterations=2", "nlm:strength=0.8,h=200HU", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "red", "iterations=2", "nlm:strength=0.8,h=200HU", 1, 0, 0, 1e-12, 1e-5, 1 },
	{ "pnp-admm", "iterations=2", "nlm:strength=0.8,h=200HU", 1, 0, 0, 1e-12, 1e-5, 1 },
	{ "pdhg", "iterations=3", "wavelet:strength=0.1,filter=sym4,levels=4,inner=3", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "fista", "iterations=3,prox=yes", "joint-tv:strength=0.1,inner=6", 1, 1, 0, 1e-12, 1e-5, 2 },
	{ "pdhg", "iterations=3", "joint-tv:strength=0.1,kind=nuclear,inner=4", 1, 0, 0, 1e-12, 1e-5, 3 },
	{ "spdhg", "iterations=2", "joint-tv:strength=0.1,inner=4", 4, 1, 0, 1e-12, 1e-5, 2 },
	{ "fista", "iterations=3,prox=yes,nonneg=no", "low-rank:strength=0.2", 1, 1, 0, 1e-12, 1e-5, 3 },
	{ "admm", "iterations=3,nonneg=no", "low-rank:strength=0.1", 1, 0, 0, 1e-12, 1e-5, 2 },
	{ "fista", "iterations=3,prox=yes,nonneg=no", "low-rank:strength=0.3", 1, 1, 0, 1e-12, 1e-5, 1 },
};
enum { CASES = sizeof cases / sizeof *cases };

/* A case has the first and the third, or the others. It is repeated in one of the precisions. */
static const struct team_split splits[] = { { "2x2", 4, 0 }, { "slices", 3, 1 }, { "slices", 4, 0 }, { "views", 2, 0 } };
enum { SPLITS = sizeof splits / sizeof *splits };

GT_TESTS_ALIKE(members_compute_what_one_does, CASES)
{
	const struct team_splits some = { splits, SPLITS, (size_t)_i % 2, 2, _i % 2 == 0 }, one = { splits + 1, 1, 0, 1, _i % 2 };
	by_splits(&cases[_i], &some, _i % 2 ? GT_ARC : GT_FLAT, 0, GT_F64);
	by_splits(&cases[_i], &one, _i % 2 ? GT_FLAT : GT_ARC, 0, GT_F32);
}

/* More ranks than slices: some are empty; inner ones read slices of six other ranks. */
GT_TESTS_ALIKE(more_members_than_slices, CASES)
{
	struct data d = data_of(GT_FLAT, 0);
	struct run r = run_of(&cases[_i], &d, GT_F64);
	double *one = calloc(size_of(&r), sizeof *one);
	r.result = one;
	r.subsets = 1;
	run(&r);
	r.ranks = 11;
	r.repeats = 0;
	compare(&r, one, 1e-12);
	free(one);
	data_free(&d);
}

/* The state of a penalty is complete: a new penalty with this state is bit-identical for any partition. */
static const char *const keeping[] = { "tv:strength=0.05,inner=4", "tgv:strength=0.05,inner=4", "joint-tv:strength=0.05,inner=4",
	                               "wavelet:strength=0.05,filter=db2,levels=2,inner=3" };

static gt_status hand_over(const gt_state_entry *from, const gt_state_entry *to)
{
	if (!from->array) {
		*to->value = *from->value;
		return GT_OK;
	}
	double *all = malloc(gt_array_size(from->array) * sizeof *all);
	if (!all)
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	gt_array_get(from->array, all);
	gt_array_put(all, to->array);
	free(all);
	return GT_OK;
}

static gt_status go_on(gt_backend *be, void *self)
{
	const char *spec = self;
	const size_t n = gt_grid_voxels(&grid);
	gt_state_entry kept[GT_STATE_MAX], given[GT_STATE_MAX];
	gt_penalty *R[3] = { NULL };
	gt_array *z = NULL, *x[3] = { NULL };
	double *host = malloc(n * sizeof *host);
	gt_status st = host ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	for (size_t i = 0; i < n; i++)
		host[i] = gt_test_normal(9, i);
	GT_TRY(gt_array_new_shared(be, GT_F64, grid.n[0] * grid.n[1], grid.n[2], &z));
	gt_array_put(host, z);
	for (int k = 0; k < 3; k++) {
		GT_TRY(gt_array_like(z, &x[k]));
		GT_TRY(gt_regularizer_new(spec, be, GT_F64, &grid, NULL, &R[k]));
	}
	gt_penalty_prox(R[0], 1, -INFINITY, INFINITY, z, x[0]);
	const size_t entries = gt_penalty_state(R[0], kept);
	gt_penalty_state(R[1], given);
	for (size_t i = 0; i < entries; i++)
		GT_TRY(hand_over(&kept[i], &given[i]));
	gt_scale(-0.7, z);
	for (int k = 0; k < 3; k++)
		gt_penalty_prox(R[k], 1, -INFINITY, INFINITY, z, x[k]);
	const double on = gt_distance2(x[0], x[1]), anew = gt_distance2(x[0], x[2]);
	const double values[2] = { gt_penalty_value(R[0], x[0]), gt_penalty_value(R[1], x[0]) };
	if (!(on <= 0) || !(anew > 0) || fabs(values[0] - values[1]) > 0)
		GT_TRY(gt_fail(GT_ERR_ARG,
		               "%s: %d members: the square of the distance is %g, without what was kept %g; values %.17g, %.17g", spec,
		               gt_ranks(be), on, anew, values[0], values[1]));
	GT_TRY(gt_backend_status(be));
done:
	for (int k = 0; k < 3; k++) {
		gt_penalty_free(R[k]);
		gt_array_free(x[k]);
	}
	gt_array_free(z);
	free(host);
	return st;
}

GT_TESTS_ALIKE(a_penalty_goes_on_from_what_it_keeps, sizeof keeping / sizeof *keeping)
{
	static const double uneven[] = { 1, 2.5, 0.4, 1.5, 0.8 };
	static const int ranks[] = { 2, 3, 5, 11 };
	for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
		char spec[96];
		gt_team *t = NULL;
		if (!team_of(ranks[k], &t))
			continue;
		if (ranks[k] <= 5)
			ck_ok(gt_team_set_weights(t, uneven));
		snprintf(spec, sizeof spec, "%s", keeping[_i]);
		ck_ok(gt_team_run(t, go_on, spec));
		gt_team_close(t);
	}
}

static gt_status denoise(void *self, gt_denoise_call *call)
{
	(void)self, (void)call;
	return GT_OK;
}

static gt_status refused_denoiser(gt_backend *be, void *self)
{
	const gt_denoiser d = { .size = sizeof d, .name = "mine", .denoise = denoise };
	(void)self;
	gt_penalty *R = NULL;
	return gt_penalty_of_denoiser(&d, be, GT_F32, &grid, &R);
}

GT_TEST(what_cannot_be_shared_is_refused_by_name)
{
	gt_team *t = NULL;
	if (!team_of(2, &t))
		return;
	ck_refused(gt_team_run(t, refused_denoiser, NULL), GT_ERR_UNSUPPORTED,
	           "denoiser 'mine' cannot run on several devices together: expected one");
	gt_team_close(t);
}

int main(void) { return gt_test_main("team_penalties", NULL); }
