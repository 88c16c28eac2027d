/* Ramp preconditioner: spectra from impulse responses, local weights, and interpolation between filter shapes. */
#include <math.h>
#include <stdlib.h>
#include <gantry/author/constants.h>
#include "core/fft/fft.h"
#include "core/partition/partition.h"
#include "core/try.h"
#include "solvers/circulant_preconditioner.h"

enum { SHAPES = 4 };
static const double min_weight = 1e-3;            /* lower bound of kappa^2, relative to the largest */
static const double min_curvature = 1e-3;         /* lower bound of the penalty's curvature, relative to the largest */
static const double large = 1e3, impulse = 1e-12; /* mm^-1: so small that every potential is quadratic */

struct gt_circulant {
	gt_slice_filter *slices;
	gt_array *h, *rho, *response[SHAPES];
	gt_array *scale, *place; /* 1/kappa; position of eta among the shapes */
	int shapes;
	double low, high; /* range of eta */
	double middle;    /* largest curvature of the penalty at the central voxel */
	int changes;      /* 1 if the curvature depends on x */
};

struct making {
	const gt_problem *p;
	gt_circulant *m;
	gt_array *r, *g, *z;
	size_t middle[3], slice, waves;
	double *kernel;  /* [slice] */
	double *h, *rho; /* [waves] */
	double samples;
};

static size_t middle_voxel(const struct making *s) { return (s->middle[2] * s->p->n[1] + s->middle[1]) * s->p->n[0] + s->middle[0]; }

/* Copies the central slice of g to the host. */
static gt_status get_kernel(const struct making *s)
{
	gt_status st = GT_OK;
	gt_array *part = NULL;
	float *single = calloc(s->slice, sizeof *single); /* zeroed: a dry run reads nothing into it */
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

/* Reads or sets the central voxel of an array. */
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

/* Tapers long tails to zero at the border of the slice; truncation would make the spectrum ring below 0. */
static void taper(const struct making *s)
{
	const size_t *n = s->p->n;
	for (size_t y = 0; y < n[1]; y++)
		for (size_t x = 0; x < n[0]; x++) {
			const double u = ((double)x - (double)s->middle[0]) / (0.5 * (double)n[0]),
				     v = ((double)y - (double)s->middle[1]) / (0.5 * (double)n[1]), r = hypot(u, v);
			s->kernel[y * n[0] + x] *= r < 1 ? 0.5 * (1 + cos(GT_PI * r)) : 0;
		}
}

/* Makes spectra positive: rounding and the taper may leave negative values. */
static void lift(size_t n, double part, double *spectrum)
{
	double max = 0;
	for (size_t i = 0; i < n; i++)
		max = fmax(max, spectrum[i]);
	for (size_t i = 0; i < n; i++)
		spectrum[i] = fmax(spectrum[i], part * max);
}

static gt_status spectra(struct making *s)
{
	gt_status st = GT_OK;
	GT_TRY(put_impulse(s, 1));
	gt_forward(s->p->A[0], s->z, s->r);
	gt_adjoint(s->p->A[0], s->r, s->g);
	GT_TRY(get_kernel(s));
	taper(s);
	GT_TRY(gt_slice_filter_spectrum(s->m->slices, s->kernel, s->middle, s->h));
	lift(s->waves, 1e-5, s->h);
	if (!s->p->R)
		return GT_OK;
	GT_TRY(put_impulse(s, impulse));
	gt_fill(0, s->g);
	gt_penalty_gradient(s->p->R, s->z, s->g, NULL);
	gt_scale(1 / impulse, s->g);
	GT_TRY(get_kernel(s));
	GT_TRY(gt_slice_filter_spectrum(s->m->slices, s->kernel, s->middle, s->rho));
	lift(s->waves, 0, s->rho);
done:
	return st;
}

/* Computes 1/kappa in m->scale. */
static gt_status local_weights(struct making *s)
{
	double seen;
	gt_array *scale = s->m->scale;
	gt_status st = GT_OK;
	gt_fill(1, s->r);
	gt_adjoint(s->p->A[0], s->r, scale);
	GT_TRY(at_middle(s, scale, NULL, &seen));
	if (!(seen > 1e-3 * gt_max(scale)) && !gt_backend_is_dry_run(gt_array_backend(scale)))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "preconditioner 'ramp': the middle voxel of the grid is hardly seen by any ray"));
	if (s->p->w)
		gt_adjoint(s->p->A[0], s->p->w[0], scale);
	gt_scale(1 / seen, scale);
	const double max = gt_max(scale);
	if (!(max > 0))
		GT_TRY(gt_fail(GT_ERR_ARG, "preconditioner 'ramp': no ray of weight above 0 meets the volume"));
	gt_clamp(min_weight * max, INFINITY, scale);
	gt_pow(-0.5, scale);
	if (!s->p->R)
		return GT_OK;
	gt_fill(0, s->z);
	gt_penalty_majorize(s->p->R, s->z);
	GT_TRY(at_middle(s, s->z, NULL, &s->m->middle));
done:
	return st;
}

/* Tests whether the penalty's curvature falls with differences. Leaves its largest curvature in z. */
static gt_status find_change(struct making *s)
{
	double there = 0;
	gt_array *d = s->m->place;
	gt_status st = GT_OK;
	GT_TRY(put_impulse(s, large));
	gt_fill(0, s->g);
	gt_fill(0, d);
	gt_penalty_gradient(s->p->R, s->z, s->g, d);
	GT_TRY(at_middle(s, d, NULL, &there));
	s->m->changes = fabs(there - s->m->middle) > 1e-3 * s->m->middle;
	gt_fill(0, s->z);
	gt_penalty_majorize(s->p->R, s->z);
done:
	return st;
}

int gt_circulant_adapts(const gt_circulant *m) { return m->changes; }

/* Stores spectra times the number of samples, so that the inverse transform gives a response. */
static gt_status keep_spectra(struct making *s)
{
	gt_circulant *m = s->m;
	gt_status st = GT_OK;
	for (size_t i = 0; i < s->waves; i++) {
		s->h[i] *= s->samples * s->samples;
		s->rho[i] *= s->samples * s->samples;
	}
	GT_TRY(gt_slice_filter_response(m->slices, s->h, &m->h));
	GT_TRY(gt_slice_filter_response(m->slices, s->rho, &m->rho));
	for (int k = 0; k < (s->p->R ? SHAPES : 1); k++)
		GT_TRY(gt_array_like(m->h, &m->response[k]));
done:
	return st;
}

/* Computes the responses for low and high. */
static void tune(gt_circulant *m)
{
	m->shapes = m->low > 0 && m->high > 1.01 * m->low ? SHAPES : 1;
	for (int k = 0; k < m->shapes; k++) {
		const double eta = m->low > 0 ? m->low * pow(m->high / m->low, (double)k / (SHAPES - 1)) : 0;
		gt_copy(m->h, m->response[k]);
		gt_axpy(eta, m->rho, m->response[k]);
		gt_reciprocal(0, m->response[k]);
	}
}

void gt_circulant_adapt(gt_circulant *m, const gt_array *curvature)
{
	if (!(m->middle > 0))
		return;
	gt_copy(curvature, m->place);
	gt_scale(1 / m->middle, m->place);
	gt_clamp(min_curvature, INFINITY, m->place);
	gt_mul(m->scale, m->place);
	gt_mul(m->scale, m->place);
	m->low = gt_min(m->place);
	m->high = gt_max(m->place);
	tune(m);
	if (m->shapes > 1)
		gt_log(m->low, (SHAPES - 1) / log(m->high / m->low), m->place);
}

void gt_circulant_kept(gt_circulant *m, gt_state_entry kept[GT_CIRCULANT_STATE])
{
	const gt_state_entry all[] = { { "shape", m->place, NULL }, { "shape_low", NULL, &m->low }, { "shape_high", NULL, &m->high } };
	for (int i = 0; i < GT_CIRCULANT_STATE; i++)
		kept[i] = all[i];
}

void gt_circulant_resume(gt_circulant *m) { tune(m); }

static gt_status check(const char *solver, const gt_problem *p, const gt_array *x)
{
	if (!p->n[0])
		return gt_fail(GT_ERR_ARG,
		               "solver '%s': preconditioner=ramp filters the slices of a grid of voxels, which this problem does not name: "
		               "expected diagonal or none",
		               solver);
	const size_t voxels = p->n[0] * p->n[1] * p->n[2];
	if (voxels != gt_array_size(x))
		return gt_fail(GT_ERR_ARG, "solver '%s': preconditioner=ramp: the grid has %zu voxels, the volume %zu", solver, voxels,
		               gt_array_size(x));
	return GT_OK;
}

static gt_status room(struct making *s)
{
	gt_status st = GT_OK;
	size_t wide[2];
	gt_slice_filter_padded(s->m->slices, wide);
	s->waves = (wide[0] / 2 + 1) * wide[1];
	s->samples = (double)wide[0] * (double)wide[1];
	s->kernel = calloc(s->slice, sizeof *s->kernel);
	s->h = calloc(s->waves, sizeof *s->h);
	s->rho = calloc(s->waves, sizeof *s->rho);
	if (!s->kernel || !s->h || !s->rho)
		return gt_fail(GT_ERR_MEMORY, "no memory on the host for preconditioner 'ramp' of %zu numbers", s->waves);
	GT_TRY(gt_array_like(s->g, &s->m->scale));
	if (s->p->R)
		GT_TRY(gt_array_like(s->g, &s->m->place));
done:
	return st;
}

gt_status gt_circulant_new(const char *solver, const gt_problem *p, gt_array *r, gt_array *g, gt_array *z, gt_circulant **out)
{
	struct making s = { .p = p, .r = r, .g = g, .z = z };
	gt_status st = check(solver, p, g);
	if (st != GT_OK)
		return st;
	for (int a = 0; a < 3; a++)
		s.middle[a] = p->n[a] / 2;
	s.slice = p->n[0] * p->n[1];
	if (!(s.m = calloc(1, sizeof *s.m)))
		return gt_fail(GT_ERR_MEMORY, "no memory for preconditioner 'ramp'");
	const size_t slices = gt_array_here(g) / s.slice, here[3] = { p->n[0], p->n[1], slices ? slices : 1 };
	GT_TRY(gt_slice_filter_new(gt_array_backend(g), gt_array_type(g), here, &s.m->slices));
	GT_TRY(room(&s));
	GT_TRY(spectra(&s));
	GT_TRY(local_weights(&s));
	GT_TRY(keep_spectra(&s));
	s.m->low = s.m->high = 0;
	tune(s.m);
	if (p->R) {
		GT_TRY(find_change(&s));
		gt_circulant_adapt(s.m, z);
	}
	*out = s.m;
done:
	if (st != GT_OK)
		gt_circulant_free(s.m);
	free(s.kernel);
	free(s.h);
	free(s.rho);
	return st;
}

void gt_circulant_free(gt_circulant *m)
{
	if (!m)
		return;
	for (int k = 0; k < SHAPES; k++)
		gt_array_free(m->response[k]);
	gt_array_free(m->h);
	gt_array_free(m->rho);
	gt_array_free(m->scale);
	gt_array_free(m->place);
	gt_slice_filter_free(m->slices);
	free(m);
}

void gt_circulant_apply(const gt_circulant *m, const gt_array *g, gt_array *z)
{
	for (int k = 0; k < m->shapes && gt_array_here(g); k++) {
		const gt_slice_filter_share share = { m->scale, m->shapes > 1 ? m->place : NULL, k };
		gt_slice_filter_apply(m->slices, m->response[k], &share, k > 0, g, z);
	}
}
