#ifndef GT_IO_DICOM_DICOM_H
#define GT_IO_DICOM_DICOM_H
/* Single DICOM files by way of DCMTK, the only C++ of the project; private to io/. Different files may be used by different threads.
 * Messages name the file, the tag and its name. */
#include <stddef.h>
#include <stdint.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_dicom gt_dicom;

/* One attribute: its number, its value representation ("FL"; also how values are read that the file leaves unexplained, as private ones
 * with implicit representation), its name in messages. */
typedef struct { unsigned group, element; const char *vr, *name; } gt_dicom_tag;
#define GT_DICOM_UID 65                                 /* bytes of a unique identifier as text */

int       gt_dicom_is(const char *path);                /* 1 if the file has the mark of DICOM */
/* The same for files of a folder, of which none may be passed over because it could not be read: GT_ERR_IO. */
gt_status gt_dicom_look(const char *path, int *is);
/* GT_ERR_UNSUPPORTED, with what is missing and how to get it: DCMTK when this was built, or its data dictionary now, without which it would
 * misread files and write wrong ones. Opening and making files asks by itself. */
gt_status gt_dicom_ready(void);
/* Everything but large values is read at once, in a probe process first (io/probe.h), whose failures it returns.
 * GT_ERR_FORMAT: damaged, truncated, or nested too deep. */
gt_status gt_dicom_open(const char *path, gt_dicom **d);
/* Probes those of n files that are DICOM in one process, so that gt_dicom_open() needs none for each. */
void      gt_dicom_expect(const char *const *path, size_t n);
/* Opens without a probe process: for the probe process and gt_dicom_open(). */
gt_status gt_dicom_load(const char *path, gt_dicom **d);
/* GT_ERR_FORMAT: sequences of a DcmFileFormat are nested deeper than any thread's stack is sure to hold. */
gt_status gt_dicom_check_nesting(void *format, const char *path);
void      gt_dicom_close(gt_dicom *d);                  /* NULL is fine */
/* Values asked for from here on are those of that frame (from 0): in its item of the functional groups (5200,9230), in any depth, else in
 * those of all frames (5200,9229), else in the data set. GT_ERR_FORMAT: there are groups, but not of so many frames. */
gt_status gt_dicom_frame(gt_dicom *d, size_t frame);
/* Number of values; 0: missing or empty. */
size_t    gt_dicom_count(gt_dicom *d, const gt_dicom_tag *tag);
/* The first n values, be they stored as numbers or as text (DS, IS). GT_ERR_FORMAT: missing, fewer, or no finite numbers. */
gt_status gt_dicom_numbers(gt_dicom *d, const gt_dicom_tag *tag, size_t n, double *value);
gt_status gt_dicom_number(gt_dicom *d, const gt_dicom_tag *tag, size_t i, double *value);   /* value i alone, from 0 */
/* All of the value as text without blanks at its ends, several values with backslashes between them, cut to size: UTF-8, converted from the
 * file's character set (0008,0005). Control characters other than tabs and ends of lines, and bytes that the character set does not explain,
 * become '?', since texts are shown. GT_ERR_FORMAT: missing. */
gt_status gt_dicom_text(gt_dicom *d, const gt_dicom_tag *tag, char *text, size_t size);
/* Exactly n samples of 16 bits, as they are: signed ones come as their bits. GT_ERR_FORMAT: missing, cut off, another number of them;
 * GT_ERR_UNSUPPORTED: compressed (names the transfer syntax). */
gt_status gt_dicom_pixels(gt_dicom *d, size_t n, uint16_t *sample);
/* n samples of one frame of so many; NULL: only checks that the file holds so many frames. */
gt_status gt_dicom_pixels_of(gt_dicom *d, size_t frames, size_t frame, size_t n, uint16_t *sample);

/* What is put replaces what was there. Samples: also Rows, Columns, Bits Allocated and the like by the caller. */
gt_status gt_dicom_new(gt_dicom **d);
/* FL, FD; US, SS, UL, SL: whole numbers; DS, IS: text, as many digits as fit into 16 bytes. GT_ERR_ARG: not finite, out of range. */
gt_status gt_dicom_put_numbers(gt_dicom *d, const gt_dicom_tag *tag, size_t n, const double *value);
/* Several values: with backslashes between them. */
gt_status gt_dicom_put_text(gt_dicom *d, const gt_dicom_tag *tag, const char *text);
gt_status gt_dicom_put_pixels(gt_dicom *d, size_t n, const uint16_t *sample);
/* Explicit representation, little endian. Needs the identifiers of class (0008,0016) and instance (0008,0018), from which the head of the
 * file is made. Not under a temporary name: that is the caller's. GT_ERR_IO */
gt_status gt_dicom_save(gt_dicom *d, const char *path);
/* The same of a DcmFileFormat of DCMTK's, whose exceptions it lets pass: for gt_dicom_save(). */
gt_status gt_dicom_write(void *format, const char *path);
gt_status gt_dicom_uid(char uid[GT_DICOM_UID]);         /* a new one */

#ifdef __cplusplus
}
#endif
#endif
