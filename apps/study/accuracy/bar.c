/* A bar of 25 voxels of 1 mm along x in parallel beams, at the three angles of figure 15. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/constants.h>
#include <gantry/phantom.h>
#include "apps/cli/try.h"
#include "apps/study/accuracy/accuracy.h"

const double study_bar_angle[3] = { 30, 45, 179.5 };
enum { ANGLES = 3, CHANNELS = 41, VOXELS = 25, RAYS = 64 };
static const double channel = 1.41, row = 0.71; /* mm, those of the paper */

typedef double profiles[ANGLES][CHANNELS];

typedef struct {
	study *s;
	gt_scan *scan;
	gt_grid grid;
	profiles exact, *reference, *of; /* of each projector of the table; of each variant */
	int *known;                      /* of each projector of the table: is there a reference */
} work;

/* Half a degree between views; those of the three angles. */
static gt_status make_scan(gt_scan **scan)
{
	const gt_orbit o = {
		.shape = GT_PARALLEL, .views = 360, .rows = 1, .columns = CHANNELS, .column_pitch = channel, .row_pitch = row, .turn = GT_PI
	};
	gt_scan *all = NULL;
	size_t view[ANGLES];
	gt_status st = GT_OK;
	for (int i = 0; i < ANGLES; i++)
		view[i] = (size_t)lround(2 * study_bar_angle[i]);
	GT_TRY(gt_scan_orbit(&o, &all));
	GT_TRY(study_pick(all, view, ANGLES, scan));
done:
	gt_scan_free(all);
	return st;
}

/* The same bar as a file of shapes, which stays in the folder. */
static gt_status exact_lines(work *w)
{
	float lines[ANGLES * CHANNELS];
	gt_phantom *bar = NULL;
	gt_pool *pool = NULL;
	FILE *out = NULL;
	char *path = cli_text("%s/bar.shapes", w->s->folder.tmp);
	gt_status st = path ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	GT_TRY(study_open(&w->s->folder, "bar.shapes", &out));
	fprintf(out, "unit mm-1\nbox size=%d,1,1 density=1\n", VOXELS);
	GT_TRY(study_close("bar.shapes", out));
	GT_TRY(gt_phantom_new(path, NULL, &bar));
	GT_TRY(gt_pool_new(w->s->threads, &pool));
	GT_TRY(gt_phantom_project(bar, w->scan, RAYS, pool, NULL, NULL, lines));
	for (int i = 0; i < ANGLES * CHANNELS; i++)
		w->exact[i / CHANNELS][i % CHANNELS] = lines[i];
done:
	free(path);
	gt_pool_free(pool);
	gt_phantom_free(bar);
	return st;
}

static gt_status project(const work *w, const study_way *way, profiles *p)
{
	float ones[VOXELS];
	for (int i = 0; i < VOXELS; i++)
		ones[i] = 1;
	return study_apply(way, 0, &w->grid, w->scan, ones, &(*p)[0][0]);
}

static size_t model_index(const char *name)
{
	size_t i = 0;
	while (gt_projectors[i] && strcmp(gt_projectors[i]->name, name))
		i++;
	return i;
}

static gt_status project_variant(work *w, const study_variant *v, profiles *p)
{
	const size_t m = model_index(study_model(v));
	const study_way way = study_way_of(v), exact = { .backend = w->s->cpu, .projector = gt_projectors[m]->name, .type = GT_F64 };
	gt_status st = GT_OK;
	study_step(w->s, "bar: %s", v->label);
	if (!w->known[m])
		GT_TRY(project(w, &exact, &w->reference[m]));
	w->known[m] = 1;
	GT_TRY(project(w, &way, p));
done:
	return st;
}

static double largest(const double *a, const double *b)
{
	double max = 0;
	for (int c = 0; c < CHANNELS; c++)
		max = fmax(max, fabs(a[c] - (b ? b[c] : 0)));
	return max;
}

/* One table of profiles and one of differences from the model in double, for each angle. */
static void add_tables(work *w, const int *there)
{
	study *s = w->s;
	for (int a = 0; a < ANGLES; a++) {
		study_table *t = &s->table[STUDY_BAR + a], *d = &s->table[STUDY_BAR_DIFFERENCES + a];
		study_head(t, "place on the detector [mm]");
		study_head(t, "exact [mm]");
		study_head(d, "place on the detector [mm]");
		for (size_t i = 0; i < accuracy_of(s)->variants; i++)
			if (there[i]) {
				study_head(t, "%s [mm]", accuracy_of(s)->variant[i].label);
				study_head(d, "%s [%% of the largest]", accuracy_of(s)->variant[i].label);
			}
		for (int c = 0; c < CHANNELS; c++) {
			const double u = (c - (CHANNELS - 1) / 2.0) * channel;
			study_number(t, u);
			study_number(t, w->exact[a][c]);
			study_number(d, u);
			for (size_t i = 0; i < accuracy_of(s)->variants; i++) {
				const double *from = w->reference[model_index(study_model(&accuracy_of(s)->variant[i]))][a];
				if (!there[i])
					continue;
				study_number(t, w->of[i][a][c]);
				study_number(d, 100 * (w->of[i][a][c] - from[c]) / largest(from, NULL));
			}
		}
	}
}

static void add_errors(work *w, const int *there)
{
	study *s = w->s;
	study_table *t = &s->table[STUDY_BAR_ERRORS];
	study_head(t, "projector");
	for (int a = 0; a < ANGLES; a++)
		study_head(t, "largest from the model in double at %g° [%%]", study_bar_angle[a]);
	for (int a = 0; a < ANGLES; a++)
		study_head(t, "largest from exact at %g° [%%]", study_bar_angle[a]);
	for (size_t i = 0; i < accuracy_of(s)->variants; i++) {
		if (!there[i])
			continue;
		double(*from)[CHANNELS] = w->reference[model_index(study_model(&accuracy_of(s)->variant[i]))];
		study_text(t, "%s", accuracy_of(s)->variant[i].label);
		for (int a = 0; a < ANGLES; a++)
			study_number(t, 100 * largest(w->of[i][a], from[a]) / largest(from[a], NULL));
		for (int a = 0; a < ANGLES; a++)
			study_number(t, 100 * largest(w->of[i][a], w->exact[a]) / largest(w->exact[a], NULL));
	}
}

size_t study_bar_steps(const study *s)
{
	size_t steps = 0;
	for (size_t i = 0; i < accuracy_of(s)->variants; i++)
		steps += (size_t)accuracy_of(s)->variant[i].accuracy;
	return steps;
}

gt_status study_bar(study *s)
{
	const size_t projectors = model_index("");
	work w = { .s = s, .grid = { { VOXELS, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 } } };
	int *there = calloc(accuracy_of(s)->variants, sizeof *there);
	gt_status st = GT_OK;
	w.reference = calloc(projectors, sizeof *w.reference);
	w.of = calloc(accuracy_of(s)->variants, sizeof *w.of);
	w.known = calloc(projectors, sizeof *w.known);
	if (!there || !w.reference || !w.of || !w.known)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	GT_TRY(make_scan(&w.scan));
	GT_TRY(exact_lines(&w));
	for (size_t i = 0; i < accuracy_of(s)->variants; i++) {
		if (!accuracy_of(s)->variant[i].accuracy)
			continue;
		st = project_variant(&w, &accuracy_of(s)->variant[i], &w.of[i]);
		there[i] = st == GT_OK;
		if (st == GT_ERR_UNSUPPORTED)
			study_leave_out(s, "bar", accuracy_of(s)->variant[i].label);
		else
			GT_TRY(st);
	}
	st = GT_OK;
	add_tables(&w, there);
	add_errors(&w, there);
done:
	gt_scan_free(w.scan);
	free(w.reference);
	free(w.of);
	free(w.known);
	free(there);
	return st;
}
