#ifndef GT_TESTS_STRUCTURE_NOISE_H
#define GT_TESTS_STRUCTURE_NOISE_H
/* Noise that the preset leaves in soft tissue, from the difference of draws, against the requested noise. Structure and
 * streaks raise it where they exceed the penalty's threshold; the strength must account for them. */
#include <string.h>
#include "tests/recon/region_runs.h"

enum { N = 66, DRAWS = 3 };
#define WHOLE                                         \
	{                                             \
		{ N, N, 1 }, { 3, 3, 3 }, { 0, 0, 0 } \
	}
typedef struct {
	region of;
	double photons, noise; /* HU */
	double low, high;      /* permitted noise over the requested one */
} target;
#define SET(name, value) static const char *const name[][2] = { PRESET, { "penalty", "qggmrf:noise=" value }, { NULL, NULL } }

/* Marks soft tissue, within 60 HU of 40, three voxels and more from anything else. */
static inline void mark_soft(const gt_grid *grid, unsigned char *soft)
{
	static float truth[N * N];
	gt_phantom *body = head();
	ck_ok(gt_phantom_voxelise(body, grid, 4, NULL, NULL, NULL, truth));
	gt_phantom_free(body);
	memset(soft, 0, N * N);
	for (size_t i = 3; i < N - 3; i++)
		for (size_t k = 3; k < N - 3; k++) {
			int is = 1;
			for (size_t y = i - 3; y <= i + 3; y++)
				for (size_t x = k - 3; x <= k + 3; x++)
					is &= fabs(truth[y * N + x] / 0.02 - 1.04) < 0.06;
			soft[i * N + k] = (unsigned char)is;
		}
}

static inline double noise_between(gt_volume *const v[DRAWS], const unsigned char *soft)
{
	double square = 0, count = 0;
	for (int a = 0; a < DRAWS; a++)
		for (int b = 0; b < a; b++)
			for (size_t i = 0; i < N * N; i++) {
				const double d = 50000 * ((double)gt_volume_data(v[a])[i] - gt_volume_data(v[b])[i]);
				square += soft[i] ? d * d / 2 : 0;
				count += soft[i];
			}
	return sqrt(square / count);
}

static inline void check_noise(const target *q)
{
	static unsigned char soft[N * N];
	gt_volume *v[DRAWS];
	gt_projections *p = exact_scan_of(&q->of);
	float *exact = malloc(gt_scan_size(p->scan) * sizeof *exact);
	memcpy(exact, p->data, gt_scan_size(p->scan) * sizeof *exact);
	mark_soft(&q->of.grid, soft);
	for (int draw = 0; draw < DRAWS; draw++) {
		memcpy(gt_projections_data(p), exact, gt_scan_size(p->scan) * sizeof *exact);
		gt_add_photon_noise(q->photons, 0, 10 + (uint64_t)draw, 0, NULL, gt_projections_data(p), gt_scan_size(p->scan));
		gt_recon_free(run(p, &q->of.grid, q->of.set, &v[draw]));
	}
	const double ratio = noise_between(v, soft) / q->noise;
	ck_assert_msg(ratio > q->low && ratio < q->high, "%s: %g of the requested noise", q->of.name, ratio);
	for (int draw = 0; draw < DRAWS; draw++)
		gt_volume_free(v[draw]);
	gt_projections_free(p);
	free(exact);
}
#endif
