/* Polychromatic line integrals of an object of several materials. */
#include <math.h>
#include <stdlib.h>
#include <gantry/prepare.h>
#include "core/try.h"
#include "prepare/materials.h"

enum { MAX_MATERIALS = 16 };

typedef struct {
	const gt_spectrum *s;
	size_t materials;
	double *mu[MAX_MATERIALS]; /* by energy, at density 1 */
	const float *const *integral;
	float *line;
} mix_call;

static void mix(void *self, size_t begin, size_t end, int worker)
{
	const mix_call *c = self;
	(void)worker;
	for (size_t i = begin; i < end; i++) {
		double mm[MAX_MATERIALS];
		for (size_t k = 0; k < c->materials; k++)
			mm[k] = c->integral[k][i];
		c->line[i] = (float)gt_spectrum_measured(c->s, c->materials, (const double *const *)c->mu, mm);
	}
}

static gt_status attenuation_of(const gt_spectrum *s, const char *name, double **mu)
{
	gt_material m;
	const gt_status st = gt_material_new(name, &m);
	if (st != GT_OK)
		return st;
	*mu = gt_spectrum_attenuation(s, &m);
	for (size_t i = 0; *mu && i < s->n; i++)
		(*mu)[i] /= m.density;
	gt_material_free(&m);
	return *mu ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
}

gt_status gt_mix_spectrum(const char *spectrum, const char *const *material, size_t materials, const float *const *integral, size_t n,
                          gt_pool *pool, float *line)
{
	gt_spectrum s = { NULL, NULL, 0 };
	mix_call c = { &s, materials, { NULL }, integral, line };
	gt_status st = GT_OK;
	if (!spectrum || !material || !integral || !line || materials < 1 || materials > MAX_MATERIALS)
		return gt_fail(GT_ERR_ARG, "gt_mix_spectrum: found %zu materials, expected 1 to %d, and arrays", materials, MAX_MATERIALS);
	GT_TRY(gt_spectrum_of_spec(spectrum, &s));
	for (size_t k = 0; k < materials; k++)
		GT_TRY(attenuation_of(&s, material[k], &c.mu[k]));
	gt_parallel(pool, n, 256, mix, &c);
done:
	for (size_t k = 0; k < materials; k++)
		free(c.mu[k]);
	gt_spectrum_free(&s);
	return st;
}
