/* Teams compute what one rank computes: every solver, each split, both precisions. Repeated runs are
 * bit-identical; ranks may be empty.
 * labels: unit */
#include "tests/recon/team_runs.h"

static const struct team_case cases[] = {
	{ "os-sart", "iterations=3", NULL, 4, 0, 0, 1e-12, 1e-5, 1 },
	{ "os-sart", "iterations=3,keep=no", NULL, 3, 0, 0, 1e-12, 1e-5, 1 },
	{ "sirt", "iterations=4,momentum=yes", NULL, 1, 0, 0, 1e-12, 1e-5, 1 },
	{ "cgls", "iterations=5", NULL, 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "lsqr", "iterations=5", NULL, 1, 0, 0, 1e-12, 1e-5, 1 },
	{ "lsmr", "iterations=5", NULL, 1, 0, 0, 1e-12, 1e-5, 1 },
	{ "mlem", "iterations=3", NULL, 1, 0, 0, 1e-12, 1e-5, 1 },
	{ "pcg", "iterations=5,preconditioner=diagonal", "qggmrf:strength=20", 1, 1, 1, 1e-12, 1e-5, 1 },
	{ "pcg", "iterations=6,preconditioner=ramp", "qggmrf:strength=20,p=1.6", 1, 1, 0, 1e-9, 1e-4, 1 },
	{ "fista", "iterations=5", "huber:strength=50,neighbours=6", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "fista", "iterations=5,prox=yes", "tv:strength=0.1,inner=7", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "fista", "iterations=4", "tv:strength=0.1,inner=0", 1, 0, 0, 1e-12, 1e-5, 1 },
	{ "pcg", "iterations=5,preconditioner=diagonal", "awtv:strength=2,delta=40HU", 1, 1, 0, 1e-13, 4e-5, 1 },
	{ "os-sqs", "iterations=3", "hyperbola:strength=50", 4, 1, 0, 1e-12, 1e-5, 1 },
	{ "os-sqs", "iterations=3", "awtv:strength=2,delta=40HU", 4, 1, 0, 1e-12, 1e-5, 1 },
	{ "os-lalm", "iterations=3", "fair:strength=50", 4, 1, 0, 1e-12, 1e-5, 1 },
	{ "pdhg", "iterations=5", "tv:strength=0.1,kind=anisotropic,inner=5", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "asd-pocs", "iterations=2", "tv:inner=0", 4, 0, 0, 1e-12, 1e-5, 1 },
	{ "admm", "iterations=3", "tv:strength=0.1,inner=6", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "saga", "iterations=2", "huber:strength=50", 4, 1, 0, 1e-12, 1e-5, 1 },
	{ "svrg", "iterations=2", "huber:strength=50", 4, 1, 0, 1e-12, 1e-5, 1 },
	{ "pcg", "iterations=4,preconditioner=diagonal", "piccs:strength=2,alpha=0.4,prior=PRIOR", 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "spdhg", "iterations=2", "tv:strength=0.1,inner=5", 4, 1, 0, 1e-12, 1e-5, 1 },
	{ "mltr", "iterations=3,background=0.02", "huber:strength=50", 4, 1, 0, 1e-12, 1e-5, 1 },
	{ "mltr", "iterations=3,curvature=current", NULL, 1, 0, 0, 1e-12, 1e-5, 1 },
	{ "mltr", "iterations=4,curvature=precomputed,background=0.1", "qggmrf:strength=20", 4, 1, 0, 1e-12, 1e-5, 1 },
	{ "hybrid-lsqr", "iterations=5,strength=fixed,lambda=3", NULL, 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "hybrid-lsqr", "iterations=5", NULL, 1, 1, 0, 1e-7, 1e-3, 1 },
	{ "hybrid-lsqr", "iterations=3,strength=trace", NULL, 1, 0, 0, 1e-7, 1e-3, 1 },
	{ "ab-gmres", "iterations=2,steps=4", NULL, 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "ba-gmres", "iterations=2,steps=4", NULL, 1, 1, 0, 1e-12, 1e-5, 1 },
	{ "sirt", "iterations=6,anderson=3", NULL, 1, 0, 0, 1e-12, 1e-5, 1 },
	{ "os-sart", "iterations=4,reduce=1,anderson=2", NULL, 3, 0, 0, 1e-12, 1e-5, 1 },
	{ "fista", "iterations=6,anderson=3", "huber:strength=50", 1, 1, 0, 1e-12, 1e-5, 1 },
};

static const struct team_split splits[] = { { "views", 2, 0 }, { "views", 3, 1 }, { "slices", 2, 0 }, { "slices", 3, 1 },
	                                    { "2x2", 4, 0 },   { "views", 4, 1 }, { "slices", 4, 0 } };
enum { SPLITS = sizeof splits / sizeof *splits };

/* Each case by splits of views and of slices; all splits are met by other cases. */
GT_TESTS_ALIKE(members_compute_what_one_does, sizeof cases / sizeof *cases)
{
	const size_t first = (size_t)_i % SPLITS;
	const struct team_splits some = { splits, SPLITS, first, 3, 0 }, one = { splits, SPLITS, (first + 3) % SPLITS, 1, 0 };
	by_splits(&cases[_i], &some, _i % 2 ? GT_ARC : GT_FLAT, 0, GT_F64);
	by_splits(&cases[_i], &one, _i % 2 ? GT_FLAT : GT_ARC, 0, GT_F32);
}

GT_TEST(members_share_a_helix)
{
	const struct team_splits even = { splits, SPLITS, 0, 3, 0 }, uneven = { splits, SPLITS, 1, 3, 0 };
	by_splits(&cases[0], &uneven, GT_ARC, 25, GT_F64);
	by_splits(&cases[7], &even, GT_ARC, 25, GT_F64);
}

/* More ranks than slices: some are empty. */
GT_TEST(more_members_than_slices)
{
	struct data d = data_of(GT_FLAT, 0);
	double *one = calloc(gt_grid_voxels(&grid), sizeof *one);
	static const int some[] = { 0, 7, 10, 23, 25, 26, 27, 28, 29, 30, 31 };
	for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
		struct run r = run_of(&cases[some[k]], &d, GT_F64);
		r.result = one;
		r.subsets = 1;
		run(&r);
		r.ranks = 11;
		r.repeats = k == 0;
		compare(&r, one, cases[some[k]].tolerance);
	}
	struct run r = run_of(&cases[0], &d, GT_F64);
	r.ranks = 11;
	r.split = "slices";
	gt_team *t = NULL;
	if (team_of(11, &t)) {
		ck_refused(gt_team_run(t, solve, &r), GT_ERR_ARG, "11 slabs of 9 slices");
		gt_team_close(t);
	}
	free(one);
	data_free(&d);
}

static gt_status never(const gt_problem *p, const void *options, gt_array *x, const gt_monitor *m)
{
	(void)p, (void)options, (void)x, (void)m;
	return gt_fail(GT_ERR_DEVICE, "it ran");
}

/* A solver of the user that does not support teams. */
static gt_status solve_alone(gt_backend *be, void *self)
{
	static const gt_solver alone = { .name = "alone", .about = "for one device", .run = never };
	const gt_problem *p = self;
	gt_array *x = NULL;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new_shared(be, GT_F64, 12, 9, &x));
	st = gt_solve(&alone, p, NULL, x, NULL);
done:
	gt_array_free(x);
	return st;
}

GT_TEST(what_cannot_run_is_refused_by_name)
{
	gt_linop *A[1] = { NULL };
	gt_array *b[1] = { NULL };
	gt_problem p = { .subsets = 1, .A = A, .b = b };
	gt_team *t = NULL;
	if (team_of(2, &t)) {
		ck_refused(gt_team_run(t, solve_alone, &p), GT_ERR_UNSUPPORTED,
		           "solver 'alone' cannot run on several devices together: expected one device, or one of os-sart, sirt");
		gt_team_close(t);
	}
}

int main(void) { return gt_test_main("team", NULL); }
