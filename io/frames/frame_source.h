#ifndef GT_IO_FRAMES_FRAME_SOURCE_H
#define GT_IO_FRAMES_FRAME_SOURCE_H
/* Images of one size, read one at a time in whatever files they lie; private to io/. */
#include <gantry/status.h>
#include <stddef.h>

typedef struct gt_frame_source gt_frame_source;
struct gt_frame_source {
	size_t frames, rows, columns;
	double max;                     /* largest number of the files' type; 0: it has fractions */
	size_t bytes;                   /* of memory that a reading thread takes beside its output */
	/* Rows row ... row+rows-1 of a frame as the file has them; any number of threads at a time. */
	gt_status   (*read)(const gt_frame_source *s, size_t frame, size_t row, size_t rows, float *out);
	const char *(*name)(const gt_frame_source *s, size_t frame);    /* of its file */
	void        (*free)(gt_frame_source *s);
};

/* Names of files in an order. */
typedef struct { char **path; size_t n; } gt_file_list;
void gt_file_list_free(gt_file_list *l);

/* 1: the file begins as a TIFF file does. */
int       gt_is_tiff(const char *path);
/* The description of the first page, cut to size; 0: there is none, or it cannot be read. */
int       gt_tiff_description(const char *path, char *text, size_t size);
/* The pages of TIFF files, one after the other; all of them one size and type. Takes the list over where it succeeds.
 * Readers look at all heads at once: GT_ERR_FORMAT names the file that differs, is cut off, has colours, or claims
 * more than it can hold. */
gt_status gt_tiff_source(gt_file_list *files, gt_frame_source **s);

/* The same of one file of NumPy: an array of two or three dimensions in C's order. */
int       gt_is_npy(const char *path);
gt_status gt_npy_source(const char *path, gt_frame_source **s);

/* The images of a Zeiss .txrm (io/frames/ole2_file.h), or its reference image. */
gt_status gt_txrm_source(const char *path, int reference, gt_frame_source **s);
int       gt_txrm_has_reference(const char *path);

/* Files of bare numbers, as gt_frames_options.raw says; takes the list over where it succeeds. */
gt_status gt_raw_source(gt_file_list *files, const char *description, gt_frame_source **s);
/* The same of the ESRF's EDF, whose heads say what they hold. */
int       gt_is_edf(const char *path);
gt_status gt_edf_source(gt_file_list *files, gt_frame_source **s);

/* Images of scanners at accelerators: Elekta's .his (Heimann: numbers grow with the dark, 65536 is white), Varian's
 * .xim (io/frames/xim_file.h), .hnd and .hnc (io/frames/hnd_file.h). Takes the list over where it succeeds. */
int       gt_is_his(const char *path);
gt_status gt_linac_source(gt_file_list *files, gt_frame_source **s);

/* Frees; NULL is fine. */
void gt_frame_source_free(gt_frame_source *s);

/* Whole frames first ... first+n-1, one after the other. */
gt_status gt_frames_read(const gt_frame_source *s, size_t first, size_t n, float *out);
#endif
