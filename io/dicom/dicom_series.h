#ifndef GT_IO_DICOM_DICOM_SERIES_H
#define GT_IO_DICOM_DICOM_SERIES_H
/* CT images as a series of DICOM files, one slice each (PS3.3, section A.3); private to io/. */
#include <gantry/io.h>
#include "io/dicom/dicom.h"

/* Identifier, group, element, VR, name in messages. */
#define GT_SERIES_TAGS(X)                                                               \
	X(CHARACTERS,   0x0008, 0x0005, "CS", "Specific Character Set")                 \
	X(IMAGE_TYPE,   0x0008, 0x0008, "CS", "Image Type")                             \
	X(CLASS,        0x0008, 0x0016, "UI", "SOP Class UID")                          \
	X(INSTANCE,     0x0008, 0x0018, "UI", "SOP Instance UID")                       \
	X(STUDY_DATE,   0x0008, 0x0020, "DA", "Study Date")                             \
	X(CONTENT_DATE, 0x0008, 0x0023, "DA", "Content Date")                           \
	X(STUDY_TIME,   0x0008, 0x0030, "TM", "Study Time")                             \
	X(CONTENT_TIME, 0x0008, 0x0033, "TM", "Content Time")                           \
	X(ACCESSION,    0x0008, 0x0050, "SH", "Accession Number")                       \
	X(MODALITY,     0x0008, 0x0060, "CS", "Modality")                               \
	X(MAKER,        0x0008, 0x0070, "LO", "Manufacturer")                           \
	X(PHYSICIAN,    0x0008, 0x0090, "PN", "Referring Physician's Name")             \
	X(DESCRIPTION,  0x0008, 0x103E, "LO", "Series Description")                     \
	X(PATIENT,      0x0010, 0x0010, "PN", "Patient's Name")                         \
	X(PATIENT_ID,   0x0010, 0x0020, "LO", "Patient ID")                             \
	X(BIRTH,        0x0010, 0x0030, "DA", "Patient's Birth Date")                   \
	X(SEX,          0x0010, 0x0040, "CS", "Patient's Sex")                          \
	X(THICKNESS,    0x0018, 0x0050, "DS", "Slice Thickness")                        \
	X(KVP,          0x0018, 0x0060, "DS", "KVP")                                    \
	X(SPACING,      0x0018, 0x0088, "DS", "Spacing Between Slices")                 \
	X(LIES,         0x0018, 0x5100, "CS", "Patient Position")                       \
	X(STUDY,        0x0020, 0x000D, "UI", "Study Instance UID")                     \
	X(SERIES,       0x0020, 0x000E, "UI", "Series Instance UID")                    \
	X(STUDY_ID,     0x0020, 0x0010, "SH", "Study ID")                               \
	X(SERIES_NUMBER, 0x0020, 0x0011, "IS", "Series Number")                         \
	X(ACQUISITION,  0x0020, 0x0012, "IS", "Acquisition Number")                     \
	X(NUMBER,       0x0020, 0x0013, "IS", "Instance Number")                        \
	X(PLACE,        0x0020, 0x0032, "DS", "Image Position (Patient)")               \
	X(AXES,         0x0020, 0x0037, "DS", "Image Orientation (Patient)")            \
	X(FRAME,        0x0020, 0x0052, "UI", "Frame of Reference UID")                 \
	X(REFERENCE,    0x0020, 0x1040, "LO", "Position Reference Indicator")           \
	X(COMMENTS,     0x0020, 0x4000, "LT", "Image Comments")                         \
	X(SAMPLES,      0x0028, 0x0002, "US", "Samples per Pixel")                      \
	X(PHOTOMETRIC,  0x0028, 0x0004, "CS", "Photometric Interpretation")             \
	X(FRAMES,       0x0028, 0x0008, "IS", "Number of Frames")                       \
	X(ROWS,         0x0028, 0x0010, "US", "Rows")                                   \
	X(COLUMNS,      0x0028, 0x0011, "US", "Columns")                                \
	X(PIXEL,        0x0028, 0x0030, "DS", "Pixel Spacing")                          \
	X(BITS,         0x0028, 0x0100, "US", "Bits Allocated")                         \
	X(STORED,       0x0028, 0x0101, "US", "Bits Stored")                            \
	X(HIGH,         0x0028, 0x0102, "US", "High Bit")                               \
	X(SIGNED,       0x0028, 0x0103, "US", "Pixel Representation")                   \
	X(WINDOW_CENTER, 0x0028, 0x1050, "DS", "Window Center")                         \
	X(WINDOW_WIDTH, 0x0028, 0x1051, "DS", "Window Width")                           \
	X(INTERCEPT,    0x0028, 0x1052, "DS", "Rescale Intercept")                      \
	X(SLOPE,        0x0028, 0x1053, "DS", "Rescale Slope")                          \
	X(TYPE,         0x0028, 0x1054, "LO", "Rescale Type")                           \
	X(PROJECTIONS,  0x7029, 0x1010, "US", "number of detector rows")
#define GT_SERIES_NAME(name, ...) GT_SERIES_##name,
enum { GT_SERIES_TAGS(GT_SERIES_NAME) GT_SERIES_NTAGS };
#undef GT_SERIES_NAME
extern const gt_dicom_tag gt_series_tag[GT_SERIES_NTAGS];
#define GT_CT_IMAGE "1.2.840.10008.5.1.4.1.1.2"

int       gt_series_is(const char *path);
extern const gt_slice_source gt_series_slices;
/* o->low, o->high: minimum and maximum HU of all voxels. */
gt_status gt_series_create(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **w);
gt_status gt_series_write(const char *path, const gt_write_options *o, const gt_volume *v);
#endif
