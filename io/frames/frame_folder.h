#ifndef GT_IO_FRAMES_FRAME_FOLDER_H
#define GT_IO_FRAMES_FRAME_FOLDER_H
/* Selects the views of a scan in a folder by file names; private to io/. */
#include <gantry/io.h>
#include "io/frames/frame_source.h"

typedef struct {
	gt_file_list scan, flat, dark;
	long long first, last; /* numbers of the scan's files; both 0 for a single file without a number */
	long long *number;     /* [numbers]: one for each file of the scan, which may hold several views */
	size_t numbers;
	char *angles; /* path of angles.txt; NULL: none */
} gt_frame_folder;

/* 1: the name has the extension of a supported image format. */
int gt_is_image_name(const char *name);
/* Files in the order of the last integer of their names. GT_ERR_FORMAT: duplicate numbers; a missing number, unless
 * gaps; files without numbers. Ignored files are noted. */
gt_status gt_frame_folder_read(const char *path, int gaps, const gt_read_options *o, gt_frame_folder *f);
void gt_frame_folder_free(gt_frame_folder *f);
/* Images of a file, or of a folder in the order of their names, as the requested kind of field. Fields of the other
 * kind are ignored, with a note. GT_ERR_ARG: the folder has angles.txt, so it is a scan. o NULL: no notes. */
typedef enum { GT_ANY_FIELD, GT_FLAT_FIELD, GT_DARK_FIELD } gt_field_kind;
gt_status gt_file_list_of(const char *path, gt_field_kind field, const gt_read_options *o, gt_file_list *l);
/* Path of the first image of a folder in the order of gt_file_list_of() with GT_ANY_FIELD, without sorting all; NULL:
 * none, a link out of the folder, or no memory. */
char     *gt_first_image(const char *path);
/* 1: an image, or a folder that contains one. */
int gt_is_frames(const char *path);

#endif
