#ifndef GT_IO_HDF5_HDF5_FRAMES_H
#define GT_IO_HDF5_HDF5_FRAMES_H
/* Images in data sets of one HDF5 file, read one at a time; private to io/. Suppresses HDF5's error output. */
#include <hdf5.h>
#include <gantry/io.h>
#include "io/frames/frame_source.h"

/* A scan in a file: views, flat and dark fields; NULL: absent. angle: of each view, rad; NULL: not stated. before: the
 * number of views taken before each flat field; NULL: all flat fields precede the views. Pixel pitches in mm; 0: not
 * stated. */
typedef struct {
	gt_frame_source *scan, *flat, *dark;
	double *angle;
	size_t *before;
	double column_pitch, row_pitch;
} gt_hdf5_scan;

typedef gt_status gt_hdf5_opener(const char *path, const gt_read_options *o, gt_hdf5_scan *x);
void gt_hdf5_scan_free(gt_hdf5_scan *x);

typedef struct gt_hdf5_shared gt_hdf5_shared;

/* Opens the file and calls the reader; frees the scan on failure. GT_ERR_FORMAT: truncated, damaged, or with refused
 * links (io/external.h). */
typedef gt_status gt_hdf5_reader(gt_hdf5_shared *f, const char *path, const gt_read_options *o, gt_hdf5_scan *x);
gt_status   gt_hdf5_read_scan(const char *path, const gt_read_options *o, gt_hdf5_reader *reader, gt_hdf5_scan *x);
hid_t       gt_hdf5_id(const gt_hdf5_shared *f);
/* Frames frame[0] ... frame[n-1] of a numeric data set; frame NULL: all. min_rank 2: a data set of two dimensions is
 * one frame. *s is NULL if n is 0. Messages of the source name file and data set. */
gt_status   gt_hdf5_frames(gt_hdf5_shared *f, const char *name, int min_rank, const size_t *frame, size_t n, gt_frame_source **s);
/* Frame number in the data set of image i of the source. */
size_t      gt_hdf5_frame_number(const gt_frame_source *s, size_t i);

/* All *n numbers of a data set; the caller frees them. units: its attribute, truncated to size; NULL: not needed. */
gt_status   gt_hdf5_numbers(const gt_hdf5_shared *f, const char *name, double **values, size_t *n, char *units, size_t size);
/* Pixel pitch in mm; 0 if missing, or no single number (with a note). Without a unit it is in metres, with a note.
 * GT_ERR_FORMAT: an implausible length, or an unknown unit. */
gt_status   gt_hdf5_length(const gt_hdf5_shared *f, const char *name, const gt_read_options *o, double *mm);
/* Distance in mm without its sign; 0 if missing, no single number, or of an unknown unit. Without a unit it is in
 * metres. An object that cannot be read, such as a group, is noted and counts as missing. */
gt_status   gt_hdf5_distance(const gt_hdf5_shared *f, const char *name, const gt_read_options *o, double *mm);
/* As gt_hdf5_length(); if the file states a pitch `used` elsewhere, an implausible length is noted and becomes 0. */
gt_status   gt_hdf5_other_length(const gt_hdf5_shared *f, const char *name, double used, const gt_read_options *o, double *mm);
/* Notes a pitch that contradicts the used one; 0: unknown. */
void        gt_hdf5_note_pitch(const gt_hdf5_shared *f, const char *name, double mm, double used, const gt_read_options *o);

#endif
