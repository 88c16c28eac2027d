/* Messages of the search for the strength of a penalty. */
#include <math.h>
#include "core/log.h"
#include "geometry/projections.h"
#include "recon/noise/strength_search.h"

/* A larger fraction of starved rays is reported. */
#define MAX_STARVED_RATIO 1e-3
/* The remaining noise is reported if it is less than this fraction of the target. */
#define MIN_OF_ASKED 0.95
/* A larger logarithm of the expected noise over the target is reported. */
#define MAX_LOG_MISSED 0.1
/* Noise, in HU, below which there is practically none. */
#define MIN_VISIBLE_HU 1.

double gt_strength_hu(const gt_strength_search *s, double mu) { return 1000 * mu / s->q->water; }

/* Reports starved rays: the mean of their logarithm is biased by half its variance, and it is far from normal. */
static void report_starved(const gt_strength_search *s)
{
	const gt_photon_starvation *few = &s->starved;
	const double ratio = (double)few->pixels / (double)gt_scan_size(s->q->projections->scan);
	if (ratio > MAX_STARVED_RATIO && few->line > 0)
		gt_notify(s->q->log, GT_INFO, GT_ABOUT_CHOICE,
		          "%.2g %% of the rays have fewer than %d photons: along them the analytic method is biased by about %.2g HU, "
		          "an iterative one with --weights noise or photons by some HU, with more noise than the next line states",
		          100. * ratio, GT_STRENGTH_MIN_PHOTONS, 1000 * (few->variance / 2) / few->line);
}

static void report_noise(const gt_strength_search *s, const char *direct, const char *where)
{
	const gt_listener *log = s->q->log;
	if (gt_noise_photons(s->model) > 0)
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE, "noise: from %s, equivalent to %.3g photons", gt_noise_source(s->model),
		          gt_noise_photons(s->model));
	else
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE, "noise: from %s", gt_noise_source(s->model));
	report_starved(s);
	if (gt_strength_hu(s, s->reference) < MIN_VISIBLE_HU)
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE, "the data have almost no noise: %.2g HU with %s %s",
		          gt_strength_hu(s, s->reference), direct, where);
	if (s->noise > s->reference)
		gt_notify(log, GT_INFO, GT_ABOUT_CHOICE,
		          "target noise %.4g HU is above the %.4g HU of %s: the strength is set for the latter",
		          gt_strength_hu(s, s->noise), gt_strength_hu(s, s->reference), direct);
}

/* Reports noise that exceeds the target because of structure. */
static void report_missed(const gt_strength_search *s, const gt_strength_found *found)
{
	const char *key = "";
	double c;
	if (log(s->structure.missed) > MAX_LOG_MISSED && gt_strength_edges(s, &key, &c) == GT_OK && isfinite(c))
		gt_notify(s->q->log, GT_INFO, GT_ABOUT_CHOICE,
		          "target noise %.4g HU: expected is %.3g HU, because the structure of the object exceeds the edge threshold of "
		          "the penalty; a larger %s= brings it nearer",
		          found->noise_hu / s->structure.missed, found->noise_hu, key);
}

/* With fewer views less noise remains (docs/measurements.md, "Passes of few views"). */
enum { MIN_VIEWS = 48 };

static void report_few_views(const gt_strength_search *s)
{
	const size_t views = s->q->projections->scan->views;
	if (views < MIN_VIEWS)
		gt_notify(s->q->log, GT_INFO, GT_ABOUT_CHOICE,
		          "%zu views: up to 30 %% less noise than expected remains, because the penalty suppresses details that no "
		          "view shows",
		          views);
}

/* Reports that structure is not part of the expected noise. */
static void report_structure(const gt_strength_search *s)
{
	const char *key = "";
	double c;
	if (!s->q->short_run && gt_strength_edges(s, &key, &c) == GT_OK && isfinite(c))
		gt_notify(s->q->log, GT_INFO, GT_ABOUT_CHOICE,
		          "the expected noise is that of a uniform object: structure above %s leaves up to 1.5 times as much; noise= "
		          "finds a strength that accounts for it",
		          key);
}

void gt_strength_report(const gt_strength_search *s, const gt_strength_found *found, double seconds)
{
	const char *where = s->object.like_water ? "in water" : "in the object";
	const char *direct = s->direct ? s->direct->name : "sharp iteration";
	double lowest = INFINITY, highest = 0;
	report_noise(s, direct, where);
	for (int k = 0; k < GT_NOISE_PATCHES; k++) {
		lowest = fmin(lowest, s->patch.noise[k]);
		highest = fmax(highest, s->patch.noise[k]);
	}
	report_missed(s, found);
	/* Largest deviation of the measured scans (docs/measurements.md, "Achieved and target noise"). */
	const char *error = s->q->short_run && s->q->projections->scan->views >= MIN_VIEWS ? " within 15 %" : "";
	gt_notify(s->q->log, GT_INFO, GT_ABOUT_CHOICE,
	          "strength %.4g, found in %.1f s: expected noise %.3g HU%s instead of %.3g HU (%s, %s); %.3g to %.3g HU "
	          "depending on the position; %s",
	          found->strength, seconds, found->noise_hu, error, found->reference_hu, direct, where, gt_strength_hu(s, lowest),
	          gt_strength_hu(s, highest),
	          !s->subsets && (s->q->kappa || !s->q->weights) ? "uniform resolution, not noise" : "uniform noise, not resolution");
	report_structure(s);
	report_few_views(s);
}

double gt_strength_report_unreached(const gt_strength_search *s, double noise)
{
	double square = 0;
	for (int k = 0; k < GT_NOISE_PATCHES; k++)
		square += s->patch.noise[k] * s->patch.noise[k] / GT_NOISE_PATCHES;
	if (!s->patch.unreached || !(sqrt(square) < MIN_OF_ASKED * noise))
		return INFINITY;
	gt_notify(s->q->log, GT_INFO, GT_ABOUT_CHOICE,
	          "target noise %.4g HU: without a penalty these voxels have %.3g HU: "
	          "they are much larger than the pixels at the axis%s; the penalty is negligible",
	          gt_strength_hu(s, noise), gt_strength_hu(s, sqrt(square)), s->q->weights ? ", or few rays have nearly all weight" : "");
	return sqrt(square);
}
