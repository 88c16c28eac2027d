/* Noise against resolution: spheres in the FORBILD head at 1e4 photons, by fdk with several windows and by pcg with
 * several strengths. Two draws of the noise: edges from both together, noise from their difference. */
#include "apps/study/iterative/iterative.h"
#include "metrics/edge_width.h"

enum { SPHERES = 2, DRAWS = 2, EVERY = 2, ITERATIONS = 40, QUICK_ITERATIONS = 2, QUICK_FINER = 2 };
/* Pictures are compared if the widths of their edges differ by less than this factor. */
#define SIMILAR 1.25
static const double photons = 1e4, ring[2] = { 16, 23 }; /* region of the noise: distance from the centre, mm */
static const struct {
	gt_edge_sphere sphere;
	double contrast; /* HU */
} spheres[SPHERES] = { { { { -42, -45, 0 }, 10, 6 }, 100 }, { { { 42, -45, 0 }, 10, 6 }, 500 } };

typedef struct {
	const char *window; /* NULL: pcg */
	double value;       /* cutoff, or strength */
	int quick;          /* also in the small study */
} setting;
static const setting settings[] = {
	{ "ram-lak", 1, 1 }, { "hann", 1, 0 },    { "hann", 0.8, 0 }, { "hann", 0.6, 0 }, { "hann", 0.45, 1 }, { "hann", 0.33, 0 },
	{ "hann", 0.25, 0 }, { "hann", 0.18, 0 }, { NULL, 0.5, 0 },   { NULL, 2, 1 },     { NULL, 8, 1 },      { NULL, 30, 0 },
};
enum { SETTINGS = sizeof settings / sizeof *settings };

typedef struct {
	double width[SPHERES][3], contrast[SPHERES], noise; /* mm, HU, HU */
	float *x[DRAWS];
	char name[96];
	int there;
} result;

typedef struct {
	study *s;
	study_scene scene, own; /* own: what of it is to be freed */
	float *data[DRAWS], *weights[DRAWS];
	result of[SETTINGS];
} work;

static int wanted(const study *s, const setting *t) { return !s->quick || t->quick; }

size_t study_noise_steps(const study *s)
{
	size_t steps = 1 + (size_t)s->quick;
	for (size_t i = 0; i < SETTINGS; i++)
		steps += wanted(s, &settings[i]) ? DRAWS : 0;
	return steps;
}

int study_noise_iterations(const study *s) { return s->quick ? QUICK_ITERATIONS : ITERATIONS; }

static int is_pcg(const setting *t) { return !t->window; }

static gt_status make_scan(work *w, const study_scene *head)
{
	char text[STUDY_LINE] = "";
	float *lines = NULL;
	gt_status st = GT_OK;
	study_step(w->s, "noise: spheres in the head");
	GT_TRY(study_scene_thin(head, w->s->quick ? 1 : EVERY, &w->scene));
	for (int i = 0; i < SPHERES; i++) {
		const gt_edge_sphere *p = &spheres[i].sphere;
		const size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "ellipsoid center=%g,%g,%g radius=%g density=%g\n", p->center[0], p->center[1],
		         p->center[2], p->radius, spheres[i].contrast / 1000);
	}
	GT_TRY(study_simulate(w->s, &(study_object){ "spheres", text, NULL }, w->scene.scan, 4, &lines, NULL, NULL));
	for (size_t i = 0; i < gt_scan_size(w->scene.scan); i++)
		w->scene.lines[i] += lines[i];
done:
	free(lines);
	return st;
}

static gt_status make_data(work *w)
{
	for (int d = 0; d < DRAWS; d++) {
		const study_case c = { .photons = photons, .seed = (unsigned)(10 + d), .weighted = 1 };
		GT_OR_RETURN(study_case_data(w->s, &c, &w->scene, &w->data[d], &w->weights[d]));
	}
	return GT_OK;
}

static gt_status run_fdk(work *w, const setting *t, int draw, float **out)
{
	const study_device d = study_device_main(w->s);
	const size_t n = gt_grid_voxels(&w->scene.shown);
	gt_backend *be = NULL;
	gt_array *data = NULL, *x = NULL;
	gt_method m = { 0 };
	gt_status st = GT_OK;
	GT_TRY(gt_method_parse(FORMAT("fdk:filter=%s,cutoff=%g", t->window, t->value), &m));
	GT_TRY(gt_backend_open(d.backend, &be));
	GT_TRY(gt_array_new(be, d.type, gt_scan_size(w->scene.scan), &data));
	GT_TRY(gt_array_new(be, d.type, n, &x));
	gt_array_put_float(w->data[draw], data);
	GT_TRY(gt_analytic_run(m.analytic, be, &w->scene.shown, w->scene.scan, m.options, data, x));
	GT_TRY(study_host_floats(n, "a volume", out));
	gt_array_get_float(x, *out);
	GT_TRY(gt_backend_status(be));
done:
	gt_array_free(x);
	gt_array_free(data);
	gt_backend_close(be);
	gt_method_free(&m);
	return st;
}

static gt_status run_pcg(work *w, const setting *t, int draw, float **out)
{
	const study_case c = { .key = "noise", .solver = "pcg:preconditioner=ramp", .strength = t->value, .start_fdk = 1 };
	study_job job = { &c, &w->scene, w->data[draw], w->weights[draw], study_device_main(w->s), study_noise_iterations(w->s) };
	study_outcome o;
	job.d.gpu = 0; /* no times wanted */
	w->s->done--;
	GT_OR_RETURN(study_iterate(w->s, &job, &o));
	*out = o.x;
	o.x = NULL;
	study_outcome_free(&o);
	return GT_OK;
}

/* The standard deviation around the spheres, within 8 mm of the plane through their centres, from the difference of
 * two draws. */
static double noise_of(const gt_grid *g, const float *a, const float *b)
{
	double n = 0, sum = 0, squares = 0;
	for (size_t k = 0; k < g->n[2]; k++)
		for (size_t j = 0; j < g->n[1]; j++)
			for (size_t i = 0; i < g->n[0]; i++) {
				const size_t at = (k * g->n[1] + j) * g->n[0] + i;
				const double x = gt_grid_first(g, 0) + (double)i * g->pitch[0],
					     y = gt_grid_first(g, 1) + (double)j * g->pitch[1];
				const double z = gt_grid_first(g, 2) + (double)k * g->pitch[2];
				for (int p = 0; p < SPHERES && fabs(z) < 8; p++) {
					const double r = hypot(x - spheres[p].sphere.center[0], y - spheres[p].sphere.center[1]);
					if (r < ring[0] || r > ring[1])
						continue;
					const double d = (double)a[at] - b[at];
					n++;
					sum += d;
					squares += d * d;
				}
			}
	return n > 1 ? 1000 / GT_WATER_DEFAULT * sqrt((squares - sum * sum / n) / (n - 1) / DRAWS) : NAN;
}

static void measure(work *w, result *r)
{
	const gt_grid *g = &w->scene.shown;
	for (int p = 0; p < SPHERES; p++) {
		gt_edge e = { 0, 0, 0 };
		for (int part = GT_EDGE_AXIAL; part >= GT_EDGE_ALL; part--) {
			gt_edge_width(g, (const float *const *)r->x, DRAWS, &spheres[p].sphere, (gt_edge_part)part, &e);
			r->width[p][part] = e.width;
		}
		r->contrast[p] = 1000 / GT_WATER_DEFAULT * (e.inside - e.outside);
	}
	r->noise = noise_of(g, r->x[0], r->x[1]);
	r->there = 1;
}

static gt_status run_settings(work *w)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		const setting *t = &settings[i];
		result *r = &w->of[i];
		if (!wanted(w->s, t))
			continue;
		if (is_pcg(t))
			snprintf(r->name, sizeof r->name, "pcg, q-GGMRF, strength %g", t->value);
		else
			snprintf(r->name, sizeof r->name, "fdk, %s, cut-off %g", t->window, t->value);
		for (int d = 0; d < DRAWS; d++) {
			study_step(w->s, "noise: %s", r->name);
			GT_OR_RETURN(is_pcg(t) ? run_pcg(w, t, d, &r->x[d]) : run_fdk(w, t, d, &r->x[d]));
		}
		measure(w, r);
		free(r->x[1]);
		r->x[1] = NULL;
	}
	return GT_OK;
}

static void add_table(const work *w)
{
	static const char *const parts[] = { "", " in the plane", " along z" };
	study_table *t = &w->s->table[STUDY_NOISE];
	for (int p = 0; p < SPHERES; p++) {
		for (int e = 0; e < 3; e++)
			study_head(t, "edge of %g HU%s, 10-90 %% [mm]", spheres[p].contrast, parts[e]);
		study_head(t, "contrast found [HU]");
	}
	for (size_t i = 0; i < SETTINGS; i++) {
		const result *r = &w->of[i];
		if (!r->there)
			continue;
		study_row(t, TXT(r->name), NUM(r->noise));
		for (int p = 0; p < SPHERES; p++)
			study_row(t, NUM(r->width[p][0]), NUM(r->width[p][1]), NUM(r->width[p][2]), NUM(r->contrast[p]));
	}
}

/* The noise of fdk where its edge has this width, between its settings on logarithmic scales; NAN where it has no
 * such width. */
static double fdk_noise(const work *w, int sphere, int part, double width, size_t *nearest)
{
	double best = INFINITY, noise = NAN;
	const result *before = NULL;
	for (size_t i = 0; i < SETTINGS; i++) {
		const result *r = &w->of[i];
		if (!r->there || is_pcg(&settings[i]))
			continue;
		const double there = r->width[sphere][part];
		if (fabs(log(there / width)) < best) {
			best = fabs(log(there / width));
			*nearest = i;
		}
		if (before && (before->width[sphere][part] - width) * (there - width) <= 0) {
			const double from = before->width[sphere][part], f = there != from ? log(width / from) / log(there / from) : 0;
			noise = before->noise * pow(r->noise / before->noise, f);
		}
		before = r;
	}
	return noise;
}

/* Ratios at the width of each strength; what to show is where noise falls most, unless no setting of fdk has about
 * such an edge. */
static void compare(const work *w, double ratio[SPHERES][2][2])
{
	study_table *t = &w->s->table[STUDY_RESOLUTION];
	study_findings *f = found_of(w->s);
	size_t shown_fdk = 0, shown = 0, nearest = 0;
	double max = 0;
	for (size_t i = 0; i < SETTINGS; i++) {
		const result *r = &w->of[i];
		for (int p = 0; p < SPHERES && r->there && is_pcg(&settings[i]); p++)
			for (int e = 0; e < 2; e++) {
				const double noise = fdk_noise(w, p, e, r->width[p][e], &nearest), times = noise / r->noise;
				study_row(t, TXT(r->name), NUM(spheres[p].contrast), TXT(e ? "in the plane" : "all"), NUM(r->width[p][e]),
				          NUM(r->noise), NUM(noise), NUM(times));
				if (!(times > 0))
					continue;
				ratio[p][e][0] = fmin(ratio[p][e][0], times);
				ratio[p][e][1] = fmax(ratio[p][e][1], times);
				if (p == 0 && e == 0 && times > max) {
					max = times;
					shown = i;
					shown_fdk = nearest;
				}
			}
	}
	const result *pcg = &w->of[shown], *fdk = &w->of[shown_fdk];
	if (!(max > 0) || fabs(log(pcg->width[0][0] / fdk->width[0][0])) > log(SIMILAR))
		return;
	snprintf(f->pcg, sizeof f->pcg, "%s: %.2g mm, %.3g HU", pcg->name, pcg->width[0][0], pcg->noise);
	snprintf(f->fdk, sizeof f->fdk, "%s: %.2g mm, %.3g HU", fdk->name, fdk->width[0][0], fdk->noise);
	f->shown[0] = w->of[shown_fdk].x[0];
	f->shown[1] = w->of[shown].x[0];
}

static void claim(study *s, double ratio[SPHERES][2][2])
{
	char *text = found_of(s)->claim;
	size_t used = 0;
	const size_t size = sizeof found_of(s)->claim;
	for (int p = 0; p < SPHERES; p++)
		for (int e = 0; e < 2; e++) {
			const double min = ratio[p][e][0], max = ratio[p][e][1];
			if (!(max > 0) || used >= size)
				continue;
			used += (size_t)snprintf(
				text + used, size - used,
				"Where the edge of %g HU is as wide with both (%s), the noise of fdk is %.3g to %.3g times that of pcg: "
				"%s. ",
				spheres[p].contrast, e ? "in the plane" : "all of the surface", min, max,
				min >= 2   ? "at least halved at every strength"
				: max >= 2 ? "at least halved at some strengths, but not at every one"
					   : "not halved");
		}
	if (!used)
		snprintf(text, size, "No strength of pcg has an edge as wide as one of fdk: nothing can be compared.");
}

gt_status study_noise(study *s, const study_scene *head)
{
	work w = { .s = s };
	double ratio[SPHERES][2][2];
	gt_status st = GT_OK;
	for (int i = 0; i < SPHERES * 2; i++) {
		ratio[i / 2][i % 2][0] = INFINITY;
		ratio[i / 2][i % 2][1] = 0;
	}
	if (s->quick) /* an eighth is too coarse for edges */
		GT_TRY(study_scene_new(s, study_cases[1].object, -QUICK_FINER, &w.own));
	GT_TRY(make_scan(&w, s->quick ? &w.own : head));
	GT_TRY(make_data(&w));
	GT_TRY(run_settings(&w));
	add_table(&w);
	compare(&w, ratio);
	claim(s, ratio);
	for (int i = 0; i < 2 && found_of(s)->shown[1]; i++)
		GT_TRY(study_planes(s, i ? "noise-pcg" : "noise-fdk", &w.scene.shown, found_of(s)->shown[i], NULL, NULL));
	found_of(s)->grid = w.scene.shown;
done:
	found_of(s)->shown[0] = found_of(s)->shown[1] = NULL;
	study_scene_free(&w.scene);
	study_scene_free(&w.own);
	for (int d = 0; d < DRAWS; d++) {
		free(w.data[d]);
		free(w.weights[d]);
	}
	for (size_t i = 0; i < SETTINGS; i++)
		for (int d = 0; d < DRAWS; d++)
			free(w.of[i].x[d]);
	return st;
}
