/* Mass attenuation without coherent corrections, cm^2/g: Hubbell, Seltzer, NIST Standard Reference Database 126
 * (NISTIR 5632), tables 3 and 4: water, aluminium, copper, cortical bone of ICRU 44. Spectrum: Kramers, Philos.
 * Mag. 46 (1923) 836. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include "core/try.h"
#include "prepare/materials.h"

enum { ENERGIES = 12, LINE = 256, MOST_LINES = 100000 };
static const double energies[ENERGIES] = { 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300 };
static const struct {
	const char *name;
	double density; /* g/cm^3 */
	double mass_attenuation[ENERGIES];
} known[] = {
	{ "water", 1.000, { 5.329, 1.673, 0.8096, 0.3756, 0.2683, 0.2269, 0.2059, 0.1837, 0.1707, 0.1505, 0.1370, 0.1186 } },
	{ "aluminium", 2.699, { 26.23, 7.955, 3.441, 1.128, 0.5685, 0.3681, 0.2778, 0.2018, 0.1704, 0.1378, 0.1223, 0.1042 } },
	{ "copper", 8.960, { 215.9, 74.05, 33.79, 10.92, 4.862, 2.613, 1.593, 0.7630, 0.4584, 0.2217, 0.1559, 0.1119 } },
	{ "bone", 1.920, { 28.51, 9.032, 4.001, 1.331, 0.6655, 0.4242, 0.3148, 0.2229, 0.1855, 0.1480, 0.1309, 0.1113 } },
};
enum { KNOWN = sizeof known / sizeof *known };

/* Two numbers a line, the first ascending and above 0, the second not below it; '#' begins a remark. */
static gt_status read_pairs(const char *path, const char *what, double **x, double **y, size_t *count)
{
	char line[LINE];
	double *grown;
	size_t n = 0, number = 0;
	gt_status st = GT_OK;
	FILE *file = fopen(path, "r");
	*x = *y = NULL;
	if (!file)
		return gt_fail(GT_ERR_IO, "%s: %s", path, strerror(errno));
	while (fgets(line, sizeof line, file)) {
		double a, b;
		number++;
		line[strcspn(line, "#\r\n")] = 0;
		for (char *at = line; *at; at++)
			*at = *at == ',' || *at == ';' ? ' ' : *at;
		if (strspn(line, " \t") == strlen(line))
			continue;
		if (sscanf(line, "%lf %lf", &a, &b) != 2 || !(a > 0) || !(b >= 0) || isinf(a) || isinf(b) || (n && a <= (*x)[n - 1]))
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s, line %zu: expected an energy in keV above that before, and %s", path, number,
			               what));
		if (n >= MOST_LINES)
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: more than %d lines", path, MOST_LINES));
		if (!(grown = realloc(*x, (n + 1) * sizeof *grown)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
		*x = grown;
		if (!(grown = realloc(*y, (n + 1) * sizeof *grown)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
		*y = grown;
		(*x)[n] = a;
		(*y)[n++] = b;
	}
	if (!n)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: holds no lines of an energy in keV and %s", path, what));
	*count = n;
done:
	fclose(file);
	if (st != GT_OK) {
		free(*x);
		free(*y);
		*x = *y = NULL;
	}
	return st;
}

gt_status gt_material_new(const char *name, gt_material *m)
{
	static const char *names[KNOWN];
	*m = (gt_material){ NULL, NULL, ENERGIES };
	for (int k = 0; k < KNOWN; k++)
		names[k] = known[k].name;
	for (int k = 0; k < KNOWN; k++) {
		if (strcmp(known[k].name, name))
			continue;
		m->energy = malloc(sizeof energies);
		m->mu = malloc(sizeof energies);
		if (!m->energy || !m->mu) {
			gt_material_free(m);
			return gt_fail(GT_ERR_MEMORY, "out of memory");
		}
		for (int i = 0; i < ENERGIES; i++) {
			m->energy[i] = energies[i];
			m->mu[i] = known[k].mass_attenuation[i] * known[k].density / 10;
		}
		return GT_OK;
	}
	if (!strchr(name, '.') && !strchr(name, '/'))
		return gt_unknown_of("material", name, names, KNOWN);
	const gt_status st = read_pairs(name, "an attenuation in mm-1", &m->energy, &m->mu, &m->n);
	for (size_t i = 0; st == GT_OK && i < m->n; i++)
		if (!(m->mu[i] > 0)) {
			const double energy = m->energy[i];
			gt_material_free(m);
			return gt_fail(GT_ERR_FORMAT, "%s: an attenuation of 0 at %g keV", name, energy);
		}
	return st;
}

void gt_material_free(gt_material *m)
{
	free(m->energy);
	free(m->mu);
	*m = (gt_material){ NULL, NULL, 0 };
}

double gt_material_mu(const gt_material *m, double energy)
{
	size_t i = 0;
	if (m->n == 1)
		return m->mu[0];
	while (i + 2 < m->n && m->energy[i + 1] < energy)
		i++;
	const double share = log(energy / m->energy[i]) / log(m->energy[i + 1] / m->energy[i]);
	return exp(log(m->mu[i]) + share * log(m->mu[i + 1] / m->mu[i]));
}

gt_status gt_spectrum_read(const char *path, gt_spectrum *s)
{
	*s = (gt_spectrum){ NULL, NULL, 0 };
	return read_pairs(path, "photons", &s->energy, &s->part, &s->n);
}

gt_status gt_spectrum_kramers(double kv, gt_spectrum *s)
{
	const double first = 5;
	*s = (gt_spectrum){ NULL, NULL, (size_t)ceil(kv - first - 0.5) };
	s->energy = malloc(s->n * sizeof *s->energy);
	s->part = malloc(s->n * sizeof *s->part);
	if (!s->energy || !s->part) {
		gt_spectrum_free(s);
		return gt_fail(GT_ERR_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < s->n; i++) {
		s->energy[i] = first + 0.5 + (double)i;
		s->part[i] = fmax(0, kv / s->energy[i] - 1);
	}
	return GT_OK;
}

void gt_spectrum_filter(gt_spectrum *s, const gt_material *m, double mm)
{
	for (size_t i = 0; i < s->n; i++)
		s->part[i] *= exp(-gt_material_mu(m, s->energy[i]) * mm);
}

gt_status gt_spectrum_finish(gt_spectrum *s, int energy_weighted)
{
	double sum = 0;
	for (size_t i = 0; i < s->n; i++) {
		s->part[i] *= energy_weighted ? s->energy[i] : 1;
		sum += s->part[i];
	}
	if (!(sum > 0) || isinf(sum))
		return gt_fail(GT_ERR_FORMAT, "spectrum: nothing is left of it");
	for (size_t i = 0; i < s->n; i++)
		s->part[i] /= sum;
	return GT_OK;
}

void gt_spectrum_free(gt_spectrum *s)
{
	free(s->energy);
	free(s->part);
	*s = (gt_spectrum){ NULL, NULL, 0 };
}

double gt_spectrum_line_integral(const gt_spectrum *s, const gt_material *m, double mm)
{
	double sum = 0;
	for (size_t i = 0; i < s->n; i++)
		sum += s->part[i] * exp(-gt_material_mu(m, s->energy[i]) * mm);
	return -log(sum);
}
