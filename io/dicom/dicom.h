#ifndef GT_IO_DICOM_DICOM_H
#define GT_IO_DICOM_DICOM_H
/* Access to single DICOM files through DCMTK, the only C++ of the project; private to io/. Threads may use different
 * files concurrently. Messages name the file, the tag and its name. */
#include <stddef.h>
#include <stdint.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct gt_dicom gt_dicom;

/* An attribute: tag, value representation (VR, as "FL"), name in messages. vr also interprets values stored without
 * one, as private values with implicit VR. */
typedef struct { unsigned group, element; const char *vr, *name; } gt_dicom_tag;
#define GT_DICOM_UID 65                                 /* size of a unique identifier (UID) with its terminator */

int       gt_dicom_is(const char *path);                /* 1 if the file has the DICOM prefix */
/* Likewise for the entries of a folder. GT_ERR_IO if the file cannot be read, so that none is skipped silently. */
gt_status gt_dicom_probe(const char *path, int *is);
/* 1 if files of the folder have it. Opens at most 512 files with names as of DICOM, and 512 others, at even steps. */
int       gt_dicom_in_folder(const char *path);
/* GT_ERR_UNSUPPORTED if DCMTK was missing at build time, or its data dictionary is missing now. Without it DCMTK
 * corrupts files. gt_dicom_open() and gt_dicom_new() call it. */
gt_status gt_dicom_ready(void);
/* Reads everything except large values at once, in a probe process first (io/probe.h). Returns its failures.
 * GT_ERR_FORMAT: damaged, truncated, or nested too deep. */
gt_status gt_dicom_open(const char *path, gt_dicom **d);
/* Probes all DICOM files among n in one process, so that gt_dicom_open() needs no process for each. */
void      gt_dicom_expect(const char *const *path, size_t n);
/* Opens without a probe process; for the probe process and gt_dicom_open(). */
gt_status gt_dicom_load(const char *path, gt_dicom **d);
/* GT_ERR_FORMAT: sequences of a DcmFileFormat are nested deeper than the smallest thread stack allows. */
gt_status gt_dicom_check_nesting(void *format, const char *path);
void      gt_dicom_close(gt_dicom *d);                  /* NULL is allowed */
/* Selects the frame (from 0) of later reads: its item of the per-frame functional groups (5200,9230), else the shared
 * groups (5200,9229), else the data set. GT_ERR_FORMAT: the functional groups lack this frame. */
gt_status gt_dicom_frame(gt_dicom *d, size_t frame);
/* Number of values; 0: missing or empty. */
size_t    gt_dicom_count(gt_dicom *d, const gt_dicom_tag *tag);
/* The first n values, stored as numbers or as text (DS, IS). GT_ERR_FORMAT: missing, fewer than n, or not finite. */
gt_status gt_dicom_numbers(gt_dicom *d, const gt_dicom_tag *tag, size_t n, double *value);
gt_status gt_dicom_number(gt_dicom *d, const gt_dicom_tag *tag, size_t i, double *value);   /* value i, from 0 */
/* The whole value as trimmed UTF-8 text, converted from the file's character set (0008,0005) and truncated to size.
 * Backslashes separate multiple values. Control characters except tabs and line ends, and undecodable bytes, become
 * '?'. GT_ERR_FORMAT: missing. */
gt_status gt_dicom_text(gt_dicom *d, const gt_dicom_tag *tag, char *text, size_t size);
/* Exactly n samples of 16 bits; signed samples keep their bits. GT_ERR_FORMAT: missing, truncated, or a different
 * number. GT_ERR_UNSUPPORTED: compressed (names the transfer syntax). */
gt_status gt_dicom_pixels(gt_dicom *d, size_t n, uint16_t *sample);
/* n samples of one of `frames` frames. NULL: only checks that the file holds that number of frames. */
gt_status gt_dicom_pixels_of(gt_dicom *d, size_t frames, size_t frame, size_t n, uint16_t *sample);

/* Each put replaces an earlier value. The caller also sets Rows, Columns, Bits Allocated and the like. */
gt_status gt_dicom_new(gt_dicom **d);
/* FL, FD; US, SS, UL, SL: integers; DS, IS: text of at most 16 bytes. GT_ERR_ARG: not finite, or out of range. */
gt_status gt_dicom_put_numbers(gt_dicom *d, const gt_dicom_tag *tag, size_t n, const double *value);
/* Backslashes separate multiple values. */
gt_status gt_dicom_put_text(gt_dicom *d, const gt_dicom_tag *tag, const char *text);
gt_status gt_dicom_put_pixels(gt_dicom *d, size_t n, const uint16_t *sample);
/* Writes explicit VR, little endian, directly to path: a temporary name is the caller's task. Requires SOP Class UID
 * (0008,0016) and SOP Instance UID (0008,0018) for the file meta information. GT_ERR_IO. */
gt_status gt_dicom_save(gt_dicom *d, const char *path);
/* Likewise for a DcmFileFormat. Passes on DCMTK's exceptions; for gt_dicom_save(). */
gt_status gt_dicom_write(void *format, const char *path);
gt_status gt_dicom_uid(char uid[GT_DICOM_UID]);         /* a new UID */

#ifdef __cplusplus
}
#endif
#endif
