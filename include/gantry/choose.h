#ifndef GANTRY_CHOOSE_H
#define GANTRY_CHOOSE_H
/* What is chosen where nothing was asked for; messages say why. */
#include <gantry/analytic.h>
#include <gantry/message.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The projector that was asked for, with a message where the default takes a tenth of its time and less; NULL: the
 * default, or where the detector is rolled far the most accurate one (a message says so): dd where the image of z is
 * within 15 degrees of the columns, or of the rows of a flat panel and parallel rays, else joseph. Where pixels, as
 * seen at the middle of the grid, are larger or smaller than voxels, dd up to 20 degrees more (at a factor of two),
 * since joseph aliases there. grid: NULL: of voxels as large as pixels. The same on every backend. */
GT_API const char *gt_projector_for_grid(const gt_listener *log, const char *asked, const gt_grid *grid, const gt_scan *scan);
/* The same with no grid; `backend` is a name as gt_backend_open() takes it; NULL: auto. */
GT_API const char *gt_projector_for_backend(const gt_listener *log, const char *asked, const gt_scan *scan, const char *backend);
/* The same for the backend auto. */
GT_API const char *gt_projector_for(const gt_listener *log, const char *asked, const gt_scan *scan);
/* A message where the options of a direct method ask for a kernel that another device has. */
GT_API void gt_method_note_form(const gt_listener *log, const gt_analytic *method, const void *options, const gt_backend *be);

#ifdef __cplusplus
}
#endif
#endif
