#ifndef GT_IO_FRAMES_FRAME_SOURCE_H
#define GT_IO_FRAMES_FRAME_SOURCE_H
/* Images of equal size in any kind of files, read one at a time; private to io/. */
#include <gantry/status.h>
#include <stddef.h>

typedef struct gt_frame_source gt_frame_source;
struct gt_frame_source {
	size_t frames, rows, columns;
	double max;                     /* largest value of the sample type; 0: floating point */
	size_t bytes;                   /* memory of a reading thread, in addition to its output */
	/* Rows row ... row+rows-1 of a frame, as stored. Thread-safe. */
	gt_status   (*read)(const gt_frame_source *s, size_t frame, size_t row, size_t rows, float *out);
	const char *(*name)(const gt_frame_source *s, size_t frame);    /* name of the frame's file */
	void        (*free)(gt_frame_source *s);
};

typedef struct { char **path; size_t n; } gt_file_list;
void gt_file_list_free(gt_file_list *l);

/* 1: the file has the signature of TIFF. */
int       gt_is_tiff(const char *path);
/* Description of the first page, truncated to size; 0: missing or unreadable. */
int       gt_tiff_description(const char *path, char *text, size_t size);
/* Concatenated pages of TIFF files of one size and type. Takes over the list on success. Reads all headers at once:
 * GT_ERR_FORMAT names a file that differs, is truncated, has colours, or claims more than it can hold. */
gt_status gt_tiff_source(gt_file_list *files, gt_frame_source **s);

/* Likewise for one NumPy file: an array of two or three dimensions in C order. */
int       gt_is_npy(const char *path);
gt_status gt_npy_source(const char *path, gt_frame_source **s);

/* The images of a Zeiss .txrm (io/frames/ole2_file.h), or its reference image. */
gt_status gt_txrm_source(const char *path, int reference, gt_frame_source **s);
int       gt_txrm_has_reference(const char *path);

/* Raw data files, as in gt_frames_options.raw; takes over the list on success. */
gt_status gt_raw_source(gt_file_list *files, const char *description, gt_frame_source **s);
/* Likewise for the ESRF's EDF, whose headers describe the data. */
int       gt_is_edf(const char *path);
gt_status gt_edf_source(gt_file_list *files, gt_frame_source **s);

/* Images of scanners at accelerators: Elekta's .his (Heimann: values grow with darkness, 65536 is white), Varian's .xim
 * (io/frames/xim_file.h), .hnd and .hnc (io/frames/hnd_file.h). Takes over the list on success. */
int       gt_is_his(const char *path);
gt_status gt_linac_source(gt_file_list *files, gt_frame_source **s);

void gt_frame_source_free(gt_frame_source *s);

/* Whole frames first ... first+n-1, concatenated. */
gt_status gt_frames_read(const gt_frame_source *s, size_t first, size_t n, float *out);
#endif
