#ifndef GT_APPS_COMMANDS_VIEW_H
#define GT_APPS_COMMANDS_VIEW_H
/* Options of `gantry view`, and its pages. */
#include <gantry/image.h>
#include "apps/cli/cli.h"

typedef struct {
	const char *output, *window, *title, *page_size;
	int plane, unit, convention, serve;
	long long slice, montage, sinogram, port;
	double water;
} view_options;

/* Writes or serves a page with all files of the call. */
gt_status view_page(const cli_call *call, const view_options *o);
#endif
