/* Separates metal from the object by thresholds that maximise the variance between two classes of the histogram, after
 * Otsu, IEEE Trans. Syst. Man Cybern. 9 (1979) 62. Both classes are split again, because air, tissue, bone and metal
 * are more than two. The largest class that noise does not explain is the object. Classes of at least 6 times its
 * attenuation are metal if they fill a small part of it; bone reaches 5 times that of water above 40 keV. Few voxels
 * have values near the threshold, or it would cut a material in two. */
#include "prepare/metal/metal_threshold.h"
#include <math.h>
#include <string.h>

enum { BINS = 4096, UP = 3, DOWN = 2, CLASSES = UP + DOWN + 2 };
/* Attenuation of metal over that of the object. */
#define MIN_RATIO 6
/* Noise about 0 has equal numbers of negative and positive values; an object has fewer negative ones than this fraction
 * of them. */
#define MAX_NEGATIVE 0.25
/* Voxels of the metal over those of the object, and the smallest number of them. */
#define MAX_PART 0.25
enum { MIN_VOXELS = 4 };
/* A threshold cuts a material if more than this part of the metal's voxels differ from it by less than NEAR. The
 * blurred edge of metal has fewer, unless the metal is small. */
#define MAX_NEAR 0.3
#define NEAR 0.2
enum { MIN_CUT = 100 };

typedef struct {
	double count[BINS], negative[BINS]; /* voxels whose value, or negative value, lies in a bin */
	double width;
} histogram;

static void fill(const float *image, size_t n, histogram *h)
{
	double max = 0;
	memset(h, 0, sizeof *h);
	for (size_t i = 0; i < n; i++)
		max = fmax(max, image[i]);
	h->width = max / BINS;
	for (size_t i = 0; i < n && max > 0; i++) {
		const size_t bin = (size_t)fmin(fabs(image[i]) / h->width, BINS - 1);
		if (image[i] != 0)
			(image[i] > 0 ? h->count : h->negative)[bin]++;
	}
}

static double sum(const double *count, size_t from, size_t to)
{
	double n = 0;
	for (size_t i = from; i < to; i++)
		n += count[i];
	return n;
}

/* Mean of bins from ... to-1; 0 if they are empty. */
static double mean(const histogram *h, size_t from, size_t to)
{
	double n = 0, total = 0;
	for (size_t i = from; i < to; i++) {
		n += h->count[i];
		total += h->count[i] * ((double)i + 0.5) * h->width;
	}
	return n > 0 ? total / n : 0;
}

/* Returns the bin that begins the upper of two classes of bins from ... to-1. */
static size_t split(const histogram *h, size_t from, size_t to)
{
	const double n = sum(h->count, from, to), average = mean(h, from, to);
	double below = 0, total = 0, best = 0;
	size_t at = to;
	for (size_t i = from; i + 1 < to; i++) {
		below += h->count[i];
		total += h->count[i] * ((double)i + 0.5) * h->width;
		const double moment = total - below * average;
		const double apart = below > 0 && below < n ? moment * moment / (below * (n - below)) : 0;
		if (apart > best) {
			best = apart;
			at = i + 1;
		}
	}
	return at;
}

/* Threshold below metal of this attenuation; 0: it is no metal. Half of the step: blur does not move the edge there. */
static double threshold_of(const histogram *h, double object, double metal)
{
	const double threshold = (object + metal) / 2, bin = threshold / h->width;
	const size_t at = (size_t)bin, low = (size_t)(object / 2 / h->width);
	const size_t from = (size_t)((1 - NEAR) * bin), to = (size_t)fmin((1 + NEAR) * bin, BINS);
	const double voxels = sum(h->count, at, BINS), near = sum(h->count, from, to);
	if (voxels < MIN_VOXELS || voxels > MAX_PART * sum(h->count, low, at))
		return 0;
	return voxels > MIN_CUT && near > MAX_NEAR * voxels ? 0 : threshold;
}

gt_metal_levels gt_metal_levels_of(const float *image, size_t n)
{
	histogram h;
	gt_metal_levels found = { 0, 0 };
	size_t edge[CLASSES + 1] = { [0] = 0, [CLASSES] = BINS };
	double most = 0;
	fill(image, n, &h);
	edge[DOWN + 1] = split(&h, 0, BINS);
	for (int k = DOWN; k > 0; k--)
		edge[k] = split(&h, 0, edge[k + 1]);
	for (int k = DOWN + 2; k < CLASSES; k++)
		edge[k] = split(&h, edge[k - 1], BINS);
	for (int k = 0; k < CLASSES; k++) {
		const double voxels = sum(h.count, edge[k], edge[k + 1]);
		if (voxels > most && sum(h.negative, edge[k], BINS) < MAX_NEGATIVE * voxels) {
			most = voxels;
			found.object = mean(&h, edge[k], edge[k + 1]);
		}
	}
	for (int k = 0; k < CLASSES && found.object > 0 && !(found.threshold > 0); k++) {
		const double level = mean(&h, edge[k], edge[k + 1]);
		if (level >= MIN_RATIO * found.object)
			found.threshold = threshold_of(&h, found.object, level);
	}
	return found;
}
