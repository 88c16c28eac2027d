/* Low rank of several volumes on one grid:
 *    R(X) = strength times the sum of the singular values of X, whose columns are the volumes.
 * The function prox() soft-thresholds the singular values by t strength (Cai, Candes, Shen, SIAM J. Optim. 20 (2010)
 * 1956). With the eigenvectors V and eigenvalues s^2 of Z'Z it is Z V max(0, 1 - t strength/s) V'.
 * A gt_basis computes the Gram matrix (cuBLAS on CUDA), which is diagonalised on the host. Squaring halves the
 * digits: singular values below 1e-8 of the largest (1e-4 in single on CUDA) are treated as 0.
 *
 * Ranks of a team sum their local Gram matrices in rank order, so all have the same result. Memory: a copy of the
 * volumes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/regularizer.h>
#include "core/basis/basis.h"
#include "core/basis/symmetric.h"
#include "core/try.h"
#include "regularizers/pass.h"
#include "regularizers/pass_params.h"
#include "team/team.h"

struct options {
	double strength;
};
static const struct options defaults = { .strength = 1 };
static const gt_param params[] = { GT_PARAM_STRENGTH(struct options), { .key = NULL } };

struct state {
	struct gt_site site; /* all volumes */
	double strength;
	size_t volumes, each;
	gt_basis *z;
	double *gram, *vectors, *mix; /* [volumes][volumes] */
	double *theirs;               /* [ranks][volumes][volumes], in a team */
};

/* Replaces the local Gram matrix by the sum over all ranks. */
static void add_up(const struct state *s)
{
	const size_t n = s->volumes * s->volumes;
	if (!s->site.shares || gt_team_gather(s->site.be, s->gram, n * sizeof *s->gram, s->theirs) != GT_OK)
		return;
	for (size_t i = 0; i < n; i++) {
		s->gram[i] = 0;
		for (int m = 0; m < gt_ranks(s->site.be); m++)
			s->gram[i] += s->theirs[(size_t)m * n + i];
	}
}

/* Sets the diagonal of gram to the squared singular values and vectors to their eigenvectors. */
static void decompose(const struct state *s, const gt_array *x)
{
	const gt_array here = gt_halo_local(x);
	gt_copy(&here, gt_basis_whole(s->z));
	for (size_t i = 0; i < s->volumes; i++)
		gt_basis_dots(s->z, s->volumes, gt_basis_vector(s->z, i), s->gram + i * s->volumes);
	add_up(s);
	if (s->site.be->status == GT_OK)
		gt_symmetric_eigen(s->volumes, s->gram, s->vectors);
}

static double singular(const struct state *s, size_t i) { return sqrt(fmax(0, s->gram[i * s->volumes + i])); }

static double value(void *self, const gt_array *x)
{
	const struct state *s = self;
	double sum = 0;
	if (!gt_site_fits(&s->site, x))
		return NAN;
	decompose(s, x);
	for (size_t i = 0; i < s->volumes; i++)
		sum += singular(s, i);
	return s->strength * sum;
}

static void prox(void *self, double t, double lo, double hi, const gt_array *z, gt_array *x)
{
	const struct state *s = self;
	const size_t n = s->volumes;
	if (!gt_site_fits(&s->site, z) || !gt_site_fits(&s->site, x) || !gt_site_takes_step(&s->site, t, lo, hi))
		return;
	if (isfinite(lo) || isfinite(hi)) {
		gt_backend_fail(s->site.be,
		                gt_fail(GT_ERR_UNSUPPORTED,
		                        "low-rank: values between %g and %g: expected no bounds (nonneg=no), its proximal step has none",
		                        lo, hi));
		return;
	}
	decompose(s, z);
	for (size_t i = 0; i < n * n; i++) {
		s->mix[i] = 0;
		for (size_t k = 0; k < n; k++) {
			const double sigma = singular(s, k), left = sigma > t * s->strength ? 1 - t * s->strength / sigma : 0;
			s->mix[i] += s->vectors[i / n * n + k] * left * s->vectors[i % n * n + k];
		}
	}
	for (size_t i = 0; i < n; i++) {
		gt_array part = gt_array_at(s->site.be, s->site.type, s->each, (char *)x->data + i * s->each * gt_type_size(s->site.type));
		gt_fill(0, &part);
		gt_basis_add(s->z, n, s->mix + i * n, &part);
	}
}

static void release(void *self)
{
	struct state *s = self;
	gt_basis_free(s->z);
	gt_site_close(&s->site);
	free(s->gram);
	free(s->theirs);
	free(s->vectors);
	free(s->mix);
	free(s);
}

static const struct gt_penalty_ops ops = { .name = "low-rank", .value = value, .prox = prox, .free = release };

static gt_status fill(struct state *s)
{
	const size_t n = s->volumes;
	gt_array model = gt_array_at(s->site.be, s->site.type, s->each, NULL);
	s->gram = calloc(n * n, sizeof *s->gram);
	s->vectors = calloc(n * n, sizeof *s->vectors);
	s->mix = calloc(n * n, sizeof *s->mix);
	if (s->site.shares)
		s->theirs = calloc((size_t)gt_ranks(s->site.be) * n * n, sizeof *s->theirs);
	if (!s->gram || !s->vectors || !s->mix || (s->site.shares && !s->theirs))
		return gt_fail(GT_ERR_MEMORY, "low-rank: no memory for %zu volumes", n);
	return gt_basis_new("low-rank", &model, n, &s->z);
}

static gt_status make_joint(gt_backend *be, gt_type type, const gt_grid *grid, size_t volumes, const void *options, gt_penalty **R)
{
	gt_status st = GT_OK;
	struct state *s = calloc(1, sizeof *s);
	if (!s)
		return gt_fail(GT_ERR_MEMORY, "no memory for penalty 'low-rank'");
	s->strength = ((const struct options *)options)->strength;
	s->volumes = volumes;
	GT_TRY(gt_site_open(&s->site, "low-rank", be, type, grid));
	s->each = s->site.voxels;
	s->site.voxels *= volumes;
	GT_TRY(fill(s));
	return gt_penalty_new(&ops, s, be, type, volumes * gt_grid_voxels(grid), 1, R);
done:
	release(s);
	return st;
}

static gt_status make(gt_backend *be, gt_type type, const gt_grid *grid, const void *options, const gt_array *kappa, gt_penalty **R)
{
	const gt_status st = gt_no_kappa("low-rank", kappa);
	return st == GT_OK ? make_joint(be, type, grid, 1, options, R) : st;
}

const gt_regularizer gt_regularizer_low_rank = {
	.name = "low-rank",
	.about = "sum of the singular values of several volumes; gantry recon and denoise take them",
	.make = make,
	.make_joint = make_joint,
	.params = params,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.no_automatic_strength = 1,
};
