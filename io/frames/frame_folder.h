#ifndef GT_IO_FRAMES_FRAME_FOLDER_H
#define GT_IO_FRAMES_FRAME_FOLDER_H
/* Which files of a folder are the views of a scan, by their names; private to io/. */
#include <gantry/io.h>
#include "io/frames/frame_source.h"

typedef struct {
	gt_file_list scan, flat, dark;
	long long first, last; /* numbers of the scan's files; both 0 where it is one file without */
	long long *number;     /* [numbers], one for each file of the scan, which may hold several views */
	size_t numbers;
	char *angles; /* angles.txt; NULL: there is none */
} gt_frame_folder;

/* 1: an image of a format that is read, by the name. */
int gt_is_image_name(const char *name);
/* In the order of the last whole number of each name. GT_ERR_FORMAT: two files of one number; a number that is
 * missing, unless gaps; files without numbers. What is left out is told. */
gt_status gt_frame_folder_read(const char *path, int gaps, const gt_read_options *o, gt_frame_folder *f);
void gt_frame_folder_free(gt_frame_folder *f);
/* The images of a file, or of a folder in the order of their names: fields, as asked for. A folder may hold those
 * of both kinds: those of the other kind are left out and told. GT_ERR_ARG: angles.txt is there, so it is a scan.
 * o NULL: nobody is told. */
typedef enum { GT_ANY_FIELD, GT_FLAT_FIELD, GT_DARK_FIELD } gt_field_kind;
gt_status gt_file_list_of(const char *path, gt_field_kind field, const gt_read_options *o, gt_file_list *l);
/* 1: an image, or a folder with one. */
int gt_is_frames(const char *path);

#endif
