/* Air next to the object: source and shutter change between flat field and views, and within a scan. If edge columns
 * see no object in any view, each view is divided by a line fitted to the air on both sides. Without this step volumes
 * have an offset and cupping that no solver corrects. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/threads.h>
#include "core/float_medians.h"
#include "core/try.h"
#include "io/file_access.h"
#include "io/frames/intensity.h"
#include "io/write_kit/volume_units.h"

enum { MAX_VIEWS = 64 };

static gt_status out_of_memory(void) { return gt_fail(GT_ERR_MEMORY, "air: out of memory"); }

gt_status gt_air_measure(const gt_intensity *x, const float *t, gt_air_level *level)
{
	double left, right;
	const gt_status st = gt_air_line(t, x->rows, x->columns, &x->air, &left, &right);
	if (st == GT_OK)
		*level = (gt_air_level){ (float)left, (float)right, 1 };
	return st;
}

/* Least and greatest transmission of the outermost columns at the left and the right, over all sampled views. */
enum { OUTERMOST = 3 };
typedef struct {
	double least[2], greatest[2];
} edge_range;

/* Several threads sample views; the minimum does not depend on their order. */
enum { LOOKERS = 4 };
typedef struct {
	gt_intensity *x;
	size_t looked;
	float *t;    /* [LOOKERS][rows][columns] */
	double *min; /* [LOOKERS][2][columns]: minimum so far, and of the current view */
	edge_range edge[LOOKERS];
	gt_failure failure;
} air_search;

static void widen(edge_range *all, const edge_range *one)
{
	for (int side = 0; side < 2; side++) {
		all->least[side] = fmin(all->least[side], one->least[side]);
		all->greatest[side] = fmax(all->greatest[side], one->greatest[side]);
	}
}

static edge_range edges_of(const float *t, size_t rows, size_t columns)
{
	const size_t n = columns < OUTERMOST ? columns : OUTERMOST;
	const double left = gt_region_median(t, rows, columns, n), right = gt_region_median(t + columns - n, rows, columns, n);
	return (edge_range){ { left, right }, { left, right } };
}

static gt_status look_at(air_search *a, size_t i, int worker)
{
	const size_t columns = a->x->columns, cells = a->x->rows * columns;
	float *t = a->t + (size_t)worker * cells;
	double *min = a->min + (size_t)worker * 2 * columns, *one = min + columns;
	const size_t view = a->looked > 1 ? i * (a->x->views - 1) / (a->looked - 1) : 0;
	gt_status st = gt_intensity_transmission(a->x, view, 0, a->x->rows, t);
	if (st == GT_OK)
		st = gt_air_min(t, a->x->rows, columns, one);
	if (st != GT_OK)
		return st;
	const edge_range edge = edges_of(t, a->x->rows, columns);
	widen(&a->edge[worker], &edge);
	for (size_t c = 0; c < columns; c++)
		min[c] = isnan(one[c]) ? 0 : fmin(min[c], one[c]);
	return GT_OK;
}

static void look_at_some(void *self, size_t i, size_t end, int worker)
{
	air_search *a = self;
	for (; i < end && !gt_failure_at(&a->failure, i); i++)
		gt_failure_note(&a->failure, i, look_at(a, i, worker));
}

static gt_status find(gt_intensity *x, edge_range *edge)
{
	const size_t columns = x->columns;
	air_search a = { .x = x, .looked = x->views < MAX_VIEWS ? x->views : MAX_VIEWS, .failure = GT_NO_FAILURE };
	gt_pool *pool = NULL;
	gt_status st = GT_OK;
	a.t = malloc(LOOKERS * x->rows * columns * sizeof *a.t);
	a.min = malloc(LOOKERS * 2 * columns * sizeof *a.min);
	if (!a.t || !a.min)
		GT_TRY(out_of_memory());
	for (size_t i = 0; i < LOOKERS * 2 * columns; i++)
		a.min[i] = INFINITY;
	*edge = (edge_range){ { INFINITY, INFINITY }, { -INFINITY, -INFINITY } };
	for (size_t w = 0; w < LOOKERS; w++)
		a.edge[w] = *edge;
	GT_TRY(gt_pool_new(LOOKERS, &pool));
	gt_parallel(pool, a.looked, 1, look_at_some, &a);
	GT_TRY(gt_failure_status(&a.failure));
	for (size_t w = 0; w < LOOKERS; w++)
		widen(edge, &a.edge[w]);
	for (size_t w = 1; w < LOOKERS; w++)
		for (size_t c = 0; c < columns; c++)
			a.min[c] = fmin(a.min[c], a.min[w * 2 * columns + c]);
	x->air = gt_air_columns_of(a.min, columns);
done:
	gt_pool_free(pool);
	free(a.t);
	free(a.min);
	return st;
}

static gt_status tell(gt_intensity *x, int found, int without_white, const gt_read_options *o)
{
	float *t = malloc(x->rows * x->columns * sizeof *t);
	gt_air_level level;
	gt_status st = GT_OK;
	char where[96];
	if (!t)
		return out_of_memory();
	GT_TRY(gt_intensity_transmission(x, 0, 0, x->rows, t));
	GT_TRY(gt_air_measure(x, t, &level));
	snprintf(where, sizeof where, "%zu columns at the left and %zu at the right edge", x->air.left, x->air.right);
	gt_read_note(o, "air %s %s: every view is divided by it (%.4g to %.4g %s in the first view%s)", found ? "found in" : "in", where,
	             (double)level.at_left, (double)level.at_right, without_white ? "counts" : "of the flat field",
	             found ? "; if the object reaches these columns: --air no" : "");
done:
	free(t);
	return st;
}

/* Columns that transmit more than this in all views see no object, but another beam than the flat fields. Edges that
 * vary less than STEADY and transmit less than DIM probably do. */
#define BRIGHT 1.1
#define DIM 0.9
#define STEADY 0.02

static void note_exposure(const edge_range *e, const gt_read_options *o)
{
	const double least = fmax(e->least[0], e->least[1]), low = fmin(e->least[0], e->least[1]),
		     high = fmax(e->greatest[0], e->greatest[1]);
	if (least > BRIGHT)
		gt_read_note(o,
		             "edge columns transmit at least %.3g in all views, expected at most 1: were the flat fields exposed for less "
		             "time? If these columns are air, set --air %d,%d",
		             least, OUTERMOST, OUTERMOST);
	else if (low > 0 && high < DIM && high - low < STEADY * high)
		gt_read_note(
			o,
			"edge columns transmit %.3g to %.3g in all views: were the flat fields exposed for more time? If these columns "
			"are air, set --air %d,%d",
			low, high, OUTERMOST, OUTERMOST);
}

gt_status gt_intensity_set_air(gt_intensity *x, const char *air, int without_white, const gt_read_options *o)
{
	const int automatic = !air || !strcmp(air, "auto");
	edge_range edge = { { 0, 0 }, { 0, 0 } };
	gt_status st = GT_OK;
	if (air && !strcmp(air, "no"))
		return without_white ? gt_fail(GT_ERR_ARG,
		                               "%s: neither flat fields nor a white level, and --air no: expected one of "
		                               "them (--flat, --white, --air)",
		                               x->frames->name(x->frames, 0))
		                     : GT_OK;
	if (automatic)
		GT_TRY(find(x, &edge));
	else
		GT_TRY(gt_air_columns_parse(air, x->columns, &x->air));
	if (x->air.left + x->air.right == 0 && without_white)
		GT_TRY(gt_fail(GT_ERR_FORMAT,
		               "%s: no flat fields, and no edge columns that are air in all views: expected flat fields next to the images "
		               "(--flat), or blank-scan counts (--white; 1 for images that are already divided by flat fields), or line "
		               "integrals (--values line-integrals)",
		               x->frames->name(x->frames, 0)));
	if (x->air.left + x->air.right == 0) {
		gt_read_note(o, "no edge columns are air in all views: uses the level of the flat field");
		note_exposure(&edge, o);
		goto done;
	}
	if (!(x->level = calloc(x->views, sizeof *x->level)))
		GT_TRY(out_of_memory());
	GT_TRY(tell(x, automatic, without_white, o));
done:
	return st;
}
