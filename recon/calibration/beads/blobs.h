#ifndef GT_RECON_CALIBRATION_BEADS_BLOBS_H
#define GT_RECON_CALIBRATION_BEADS_BLOBS_H
/* Shadows of balls in views. */
#include <gantry/data.h>

typedef struct {
	double column, row, radius;     /* centre of attenuation; that of a disc of its area: pixels */
	int whole;                      /* 0: more than one ball, or cut by the edge: its centre is that of none */
	double uneven;                  /* root mean square of what is around it, less a plane, as a part of its height */
} gt_blob;
typedef struct {
	gt_blob *blob;                  /* of all views, one after the other */
	size_t *first;                  /* [views + 1]: those of view v are first[v] ... first[v+1] - 1 */
	size_t views;
	double radius;                  /* median of what is whole */
} gt_blobs;

/* The background is a local median; a shadow is what joins above a quarter of the usual maximum of a view, five pixels
 * and more; its centre is weighted by what is above a plane through the pixels around it, once the median of all views,
 * pixel by pixel, is off: a holder that is round about the axis. One whose surroundings are
 * no plane, against what is usual, lies at an edge of the holder, which would pull at it: it is not whole.
 * GT_ERR_UNSUPPORTED: nothing is there. */
gt_status gt_blobs_find(const gt_projections *p, gt_blobs *b);
void gt_blobs_free(gt_blobs *b);

#endif
