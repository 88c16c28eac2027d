#ifndef GANTRY_CHOOSE_H
#define GANTRY_CHOOSE_H
/* What is chosen where nothing was asked for; messages say why. */
#include <gantry/analytic.h>
#include <gantry/message.h>
#ifdef __cplusplus
extern "C" {
#endif

/* The projector that was asked for; NULL: the default, or where the detector is rolled far one that suits that (a
 * message says so): dd where the image of z is within 15 degrees of the columns, or of the rows of a flat panel and
 * parallel rays, else joseph. The same on every backend; `backend` is a name as gt_backend_open() takes it; NULL:
 * auto. */
GT_API const char *gt_projector_for_backend(const gt_listener *log, const char *asked, const gt_scan *scan, const char *backend);
/* The same for the backend auto. */
GT_API const char *gt_projector_for(const gt_listener *log, const char *asked, const gt_scan *scan);
/* A message where the options of a direct method ask for a kernel that another device has. */
GT_API void gt_method_note_form(const gt_listener *log, const gt_analytic *method, const void *options, const gt_backend *be);

#ifdef __cplusplus
}
#endif
#endif
