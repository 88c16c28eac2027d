/* The ladder of forms on one cube, and the accuracy of each against double precision on two objects. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/phantom.h>
#include "apps/cli/try.h"
#include "apps/study/fdk/fdk.h"

/* The stages of Okitsu, Ino, Hagihara 2008, with the seconds of table 4 (GeForce 8800 GTX, 512^3 from 360 views of
 * 512^2). */
static const struct {
	const char *stage, *form;
	double back, whole;
} stages[] = {
	{ "A: one view per launch", "strided", 458.6, 460.0 },
	{ "B: coalesced", "coalesced", 51.0, 52.3 },
	{ "C: 4 views per launch", "local", 12.8, 14.2 },
	{ "D: 12 views, computed ahead", "local-ahead", 7.6, 8.9 },
	{ "E: 4 views in one expression", "local-once", 6.0, 7.4 },
	{ "F: no local memory", "ahead", 4.4, 5.7 },
	{ "1/w by rsqrt, 16 views", "rsqrt", NAN, NAN },
	{ "volume transposed", "transposed", NAN, NAN },
	{ "atomic accumulation", "atomic", NAN, NAN },
	{ "4 views, no local memory", "batched", NAN, NAN },
	{ "a texture per view, u free of z", "separate", NAN, NAN },
	{ "layered, slice by slice outside", "layered", NAN, NAN },
	{ "layered, view by view outside", "intra", NAN, NAN },
	{ "no texture", "plain", NAN, NAN },
	{ "tiles in shared memory", "tiles", NAN, NAN },
};
enum { STAGES = sizeof stages / sizeof *stages };

/* Data 1: circle and Shepp-Logan; data 2: a wide detector, few views and a head. */
enum { SETS = 2 };
typedef struct {
	char label[96];
	const char *object;
	gt_scan *scan;
	gt_grid grid;
	float *data, *reference, *x;
	size_t voxels;
} set;

static void free_set(set *d)
{
	gt_scan_free(d->scan);
	free(d->data);
	free(d->reference);
	free(d->x);
	*d = (set){ .object = NULL };
}

static gt_orbit orbit_of(const study *s, int number, gt_grid *grid)
{
	const size_t n = fdk_of(s)->cube;
	gt_orbit o = fdk_cube(n, s->quick ? 45 : s->gpu[0] ? 360 : 180, grid);
	if (number == 1) {
		o.views = s->quick ? 24 : 96;
		o.columns = 2 * n;
		o.rows = n * 5 / 4;
		o.column_pitch /= 2;
		o.row_pitch *= 0.8;
	}
	return o;
}

static gt_status new_set(study *s, int number, set *d)
{
	gt_phantom_options options = gt_phantom_defaults;
	double radius;
	gt_status st = GT_OK;
	*d = (set){ .object = number ? "forbild-head" : "shepp-logan" };
	const gt_orbit o = orbit_of(s, number, &d->grid);
	study_step(s, "ladder: projections of %s", d->object);
	GT_TRY(gt_scan_orbit(&o, &d->scan));
	d->voxels = gt_grid_voxels(&d->grid);
	snprintf(d->label, sizeof d->label, "%s, %zu views of %zu x %zu to %zu^3", d->object, o.views, o.columns, o.rows, d->grid.n[0]);
	GT_TRY(study_host_floats(d->voxels, "the reference", &d->reference));
	GT_TRY(study_host_floats(d->voxels, "the volume", &d->x));
	GT_TRY(study_phantom_radius(d->object, &radius));
	options.scale = 0.9 * gt_scan_field_of_view(d->scan, NULL, NULL) /
	                radius; /* the object fills 0.9 of the circle that all views see */
	GT_TRY(study_simulate(s, &(study_object){ d->object, NULL, &options }, d->scan, 1, &d->data, NULL, NULL));
done:
	return st;
}

/* Differences from the reference: HU are thousandths of water. MAX of the PSNR is the reference's range. */
static void add_quality(study *s, const fdk_way *w, const set *d)
{
	const double hu = 1000 / gt_phantom_defaults.water;
	double sum = 0, size = 0, max = 0, low = INFINITY, high = -INFINITY;
	size_t off = 0;
	for (size_t i = 0; i < d->voxels; i++) {
		const double from = d->reference[i], apart = fabs(d->x[i] - from);
		sum += apart * apart;
		size += from * from;
		max = fmax(max, apart);
		low = fmin(low, from);
		high = fmax(high, from);
		off += floor(hu * d->x[i] + 0.5) != floor(hu * from + 0.5);
	}
	const double psnr = sum > 0 ? 10 * log10((high - low) * (high - low) * (double)d->voxels / sum) : NAN;
	study_row(&s->table[STUDY_QUALITY], TXT(d->label), TXT(w->label), TXT(fdk_device(w)), NUM(psnr),
	          NUM(100 * (double)off / (double)d->voxels), NUM(sqrt(sum / size)), NUM(hu * max));
}

static int takes_part(const fdk_way *w) { return !w->form || w->form->upright; }

/* Times of all on data 1 stay in t[] for the ladder; NAN: not measured. */
static gt_status run_set(study *s, int number, fdk_seconds t[FDK_MAX_WAYS])
{
	study_fdk *f = fdk_of(s);
	size_t reference = 0;
	set d;
	gt_status st = GT_OK;
	while (f->way[reference].type != GT_F64)
		reference++;
	GT_TRY(new_set(s, number, &d));
	study_step(s, "ladder: %s: %s", d.object, f->way[reference].label);
	GT_TRY(fdk_run(s, &(fdk_case){ &f->way[reference], d.scan, &d.grid, NULL, d.data, d.reference }, &t[reference]));
	for (size_t i = 0; i < f->ways; i++) {
		if (i == reference || !takes_part(&f->way[i]) || (number == 1 && !f->way[i].form && !f->way[i].all))
			continue;
		study_step(s, "ladder: %s: %s", d.object, f->way[i].label);
		GT_TRY(fdk_try(s, "ladder", &(fdk_case){ &f->way[i], d.scan, &d.grid, NULL, d.data, d.x }, &t[i]));
		if (!isnan(t[i].back))
			add_quality(s, &f->way[i], &d);
	}
	for (size_t i = 0; i < f->ways && number == 0; i++)
		f->way[i].rate = fdk_updates(d.scan, &d.grid) / t[i].back;
done:
	free_set(&d);
	return st;
}

static void add_stage(study *s, const char *stage, const char *form, const fdk_way *w, const fdk_seconds *t, const double *before)
{
	const int views = w && w->form ? w->form->views : 0;
	study_row(&s->table[STUDY_LADDER], TXT(stage), TXT(form), TXT(w ? fdk_device(w) : "needs CUDA"), NUM(views ? views : NAN),
	          NUM(w ? t->filter : NAN), NUM(w ? t->back : NAN), NUM(w ? t->total : NAN), NUM(w ? w->rate / 1073741824 : NAN),
	          NUM(w ? *before / t->back : NAN));
}

static void add_ladder(study *s, const fdk_seconds *t)
{
	const study_fdk *f = fdk_of(s);
	double before = NAN;
	for (size_t i = 0; i < f->ways && !f->way[i].form; i++) {
		add_stage(s, f->way[i].label, "the CPU's", &f->way[i], &t[i], &before);
		study_row(&s->table[STUDY_LADDER], NUM(NAN), NUM(NAN));
		before = f->way[i].type == GT_F64 ? NAN : t[i].back;
	}
	before = NAN;
	for (int k = 0; k < STAGES; k++) {
		const fdk_way *w = fdk_way_of(s, stages[k].form);
		const fdk_seconds *x = w ? &t[w - f->way] : NULL;
		add_stage(s, stages[k].stage, stages[k].form, w, x, &before);
		study_row(&s->table[STUDY_LADDER], NUM(stages[k].back), NUM(stages[k].whole));
		before = w ? x->back : NAN;
	}
}

size_t fdk_ladder_steps(const study *s)
{
	size_t steps = SETS;
	for (size_t i = 0; i < fdk_of(s)->ways; i++)
		if (takes_part(&fdk_of(s)->way[i]))
			steps += fdk_of(s)->way[i].form || fdk_of(s)->way[i].all ? SETS : 1;
	return steps;
}

gt_status fdk_ladder(study *s)
{
	fdk_seconds t[SETS][FDK_MAX_WAYS];
	gt_status st = GT_OK;
	for (int k = 0; k < SETS; k++)
		for (int i = 0; i < FDK_MAX_WAYS; i++)
			t[k][i] = (fdk_seconds){ NAN, NAN, NAN };
	for (int k = 0; k < SETS; k++)
		GT_TRY(run_set(s, k, t[k]));
	add_ladder(s, t[0]);
done:
	return st;
}
