#ifndef GT_GEOMETRY_ANGULAR_CLOSURE_H
#define GT_GEOMETRY_ANGULAR_CLOSURE_H
/* Compares the range of the angles with the data. After a full rotation the last view is next to the first. After half
 * a rotation of parallel rays the mirrored last view is next to the first. */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

enum { GT_CLOSURE_TEXT = 320 };
typedef struct {
	size_t views, columns;
	const double *angle;            /* [views], rad, in the order of the data */
	int parallel;                   /* 1: parallel rays, whose opposite views are mirror images */
	/* Sets out[columns] to the mean of the rows of a view, as line integrals. */
	gt_status (*profile)(void *self, size_t view, float *out);
	void *self;
} gt_closure_views;

/* Writes a warning to text if the range of the angles contradicts the data, else "". Reads at most 16 views. Judges
 * neither fewer than 16 views, nor uneven steps, nor objects whose views are all similar. GT_ERR_MEMORY, or the error
 * of profile. */
gt_status gt_closure_check(const gt_closure_views *s, char text[GT_CLOSURE_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
