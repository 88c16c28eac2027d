/* The ramp preconditioner: spectra from impulses, local weights, and the shapes between which they choose. */
#include <math.h>
#include <stdlib.h>
#include "core/fft.h"
#include "core/host_memory.h"
#include "solvers/ramp.h"

enum { SHAPES = 4 };
static const double least_weight = 1e-3; /* kappa^2, of the largest: voxels seen by less are taken for seen by as much */
static const double impulse = 1e-12;     /* mm^-1: so small that every potential is a parabola */

struct gt_ramp_filter {
	gt_slices *slices;
	int shapes;
	gt_array *response[SHAPES], *scale[SHAPES];
};

struct making {
	const gt_problem *p;
	gt_ramp_filter *m;
	gt_array *r, *g, *z;
	size_t middle[3], slice, voxels, waves;
	double *kernel;     /* [slice] */
	double *h, *rho;    /* [waves] */
	float *kappa, *eta; /* [voxels]; kappa: squared, then 1/kappa; eta: b/kappa^2, then its place among the shapes */
	float *share;
	double low, high; /* of eta */
	int k;
};

static size_t middle_voxel(const struct making *s)
{
	return (s->middle[2] * s->p->grid->n[1] + s->middle[1]) * s->p->grid->n[0] + s->middle[0];
}

/* The middle slice of g, on the host. */
static gt_status get_kernel(const struct making *s)
{
	gt_status st = GT_OK;
	gt_array *part = NULL;
	float *single = malloc(s->slice * sizeof *single);
	if (!single)
		return gt_fail(GT_ERR_MEMORY, "no memory for a slice of %zu voxels", s->slice);
	GT_TRY(gt_array_part(s->g, s->middle[2] * s->slice, s->slice, &part));
	gt_array_get_float(part, single);
	GT_TRY(gt_backend_status(gt_array_backend(s->g)));
	for (size_t i = 0; i < s->slice; i++)
		s->kernel[i] = single[i];
done:
	gt_array_free(part);
	free(single);
	return st;
}

/* A number of one voxel of an array, or that voxel set. */
static gt_status at_middle(const struct making *s, gt_array *a, const double *set, double *got)
{
	gt_status st = GT_OK;
	gt_array *part = NULL;
	GT_TRY(gt_array_part(a, middle_voxel(s), 1, &part));
	if (set)
		gt_fill(*set, part);
	else
		*got = gt_sum(part);
done:
	gt_array_free(part);
	return st;
}

static gt_status put_impulse(const struct making *s, double value)
{
	gt_fill(0, s->z);
	return at_middle(s, s->z, &value, NULL);
}

/* Long tails end smoothly at the border of the slice: cut off, they would make the spectrum ring below 0. */
static void taper(const struct making *s)
{
	const size_t *n = s->p->grid->n;
	const double pi = 3.14159265358979323846;
	for (size_t y = 0; y < n[1]; y++)
		for (size_t x = 0; x < n[0]; x++) {
			const double u = ((double)x - (double)s->middle[0]) / (0.5 * (double)n[0]),
				     v = ((double)y - (double)s->middle[1]) / (0.5 * (double)n[1]), r = hypot(u, v);
			s->kernel[y * n[0] + x] *= r < 1 ? 0.5 * (1 + cos(pi * r)) : 0;
		}
}

/* Spectra are positive but for rounding and what the taper leaves. */
static void raise(size_t n, double part, double *spectrum)
{
	double most = 0;
	for (size_t i = 0; i < n; i++)
		most = fmax(most, spectrum[i]);
	for (size_t i = 0; i < n; i++)
		spectrum[i] = fmax(spectrum[i], part * most);
}

static gt_status spectra(struct making *s)
{
	gt_status st = GT_OK;
	GT_TRY(put_impulse(s, 1));
	gt_forward(s->p->A[0], s->z, s->r);
	gt_adjoint(s->p->A[0], s->r, s->g);
	GT_TRY(get_kernel(s));
	taper(s);
	GT_TRY(gt_slices_spectrum(s->m->slices, s->kernel, s->middle, s->h));
	raise(s->waves, 1e-5, s->h);
	if (!s->p->R)
		return GT_OK;
	GT_TRY(put_impulse(s, impulse));
	gt_fill(0, s->g);
	gt_penalty_gradient(s->p->R, s->z, s->g, NULL);
	gt_scale(1 / impulse, s->g);
	GT_TRY(get_kernel(s));
	GT_TRY(gt_slices_spectrum(s->m->slices, s->kernel, s->middle, s->rho));
	raise(s->waves, 0, s->rho);
done:
	return st;
}

/* kappa^2 and eta on the host. */
static gt_status local_weights(struct making *s)
{
	double seen, most, penalty = 0;
	gt_status st = GT_OK;
	gt_fill(1, s->r);
	gt_adjoint(s->p->A[0], s->r, s->g);
	GT_TRY(at_middle(s, s->g, NULL, &seen));
	if (!(seen > 1e-3 * gt_max(s->g)) && !gt_backend_rehearses(gt_array_backend(s->g)))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "preconditioner 'ramp': the middle voxel of the grid is hardly seen by any ray"));
	if (s->p->w)
		gt_adjoint(s->p->A[0], s->p->w[0], s->g);
	most = gt_max(s->g) / seen;
	gt_array_get_float(s->g, s->kappa);
	gt_fill(0, s->z);
	gt_penalty_majorize(s->p->R, s->z);
	if (s->p->R)
		GT_TRY(at_middle(s, s->z, NULL, &penalty));
	gt_array_get_float(s->z, s->eta);
	GT_TRY(gt_backend_status(gt_array_backend(s->g)));
	s->low = INFINITY;
	s->high = 0;
	for (size_t i = 0; i < s->voxels; i++) {
		const double kappa = fmax(s->kappa[i] / seen, least_weight * most), eta = penalty > 0 ? s->eta[i] / penalty / kappa : 0;
		s->kappa[i] = (float)kappa;
		s->eta[i] = (float)eta;
		s->low = fmin(s->low, eta);
		s->high = fmax(s->high, eta);
	}
done:
	return st;
}

/* The shares of shape k, of all voxels. */
static void shares(void *self, size_t i, size_t end, int worker)
{
	struct making *s = self;
	const double last = s->m->shapes - 1, step = last > 0 ? log(s->high / s->low) / last : 0;
	(void)worker;
	for (; i < end; i++) {
		double part = 1;
		if (last > 0) {
			const double place = fmin(fmax(log(s->eta[i] / s->low) / step, 0), last);
			part = fmax(0, 1 - fabs(place - s->k));
		}
		s->share[i] = (float)sqrt(part / s->kappa[i]);
	}
}

static gt_status make_shapes(struct making *s)
{
	gt_status st = GT_OK;
	gt_ramp_filter *m = s->m;
	gt_pool *pool = gt_backend_pool(gt_array_backend(s->g));
	const int differ = gt_backend_rehearses(gt_array_backend(s->g)) ? s->p->R != NULL : s->low > 0 && s->high > 1.5 * s->low;
	m->shapes = differ ? SHAPES : 1;
	for (s->k = 0; s->k < m->shapes; s->k++) {
		const double place = m->shapes > 1 ? (double)s->k / (m->shapes - 1) : 0.5;
		const double eta = s->low > 0 ? s->low * pow(s->high / s->low, place) : 0;
		for (size_t i = 0; i < s->waves; i++)
			s->kernel[i] = 1 / (s->h[i] + eta * s->rho[i]);
		GT_TRY(gt_slices_response(m->slices, s->kernel, &m->response[s->k]));
		GT_TRY(gt_array_like(s->g, &m->scale[s->k]));
		gt_parallel(pool, s->voxels, 1 << 16, shares, s);
		gt_array_put_float(s->share, m->scale[s->k]);
	}
	gt_backend_wait(gt_array_backend(s->g));
done:
	return st;
}

static gt_status check(const char *solver, const gt_problem *p, const gt_array *x)
{
	if (!p->grid)
		return gt_fail(GT_ERR_ARG,
		               "solver '%s': preconditioner=ramp filters the slices of a grid of voxels, which this problem does not name: "
		               "expected diagonal or none",
		               solver);
	if (gt_grid_voxels(p->grid) != gt_array_size(x))
		return gt_fail(GT_ERR_ARG, "solver '%s': preconditioner=ramp: the grid has %zu voxels, the volume %zu", solver,
		               gt_grid_voxels(p->grid), gt_array_size(x));
	return GT_OK;
}

static gt_status room(struct making *s)
{
	gt_status st = GT_OK;
	size_t wide[2];
	gt_slices_padded(s->m->slices, wide);
	s->waves = (wide[0] / 2 + 1) * wide[1];
	GT_TRY(gt_host_room(3.0 * (double)s->voxels * sizeof *s->kappa + 3.0 * (double)s->waves * sizeof *s->h, "preconditioner 'ramp'"));
	s->kernel = calloc(s->waves > s->slice ? s->waves : s->slice, sizeof *s->kernel);
	s->h = calloc(s->waves, sizeof *s->h);
	s->rho = calloc(s->waves, sizeof *s->rho);
	s->kappa = calloc(s->voxels, sizeof *s->kappa);
	s->eta = calloc(s->voxels, sizeof *s->eta);
	s->share = calloc(s->voxels, sizeof *s->share);
	if (!s->kernel || !s->h || !s->rho || !s->kappa || !s->eta || !s->share)
		st = gt_fail(GT_ERR_MEMORY, "no memory on the host for preconditioner 'ramp' of %zu voxels", s->voxels);
done:
	return st;
}

gt_status gt_ramp_filter_new(const char *solver, const gt_problem *p, gt_array *r, gt_array *g, gt_array *z, gt_ramp_filter **out)
{
	struct making s = { .p = p, .r = r, .g = g, .z = z };
	gt_status st = check(solver, p, g);
	if (st != GT_OK)
		return st;
	for (int a = 0; a < 3; a++)
		s.middle[a] = p->grid->n[a] / 2;
	s.slice = p->grid->n[0] * p->grid->n[1];
	s.voxels = gt_array_size(g);
	if (!(s.m = calloc(1, sizeof *s.m)))
		return gt_fail(GT_ERR_MEMORY, "no memory for preconditioner 'ramp'");
	GT_TRY(gt_slices_new(gt_array_backend(g), gt_array_type(g), p->grid->n, &s.m->slices));
	GT_TRY(room(&s));
	GT_TRY(spectra(&s));
	GT_TRY(local_weights(&s));
	GT_TRY(make_shapes(&s));
	*out = s.m;
done:
	if (st != GT_OK)
		gt_ramp_filter_free(s.m);
	free(s.kernel);
	free(s.h);
	free(s.rho);
	free(s.kappa);
	free(s.eta);
	free(s.share);
	return st;
}

void gt_ramp_filter_free(gt_ramp_filter *m)
{
	if (!m)
		return;
	for (int k = 0; k < SHAPES; k++) {
		gt_array_free(m->response[k]);
		gt_array_free(m->scale[k]);
	}
	gt_slices_free(m->slices);
	free(m);
}

void gt_ramp_filter_apply(const gt_ramp_filter *m, const gt_array *g, gt_array *z)
{
	for (int k = 0; k < m->shapes; k++)
		gt_slices_filter(m->slices, m->response[k], m->scale[k], k > 0, g, z);
}
