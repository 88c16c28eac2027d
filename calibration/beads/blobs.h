#ifndef GT_CALIBRATION_BEADS_BLOBS_H
#define GT_CALIBRATION_BEADS_BLOBS_H
/* Detection of bead projections in views. */
#include <gantry/data.h>

typedef struct {
	double column, row, radius;     /* centre of attenuation; radius of a disc of the same area: pixels */
	int whole;                      /* 0: several beads, at an edge, or on an uneven background */
	double uneven;                  /* RMS of the background about a plane, relative to the bead's height */
} gt_blob;
typedef struct {
	gt_blob *blob;                  /* all views, concatenated */
	size_t *first;                  /* [views + 1]: view v has first[v] to first[v+1] - 1 */
	size_t views;
	double radius;                  /* median of the whole ones */
} gt_blobs;

/* Segments regions of at least five pixels above a quarter of the usual maximum of a view, relative to a local median.
 * Centroids are weighted by the values above a plane through the surrounding pixels. The median of all views, pixel by
 * pixel, is subtracted before, because it shows a holder with rotational symmetry. Regions with an unusually uneven
 * background lie at an edge of the holder, which biases the centroid: they are not whole. GT_ERR_UNSUPPORTED: found
 * none. */
gt_status gt_blobs_find(const gt_projections *p, gt_blobs *b);
void gt_blobs_free(gt_blobs *b);

#endif
