/* Mass attenuation without coherent corrections, cm^2/g: Hubbell, Seltzer, NIST Standard Reference Database 126
 * (NISTIR 5632), tables 3 and 4: water, aluminium, titanium, iron, copper, cortical bone of ICRU 44. Spectrum:
 * Kramers, Philos. Mag. 46 (1923) 836. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/module.h>
#include "core/files/opener.h"
#include "core/module.h"
#include "core/try.h"
#include "prepare/materials.h"

enum { ENERGIES = 15, LINE = 256, MAX_LINES = 100000 };
static const double energies[ENERGIES] = { 5, 6, 8, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300 };
/* energy; 0: at or below an edge */
static const struct {
	const char *name;
	double density; /* g/cm^3 */
	double mass_attenuation[ENERGIES];
} known[] = {
	{ "water",
	  1.000,
	  { 42.58, 24.64, 10.37, 5.329, 1.673, 0.8096, 0.3756, 0.2683, 0.2269, 0.2059, 0.1837, 0.1707, 0.1505, 0.1370, 0.1186 } },
	{ "aluminium",
	  2.699,
	  { 193.4, 115.3, 50.33, 26.23, 7.955, 3.441, 1.128, 0.5685, 0.3681, 0.2778, 0.2018, 0.1704, 0.1378, 0.1223, 0.1042 } },
	{ "titanium",
	  4.540,
	  { 0, 432.3, 202.3, 110.7, 35.87, 15.85, 4.972, 2.214, 1.213, 0.7661, 0.4052, 0.2721, 0.1649, 0.1314, 0.1043 } },
	{ "iron", 7.874, { 0, 0, 305.6, 170.6, 57.08, 25.68, 8.176, 3.629, 1.958, 1.205, 0.5952, 0.3717, 0.1964, 0.1460, 0.1099 } },
	{ "copper", 8.960, { 0, 0, 0, 215.9, 74.05, 33.79, 10.92, 4.862, 2.613, 1.593, 0.7630, 0.4584, 0.2217, 0.1559, 0.1119 } },
	{ "bone",
	  1.920,
	  { 191.7, 117.1, 53.23, 28.51, 9.032, 4.001, 1.331, 0.6655, 0.4242, 0.3148, 0.2229, 0.1855, 0.1480, 0.1309, 0.1113 } },
};
enum { MAX_BYTES = 16 << 20, KNOWN = sizeof known / sizeof *known };

/* Two values per line, the first ascending and above 0, the second at least 0; '#' begins a comment. */
static gt_status read_pairs(const char *path, const char *what, double **x, double **y, size_t *count)
{
	char line[LINE];
	double *grown;
	size_t n = 0, number = 0;
	FILE *file;
	gt_status st = gt_file_text(path, MAX_BYTES, &file);
	*x = *y = NULL;
	if (st != GT_OK)
		return st;
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
		if (n >= MAX_LINES)
			GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: more than %d lines", path, MAX_LINES));
		if (!(grown = realloc(*x, (n + 1) * sizeof *grown)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
		*x = grown;
		if (!(grown = realloc(*y, (n + 1) * sizeof *grown)))
			GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
		*y = grown;
		(*x)[n] = a;
		(*y)[n++] = b;
	}
	if (ferror(file))
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be read: %s", path, strerror(errno)));
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
	*m = (gt_material){ NULL, NULL, 0, 0, 1 };
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
		m->smooth = 1;
		m->density = known[k].density;
		for (int i = 0; i < ENERGIES; i++) {
			if (!(known[k].mass_attenuation[i] > 0))
				continue;
			m->energy[m->n] = energies[i];
			m->mu[m->n++] = known[k].mass_attenuation[i] * known[k].density / 10;
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
	*m = (gt_material){ NULL, NULL, 0, 0, 1 };
}

double gt_material_mu(const gt_material *m, double energy)
{
	size_t i = 0;
	if (m->n == 1)
		return m->mu[0];
	while (i + 2 < m->n && m->energy[i + 1] < energy)
		i++;
	const int within = energy > m->energy[0] && energy < m->energy[m->n - 1], four = m->smooth && within;
	const size_t first = !four ? i : i == 0 ? 0 : i + 2 < m->n ? i - 1 : m->n - 4, count = four ? 4 : 2;
	double sum = 0;
	for (size_t k = first; k < first + count; k++) {
		double share = log(m->mu[k]);
		for (size_t j = first; j < first + count; j++)
			if (j != k)
				share *= log(energy / m->energy[j]) / log(m->energy[k] / m->energy[j]);
		sum += share;
	}
	return exp(sum);
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
		return gt_fail(GT_ERR_FORMAT, "spectrum: no photons pass the filters");
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

double *gt_spectrum_attenuation(const gt_spectrum *s, const gt_material *m)
{
	double *mu = malloc(s->n * sizeof *mu);
	for (size_t i = 0; mu && i < s->n; i++)
		mu[i] = gt_material_mu(m, s->energy[i]);
	return mu;
}

double gt_spectrum_measured(const gt_spectrum *s, size_t materials, const double *const *mu, const double *mm)
{
	double sum = 0;
	for (size_t i = 0; i < s->n; i++) {
		double line = 0;
		for (size_t k = 0; k < materials; k++)
			line += mu[k][i] * mm[k];
		sum += s->part[i] * exp(-line);
	}
	return -log(sum);
}

double gt_spectrum_line_integral(const gt_spectrum *s, const gt_material *m, double mm)
{
	double *mu = gt_spectrum_attenuation(s, m);
	const double line = mu ? gt_spectrum_measured(s, 1, (const double *const[]){ mu }, &mm) : NAN;
	free(mu);
	return line;
}
