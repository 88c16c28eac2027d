#ifndef GT_APPS_COMMANDS_STEP_PICTURES_H
#define GT_APPS_COMMANDS_STEP_PICTURES_H
#include <gantry/data.h>

/* Pictures of projections before and after each step: the central view, and the sinogram of the central row. */
typedef struct {
	const char *folder;             /* created if missing; NULL: no pictures */
	int count;
	size_t pixels;                  /* pixels of the detector in the first picture */
	double low, high;               /* grey window of the first picture */
} app_step_pictures;
/* Writes FOLDER/NN-NAME.png. */
gt_status app_step_picture(app_step_pictures *s, const char *name, const gt_projections *p);

#endif
