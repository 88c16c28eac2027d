#ifndef GT_APPS_COMMANDS_STEP_PICTURES_H
#define GT_APPS_COMMANDS_STEP_PICTURES_H
#include <gantry/data.h>

/* Pictures of projections before and after each step: the middle view, and the sinogram of the middle row. */
typedef struct {
	const char *folder;             /* made where it is not there; NULL: no pictures */
	int count;
	size_t pixels;                  /* of the detector at the first one */
	double low, high;               /* the window of the first one */
} app_step_pictures;
/* Writes FOLDER/NN-NAME.png. */
gt_status app_step_picture(app_step_pictures *s, const char *name, const gt_projections *p);

#endif
