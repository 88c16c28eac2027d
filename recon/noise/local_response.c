/* Local response of weighted projection and backprojection, and of a penalty (J. A. Fessler, W. L. Rogers, IEEE Trans.
 * Image Process. 5 (1996) 1346): spectra of point responses at a few positions, on a small grid. Memory for projections
 * of at most 240 views: 8 bytes per pixel on the host, and five arrays on the device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/projector.h>
#include "core/device/host_memory.h"
#include "core/fft/fft_box.h"
#include "core/try.h"
#include "geometry/grid.h"
#include "geometry/projections.h"
#include "recon/noise/noise_estimate.h"
#include "recon/noise/strength_search.h"

/* Enough views for the distances within a patch. */
enum { MAX_PATCH_VIEWS = 120 };
/* A difference, in HU, so small that any penalty is quadratic in it. */
#define QUADRATIC_RANGE_HU 1e-5

struct view_values {
	const gt_strength_search *s;
	size_t first, stride, n;
	float *values; /* w, and w^2 times the variance */
};

static void fill_values(void *self, size_t begin, size_t end, int worker)
{
	const struct view_values *a = self;
	const gt_scan *scan = a->s->q->projections->scan;
	const size_t view = scan->rows * scan->columns;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		const size_t from = (a->first + i / view * a->stride) * view + i % view;
		const double weight = a->s->q->weights ? a->s->q->weights[from] : 1;
		a->values[i] = (float)weight;
		a->values[a->n + i] = (float)(weight * weight * gt_noise_variance(a->s->model, from));
	}
}

gt_status gt_strength_gather(const gt_strength_search *s, size_t first, size_t stride, gt_array *w, gt_array *wvw)
{
	const size_t n = gt_array_size(w);
	struct view_values a = { s, first, stride, n, gt_host_alloc(2 * n * sizeof *a.values) };
	gt_status st = a.values ? GT_OK : gt_fail(GT_ERR_MEMORY, "weights of some views need %.3g MB", (double)n * 8e-6);
	GT_TRY(st);
	if (!gt_backend_is_dry_run(s->be))
		gt_parallel(gt_backend_pool(s->be), n, 1 << 14, fill_values, &a);
	gt_array_put_float(a.values, w);
	gt_array_put_float(a.values + n, wvw);
	GT_TRY(gt_backend_status(s->be));
done:
	free(a.values);
	return st;
}

gt_grid gt_strength_patch_grid(const gt_strength_search *s, size_t voxel)
{
	gt_grid g = *s->q->grid;
	const size_t at[3] = { voxel % g.n[0], voxel / g.n[0] % g.n[1], voxel / g.n[0] / g.n[1] };
	for (int a = 0; a < 3; a++) {
		if (a == 2 && s->patch.layers > 1)
			continue;
		g.center[a] = gt_grid_first(s->q->grid, a) + ((double)at[a] - (s->patch.n[a] > 1 ? 0.5 : 0)) * g.pitch[a];
		g.n[a] = s->patch.n[a];
	}
	return g;
}

static gt_status no_memory(const gt_strength_search *s)
{
	return gt_fail(GT_ERR_MEMORY, "no memory for a patch of %zu voxels", s->patch.size);
}

/* Buffers of add_response(). */
struct buffers {
	double *host;  /* patch */
	float *single; /* likewise, in single precision */
	double *one;   /* spectrum of a box */
};

static void buffers_free(struct buffers *r)
{
	free(r->host);
	free(r->single);
	free(r->one);
}

static gt_status buffers_new(const gt_strength_search *s, struct buffers *r)
{
	const size_t n = s->patch.size;
	*r = (struct buffers){ malloc(n * sizeof *r->host), malloc(n * sizeof *r->single), malloc(s->patch.box * sizeof *r->one) };
	return r->host && r->single && r->one ? GT_OK : no_memory(s);
}

static gt_status new_spectrum(const gt_strength_search *s, double **spectrum)
{
	*spectrum = malloc(s->patch.size * s->patch.layers * sizeof **spectrum);
	return *spectrum ? GT_OK : no_memory(s);
}

/* Adds the responses of all layers to a point in one of them, `scale` times, to the spectrum. */
static gt_status add_response(const gt_strength_search *s, const gt_array *response, size_t layer, double scale, struct buffers *r,
                              double *spectrum)
{
	const size_t box = s->patch.box, m = s->patch.layers;
	gt_status st = GT_OK;
	if (gt_backend_is_dry_run(s->be)) {
		for (size_t i = 0; i < m * m * box; i++)
			spectrum[i] = 0;
		return GT_OK;
	}
	if (gt_array_type(response) == GT_F64)
		gt_array_get(response, r->host);
	else
		gt_array_get_float(response, r->single);
	GT_TRY(gt_backend_status(s->be));
	for (size_t i = 0; i < m * box && gt_array_type(response) != GT_F64; i++)
		r->host[i] = r->single[i];
	for (size_t l = 0; l < m; l++) {
		GT_TRY(gt_fft_box_spectrum(s->patch.n, r->host + l * box, spectrum != s->patch.R, r->one));
		for (size_t i = 0; i < box; i++)
			spectrum[(i * m + l) * m + layer] = scale * r->one[i];
	}
done:
	return st;
}

/* Eigenvalues below this fraction of the largest one, or of the mean response of a voxel to itself, are rounding. */
#define ROUNDING 1e-5

/* Makes the spectrum symmetric, as the operator is. */
static void symmetrise(const gt_noise_patches *p, double *spectrum)
{
	const size_t m = p->layers;
	for (size_t i = 0; i < p->box; i++, spectrum += m * m)
		for (size_t l = 0; l < m; l++)
			for (size_t j = 0; j < l; j++)
				spectrum[l * m + j] = spectrum[j * m + l] = (spectrum[l * m + j] + spectrum[j * m + l]) / 2;
}

/* Mean response of a voxel to itself, and the largest at frequency i. */
static double mean_answer(const gt_noise_patches *p, const double *spectrum)
{
	double sum = 0;
	for (size_t i = 0; i < p->box; i++)
		for (size_t l = 0; l < p->layers; l++)
			sum += gt_noise_answer(p, spectrum, i, l);
	return sum / (double)p->size;
}

static double largest_answer(const gt_noise_patches *p, const double *spectrum, size_t i)
{
	double largest = 0;
	for (size_t l = 0; l < p->layers; l++)
		largest = fmax(largest, gt_noise_answer(p, spectrum, i, l));
	return largest;
}

struct spectra {
	const gt_noise_patches *p;
	double *F, *G, *S; /* G NULL: none, nor S */
	double min;
};

static void make_definite_at(void *self, size_t begin, size_t end, int worker)
{
	const struct spectra *a = self;
	const size_t m = a->p->layers, n = m * m;
	double product[GT_NOISE_LAYERS * GT_NOISE_LAYERS];
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		const double min = a->G ? fmax(a->min, ROUNDING * largest_answer(a->p, a->F, i)) : 0;
		gt_small_raise(m, min, a->F + i * n, a->S ? a->S + i * n : NULL);
		if (!a->G)
			continue;
		gt_small_product(m, a->S + i * n, a->G + i * n, product);
		gt_small_product(m, product, a->S + i * n, a->G + i * n);
		gt_small_raise(m, 0, a->G + i * n, NULL);
	}
}

/* Makes the spectra symmetric and positive semidefinite. Rounding of single precision makes eigenvalues of slices
 * without rays negative, and then the cost has no minimum under penalties that grow linearly. So the eigenvalues of F
 * are at least this rounding. S removes the directions below it, which the data do not determine, from G. */
static void make_definite(const gt_strength_search *s, double *F, double *G, double *S)
{
	struct spectra a = { &s->patch, F, G, S, G ? ROUNDING * mean_answer(&s->patch, F) : 0 };
	symmetrise(&s->patch, F);
	if (G)
		symmetrise(&s->patch, G);
	if (!gt_backend_is_dry_run(s->be))
		gt_parallel(gt_backend_pool(s->be), s->patch.box, 64, make_definite_at, &a);
}

/* x = value at voxel n/2 of a layer, else 0. */
static void put_point(const gt_strength_search *s, size_t layer, struct buffers *r, double value, gt_array *x)
{
	const size_t *n = s->patch.n;
	const size_t at = layer * s->patch.box + n[0] / 2 + n[0] * (n[1] / 2 + n[1] * (n[2] / 2));
	if (gt_array_type(x) == GT_F64) {
		memset(r->host, 0, s->patch.size * sizeof *r->host);
		r->host[at] = value;
		gt_array_put(r->host, x);
	} else {
		memset(r->single, 0, s->patch.size * sizeof *r->single);
		r->single[at] = (float)value;
		gt_array_put_float(r->single, x);
	}
}

/* Measures the spectra at one position: projects a point of each layer, then backprojects w and wvw times the
 * projection. */
static gt_status measure_place(gt_strength_search *s, const gt_linop *A, size_t stride, gt_array *w, gt_array *wvw, gt_noise_patch *at)
{
	gt_array *x = NULL, *y = NULL, *u = NULL;
	struct buffers own = { .host = NULL };
	gt_status st = GT_OK;
	GT_TRY(buffers_new(s, &own));
	GT_TRY(new_spectrum(s, &at->F));
	GT_TRY(new_spectrum(s, &at->G));
	GT_TRY(new_spectrum(s, &at->S));
	GT_TRY(gt_array_new(s->be, s->type, s->patch.size, &x));
	GT_TRY(gt_array_new(s->be, s->type, gt_linop_ny(A), &y));
	GT_TRY(gt_array_like(y, &u));
	for (size_t layer = 0; layer < s->patch.layers; layer++) {
		put_point(s, layer, &own, 1, x);
		gt_forward(A, x, y);
		gt_copy(y, u);
		gt_mul(w, u);
		gt_adjoint(A, u, x);
		GT_TRY(add_response(s, x, layer, (double)stride, &own, at->F));
		gt_mul(wvw, y);
		gt_adjoint(A, y, x);
		GT_TRY(add_response(s, x, layer, (double)stride, &own, at->G));
	}
	make_definite(s, at->F, at->G, at->S);
done:
	buffers_free(&own);
	gt_array_free(x);
	gt_array_free(y);
	gt_array_free(u);
	return st;
}

/* Moves the voxel half way to the centre of the grid; a patch of layers already contains all slices. */
static size_t nearer_centre(const gt_strength_search *s, size_t voxel)
{
	const size_t *n = s->q->grid->n;
	size_t at[3] = { voxel % n[0], voxel / n[0] % n[1], voxel / n[0] / n[1] };
	for (int a = 0; a < (s->patch.layers > 1 ? 2 : 3); a++)
		at[a] = (at[a] + n[a] / 2 + (at[a] < n[a] / 2)) / 2;
	return at[0] + n[0] * (at[1] + n[1] * at[2]);
}

/* Patches of coarse voxels may extend beyond the grid to the source, which no projector supports. */
static void keep_off_sources(const gt_strength_search *s, const gt_scan *scan, size_t voxel[GT_NOISE_PATCHES])
{
	for (int k = 0; k < GT_NOISE_PATCHES; k++)
		for (;;) {
			const gt_grid box = gt_strength_patch_grid(s, voxel[k]);
			const size_t next = nearer_centre(s, voxel[k]);
			if (next == voxel[k] || gt_grid_check_sources(&box, scan) == GT_OK)
				break;
			voxel[k] = next;
		}
}

static size_t patch_stride(size_t views) { return views / MAX_PATCH_VIEWS + (views < MAX_PATCH_VIEWS); }

size_t gt_strength_patch_views(size_t views) { return (views + patch_stride(views) - 1) / patch_stride(views); }

gt_status gt_strength_measure_places(gt_strength_search *s)
{
	const gt_scan *scan = s->q->projections->scan;
	const size_t stride = patch_stride(scan->views);
	gt_scan *some = NULL;
	gt_linop *A = NULL;
	gt_array *w = NULL, *wvw = NULL;
	size_t *voxel = s->voxel;
	gt_status st = GT_OK;
	s->patch.places = GT_NOISE_PATCHES;
	GT_TRY(gt_scan_subset(scan, 0, stride, &some));
	GT_TRY(gt_strength_choose_places(s, voxel));
	keep_off_sources(s, some, voxel);
	for (int k = 0; k < GT_NOISE_PATCHES; k++) {
		const gt_grid box = gt_strength_patch_grid(s, voxel[k]);
		GT_TRY(gt_projector_new(s->q->projector, s->be, s->type, &box, some, &A));
		if (!w) {
			GT_TRY(gt_array_new(s->be, s->type, gt_linop_ny(A), &w));
			GT_TRY(gt_array_like(w, &wvw));
			GT_TRY(gt_strength_gather(s, 0, stride, w, wvw));
		}
		s->patch.at[k].square = s->q->kappa ? (double)s->q->kappa[voxel[k]] * s->q->kappa[voxel[k]] : 1;
		GT_TRY(measure_place(s, A, stride, w, wvw, &s->patch.at[k]));
		gt_linop_free(A);
		A = NULL;
	}
done:
	gt_linop_free(A);
	gt_array_free(w);
	gt_array_free(wvw);
	gt_scan_free(some);
	return st;
}

gt_status gt_strength_measure_penalty(gt_strength_search *s, const gt_penalty *R, gt_array *x, gt_array *g)
{
	const double height = QUADRATIC_RANGE_HU * GT_MU_WATER / 1000;
	struct buffers own = { .host = NULL };
	gt_status st = GT_OK;
	GT_TRY(buffers_new(s, &own));
	GT_TRY(new_spectrum(s, &s->patch.R));
	for (size_t layer = 0; layer < s->patch.layers; layer++) {
		put_point(s, layer, &own, height, x);
		gt_fill(0, g);
		gt_penalty_gradient(R, x, g, NULL);
		GT_TRY(add_response(s, g, layer, 1 / height, &own, s->patch.R));
	}
	make_definite(s, s->patch.R, NULL, NULL);
done:
	buffers_free(&own);
	return st;
}
