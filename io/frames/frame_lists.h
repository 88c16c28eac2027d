#ifndef GT_IO_FRAMES_FRAME_LISTS_H
#define GT_IO_FRAMES_FRAME_LISTS_H
/* Completes the options for images, and lists their files; private to io/. */
#include <gantry/io.h>
#include "io/frames/frame_source.h"

/* Completes the caller's options with defaults for members that its version does not have. GT_ERR_ARG: invalid
 * values. */
gt_status gt_frames_complete(const char *path, const gt_frames_options *given, gt_frames_options *full);
/* 1: the name has the extension of raw data, .raw. */
int       gt_is_raw_name(const char *path);
/* Opens files of one kind, which the first file determines; raw: as in gt_frames_options. Takes over the list on
 * success. */
gt_status gt_image_list_source(const char *raw, gt_file_list *files, gt_frame_source **s);

#endif
