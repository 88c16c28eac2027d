#ifndef GT_IO_FRAMES_FRAME_LISTS_H
#define GT_IO_FRAMES_FRAME_LISTS_H
/* What is said of images, made whole, and lists of their files; private to io/. */
#include <gantry/io.h>
#include "io/frames/frame_source.h"

/* The options with the defaults of those that the caller does not know. GT_ERR_ARG: what they cannot be. */
gt_status gt_frames_complete(const char *path, const gt_frames_options *given, gt_frames_options *full);
/* 1: the name is one of bare numbers, .raw. */
int       gt_is_raw_name(const char *path);
/* Files of one kind, by the first; raw: as gt_frames_options has it. Takes the list over where it succeeds. */
gt_status gt_image_list_source(const char *raw, gt_file_list *files, gt_frame_source **s);

#endif
