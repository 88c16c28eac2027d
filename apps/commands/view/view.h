#ifndef GT_APPS_COMMANDS_VIEW_H
#define GT_APPS_COMMANDS_VIEW_H
/* Options of `gantry view`, and its pages. */
#include <gantry/image.h>
#include "apps/cli/cli.h"
#include "apps/cli/frames.h"

typedef struct {
	const char *output, *window_text, *title, *page_size;
	cli_window window;              /* parsed from window_text */
	int plane, unit, convention, serve, opens /* 1: without -o; the browser is opened */;
	long long slice, montage, sinogram, port, size;
	double water;
	cli_frames frames;
	size_t each;                    /* images without geometry: distance of those read; 0: projections */
} view_options;

/* Writes or serves a page with all files of the call. */
gt_status view_page(const cli_call *call, const view_options *o);
#endif
