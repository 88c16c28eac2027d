/* Penalties with prior images and strength maps from files: values by the definition, and refusals.
 * labels: unit property */
#include "tests/regularizers/smooth_model.h"

GT_TEST(prior_image_value)
{
	gt_backend *be = gt_test_backend();
	for (int i = 0; i < GRIDS; i++) {
		struct prior p = prior_on(be, GT_F64, specs[2], &grids[i]);
		double *x = gt_test_values(p.x), *y = prior_values(&grids[i], 1), want = 0.7 * 1.3 * awtv(&grids[i], x, 1e6, 0.3);
		for (size_t k = 0; k < p.n; k++)
			y[k] = x[k] - y[k];
		want += 0.3 * 1.3 * awtv(&grids[i], y, 1e6, 0.3);
		ck_assert_double_eq_tol(gt_penalty_value(p.R, p.x), want, 1e-7 * want);
		ck_assert(gt_penalty_is_convex(p.R));
		free(x), free(y);
		prior_free(&p);
	}
	gt_backend_close(be);
}

/* Returns voxel (x, y, z); the border is repeated outside. */
static double clamped(const gt_grid *g, const double *v, const ptrdiff_t *place)
{
	size_t i = 0;
	for (int a = 2; a >= 0; a--)
		i = i * g->n[a] + (size_t)(place[a] < 0 ? 0 : place[a] < (ptrdiff_t)g->n[a] ? place[a] : (ptrdiff_t)g->n[a] - 1);
	return v[i];
}

/* By the definition: search 5, patches of 3, h 0.9, eps 0.3. */
static double nltv(const gt_grid *g, const double *x, const double *y)
{
	double sum = 0, n = 1;
	for (int a = 0; a < 3; a++)
		n *= g->n[a] > 1 ? 5 : 1;
	for (size_t i = 0; i < gt_grid_voxels(g); i++)
		for (size_t k = 0; k < i; k++) {
			ptrdiff_t at[3], there[3];
			double square = 0;
			int near = 1;
			for (size_t a = 0, stride = 1; a < 3; stride *= g->n[a++]) {
				at[a] = (ptrdiff_t)(i / stride % g->n[a]);
				there[a] = (ptrdiff_t)(k / stride % g->n[a]);
				near = near && labs((long)(at[a] - there[a])) <= 2;
			}
			for (int o = 0; o < 27 && near; o++) {
				const int by[3] = { o % 3 - 1, o / 3 % 3 - 1, o / 9 - 1 };
				ptrdiff_t p[3], q[3];
				for (int a = 0; a < 3; a++)
					p[a] = at[a] + by[a], q[a] = there[a] + by[a];
				square += pow(clamped(g, y, p) - clamped(g, y, q), 2);
			}
			sum += near ? exp(-square / 27 / 0.81) * (sqrt(pow(x[i] - x[k], 2) + 0.09) - 0.3) : 0;
		}
	return sum / (n - 1);
}

GT_TEST(non_local_value)
{
	gt_backend *be = gt_test_backend();
	for (int i = 0; i < GRIDS; i++) {
		struct prior p = prior_on(be, GT_F64, specs[3], &grids[i]);
		double *x = gt_test_values(p.x), *y = prior_values(&grids[i], 1);
		const double want = 1.1 * nltv(&grids[i], x, y);
		ck_assert_double_eq_tol(gt_penalty_value(p.R, p.x), want, 1e-7 * want);
		free(x), free(y);
		prior_free(&p);
	}
	gt_backend_close(be);
}

GT_TEST(prior_images_are_refused)
{
	static const struct {
		double pitch, shift;
		size_t n;
		const char *text;
	} wrong[] = {
		{ 1.01, 0, 9, "expected the voxels of 7x5x6@" },
		{ 1, 0.5, 8, "expected the voxels of 7x5x6@" },
		{ 1, 9, 8, "expected the voxels of 7x5x6@" },
		{ 1, 0, 6, "(recon --padding no adds no slices)" },
	};
	gt_backend *be = gt_test_backend();
	gt_penalty *R = NULL;
	char path[64], spec[128];
	for (int k = 0; k < 4; k++) {
		gt_grid other = grids[0];
		other.n[0] = wrong[k].n - 3; /* the file gets three more */
		other.pitch[0] *= wrong[k].pitch;
		other.center[0] += wrong[k].shift * other.pitch[0];
		write_prior(&other, 1, path);
		snprintf(spec, sizeof spec, "piccs:prior=%s", path);
		ck_refused(gt_regularizer_new(spec, be, GT_F32, &grids[0], NULL, &R), GT_ERR_ARG, wrong[k].text);
		ck_assert_ptr_nonnull(strstr(gt_error(), "penalty piccs: prior=/tmp/gantry-prior-"));
		unlink(path);
	}
	ck_refused(gt_regularizer_new("piccs", be, GT_F32, &grids[0], NULL, &R), GT_ERR_ARG,
	           "penalty piccs: prior: found no file, expected a volume");
	ck_refused(gt_regularizer_new("nltv:prior=no/such.nc", be, GT_F32, &grids[0], NULL, &R), GT_ERR_IO,
	           "penalty nltv: prior: no/such.nc");
	ck_refused(make("qggmrf:map=PRIOR", be, GT_F32, &(gt_grid){ { 3, 3, 3 }, { 1, 1, 1 }, { 0.3, 0, 0 } }, &R), GT_OK, "");
	gt_penalty_free(R);
	write_prior(&grids[0], -1, path);
	snprintf(spec, sizeof spec, "qggmrf:map=%s", path);
	ck_refused(gt_regularizer_new(spec, be, GT_F32, &grids[0], NULL, &R), GT_ERR_ARG, "expected 0 or more");
	unlink(path);
	ck_assert_uint_eq(gt_test_counters(be).bytes, 0);
	gt_backend_close(be);
}

/* The root of a strength map acts as kappa; both multiply. */
GT_TEST(strength_per_voxel)
{
	gt_backend *be = gt_test_backend();
	const size_t n = gt_grid_voxels(&grids[0]);
	double *map = prior_values(&grids[0], 1);
	char path[64], spec[128];
	write_prior(&grids[0], 1, path);
	snprintf(spec, sizeof spec, "qggmrf:c=0.3,strength=1.7,map=%s", path);
	for (int with = 0; with < 2; with++) {
		gt_array *root = gt_test_array(be, GT_F64, n, 1), *kappa = gt_test_array(be, GT_F64, n, 7),
			 *x = gt_test_array(be, GT_F64, n, 3);
		gt_penalty *R, *want;
		gt_array_put(map, root);
		gt_pow(0.5, root);
		if (with)
			gt_mul(kappa, root);
		ck_ok(gt_regularizer_new(spec, be, GT_F64, &grids[0], with ? kappa : NULL, &R));
		ck_ok(gt_regularizer_new("qggmrf:c=0.3,strength=1.7", be, GT_F64, &grids[0], root, &want));
		ck_assert_double_eq_tol(gt_penalty_value(R, x), gt_penalty_value(want, x), 1e-12 * fabs(gt_penalty_value(want, x)));
		gt_penalty_free(R), gt_penalty_free(want);
		gt_array_free(root), gt_array_free(kappa), gt_array_free(x);
	}
	unlink(path);
	free(map);
	gt_backend_close(be);
}

int main(void) { return gt_test_main("prior images", NULL); }
