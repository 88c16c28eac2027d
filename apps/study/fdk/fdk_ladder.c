/* The ladder of forms on one cube, and the accuracy of each against double precision on two objects. */
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
	*d = (set){ .object = number ? "forbild-head" : "shepp-logan" };
	const gt_orbit o = orbit_of(s, number, &d->grid);
	study_step(s, "ladder: projections of %s", d->object);
	GT_OR_RETURN(gt_scan_orbit(&o, &d->scan));
	d->voxels = gt_grid_voxels(&d->grid);
	snprintf(d->label, sizeof d->label, "%s, %zu views of %zu x %zu to %zu^3", d->object, o.views, o.columns, o.rows, d->grid.n[0]);
	GT_OR_RETURN(study_host_floats(d->voxels, "the reference", &d->reference));
	GT_OR_RETURN(study_host_floats(d->voxels, "the volume", &d->x));
	GT_OR_RETURN(study_phantom_radius(d->object, &radius));
	options.scale = 0.9 * gt_scan_field_of_view(d->scan, NULL, NULL) /
	                radius; /* the object fills 0.9 of the circle that all views see */
	return study_simulate(s, &(study_object){ d->object, NULL, &options }, d->scan, 1, &d->data, NULL, NULL);
}

/* Differences from the reference: HU are thousandths of water. MAX of the PSNR is the reference's range. */
static void add_quality(study *s, const fdk_way *w, const set *d, double *found)
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
	*found = psnr;
	study_row(&s->table[STUDY_QUALITY], TXT(d->label), TXT(w->label), TXT(fdk_device(w)), NUM(psnr),
	          NUM(100 * (double)off / (double)d->voxels), NUM(sqrt(sum / size)), NUM(hu * max));
}

/* The central slice of both volumes, fractions of water: of form F of the paper, or of all threads of the CPU. */
static gt_status add_pictures(study *s, int number, const fdk_way *w, const set *d, double psnr)
{
	const size_t *n = d->grid.n, start = n[2] / 2 * n[0] * n[1], voxels = n[0] * n[1];
	double *out = NULL;
	gt_status st = GT_OK;
	if (w->gpu ? strcmp(w->form->name, "ahead") != 0 : s->gpu[0] || !w->all)
		return GT_OK;
	GT_TRY(study_new(voxels, sizeof *out, &out));
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < voxels; i++)
			out[i] = (k ? d->x : d->reference)[start + i] / gt_phantom_defaults.water;
		GT_TRY(study_floats(&s->folder, FORMAT("data-%d-%s", number + 1, k ? "single" : "reference"), out, voxels));
	}
	for (int a = 0; a < 2; a++) {
		fdk_of(s)->picture[number].n[a] = n[a];
		fdk_of(s)->picture[number].pitch[a] = d->grid.pitch[a];
	}
	fdk_of(s)->picture[number].psnr = psnr;
	fdk_of(s)->picture[number].form = w->label;
done:
	free(out);
	return st;
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
	GT_TRY(fdk_run(s, &(fdk_case){ &f->way[reference], d.scan, &d.grid, NULL, d.data, d.reference, 0 }, &t[reference]));
	for (size_t i = 0; i < f->ways; i++) {
		if (i == reference || !takes_part(&f->way[i]) || (number == 1 && !f->way[i].form && !f->way[i].all))
			continue;
		study_step(s, "ladder: %s: %s", d.object, f->way[i].label);
		GT_TRY(fdk_try(s, "ladder", &(fdk_case){ &f->way[i], d.scan, &d.grid, NULL, d.data, d.x, 0 }, &t[i]));
		if (isnan(t[i].back))
			continue;
		double psnr;
		add_quality(s, &f->way[i], &d, &psnr);
		GT_TRY(add_pictures(s, number, &f->way[i], &d, psnr));
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

/* Table 5 of the paper: operations of the inner loop, and bytes of one texel and of the volume. A launch reads and
 * writes the volume once for its views. */
static void add_counts(study *s, int stage, const fdk_way *w)
{
	const int flops = w && w->form ? w->form->flops : 0, is_f = !strcmp(stages[stage].form, "ahead");
	if (!flops)
		return;
	const double bytes = sizeof(float) * (1 + 2. / w->form->views);
	study_row(&s->table[STUDY_COUNTS], TXT(stages[stage].stage), TXT(stages[stage].form), NUM(flops), NUM(bytes),
	          NUM(1e-9 * flops * w->rate), NUM(1e-9 * bytes * w->rate), NUM(is_f ? 31.2 : NAN), NUM(is_f ? 51.5 : NAN));
}

/* Copies of data 1 and of its volume between the host and the main device, with the paper's times. */
static gt_status add_copies(study *s)
{
	const char *const name[] = { "projections, host to device", "volume, device to host" };
	static const double paper[] = { 0.2, 0.3 };
	gt_backend *be = NULL;
	gt_array *x = NULL;
	float *host = NULL;
	gt_grid grid;
	const gt_orbit o = orbit_of(s, 0, &grid);
	const size_t n[] = { o.views * o.rows * o.columns, gt_grid_voxels(&grid) };
	gt_status st = gt_backend_open(s->gpu[0] ? s->gpu : s->cpu, &be);
	for (int k = 0; k < 2 && st == GT_OK; k++) {
		double best = INFINITY;
		GT_TRY(gt_array_new(be, GT_F32, n[k], &x));
		GT_TRY(study_host_floats(n[k], "a copy", &host));
		memset(host, 0, n[k] * sizeof *host);
		gt_array_put_float(host, x);
		for (int i = 0; i < 3; i++) {
			gt_backend_wait(be);
			const double start = app_seconds();
			if (k)
				gt_array_get_float(x, host);
			else
				gt_array_put_float(host, x);
			gt_backend_wait(be);
			best = fmin(best, app_seconds() - start);
		}
		GT_TRY(gt_backend_status(be));
		study_row(&s->table[STUDY_COPIES], TXT(name[k]), NUM(4e-6 * (double)n[k]), NUM(best), NUM(4e-9 * (double)n[k] / best),
		          NUM(paper[k]));
		gt_array_free(x);
		free(host);
		x = NULL;
		host = NULL;
	}
done:
	gt_array_free(x);
	free(host);
	gt_backend_close(be);
	return st;
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
		add_counts(s, k, w);
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
	for (int k = 0; k < SETS; k++)
		for (int i = 0; i < FDK_MAX_WAYS; i++)
			t[k][i] = (fdk_seconds){ NAN, NAN, NAN };
	for (int k = 0; k < SETS; k++)
		GT_OR_RETURN(run_set(s, k, t[k]));
	add_ladder(s, t[0]);
	return add_copies(s);
}
