#ifndef GT_APPS_COMMANDS_VIEW_H
#define GT_APPS_COMMANDS_VIEW_H
/* `gantry view`: its options, and pages, which are the library's. */
#include <gantry/image.h>
#include "apps/cli/cli.h"

typedef struct {
	const char *output, *window, *title, *page_size;
	int plane, unit, convention, serve;
	long long slice, montage, sinogram, port;
	double water;
} view_options;

/* All files of the call on one page, written or served. */
gt_status view_page(const cli_call *call, const view_options *o);
#endif
