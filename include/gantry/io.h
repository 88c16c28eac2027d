#ifndef GANTRY_IO_H
#define GANTRY_IO_H
#include <stdint.h>
#include <gantry/data.h>
#include <gantry/host_memory.h>
#include <gantry/module.h>
#include <gantry/message.h>
#ifdef __cplusplus
extern "C" {
#endif

/* DICOM-CT-PD, where the files of scanners differ. Central column: as the manufacturer does (AUTO); counted from 1 and the first column
 * (FIRST); from 0 and the last one (LAST), as in files of GE. */
typedef enum { GT_CENTRAL_AUTO, GT_CENTRAL_FIRST, GT_CENTRAL_LAST } gt_central;
typedef struct {
	gt_central central;
	int without_photons;            /* reading: leave the photon statistics out */
	int lines_are_rows;             /* writing: lines of the image are rows of the detector; 0: columns, as usual */
	double photons;                 /* writing: unattenuated counts, where the projections have none; 0: none */
	const char *maker;              /* writing: Manufacturer; NULL: Gantry */
} gt_dicom_style;

/* Images as a laboratory has them: a folder of counts, or one file of them. Three things are kept apart: the images,
 * where each was taken from, and how counts become line integrals. Corrections are made when a view is read: no copy
 * of the images is written or held.
 *   p = -ln((I - dark) / (flat - dark) / air)
 * The mean of several flats or darks is one of counts. Cells that are dead in the flat field are filled from their
 * neighbours; transmissions below 2^-16 are taken as that and counted; gt_read_options.notes has a sentence on each.
 * View i looks along its angle as gt_scan_orbit() has it; columns are those of the file, and its first row is the top
 * one: row_axis is -z. axis and pixel of gt_read_options apply. */
typedef enum { GT_FRAMES_COUNTS, GT_FRAMES_LINE_INTEGRALS } gt_frames_values;  /* what their numbers are */
/* Members are only ever added at the end, as in gt_read_options. */
typedef struct {
	size_t size;            /* sizeof(gt_frames_options), as gt_frames_defaults says */
	const char *flat;       /* an image or a folder of them, without a body; NULL: those named so in the folder; "none" */
	const char *dark;       /* the same without rays */
	double white;           /* counts without a body, where there is no flat field; 0: none */
	const char *angles;     /* a text file of one number a line; "FIRST:STEP"; "FIRST..LAST", both included, with a unit
	                         * behind if need be ("0..3.14rad"); NULL: angles.txt in the folder */
	int radians;            /* of angles without a unit: 1: radians, -1: degrees; 0: those of a file that run through half a
	                         * turn or a turn in radians are radians, others degrees, or asked for (HDF5) */
	const char *air;        /* "auto": every view is divided by what it has beside the body; "LEFT,RIGHT": by what it
	                         * has in so many columns at both sides; "no"; NULL: auto */
	int sinogram;           /* 1: an image is one row of the detector in all views, [view][column] */
	int gaps;               /* 1: missing numbers among the files are no mistake */
	gt_frames_values values;
	double source_to_axis;  /* mm; both above 0: a cone beam on a circle and a flat detector, whose axis is at the */
	double source_to_detector;      /* column gt_read_options.axis, NAN: in the middle; both 0: parallel rays */
	const char *geometry;   /* a file that gt_geometry_read() takes, in place of angles; NULL: none */
	int direction, axis_side;       /* gt_sign: what such a file leaves open; 0: found in images */
	const char *raw;        /* bare numbers: "u16le:COLUMNSxROWS[xVIEWS][+HEADER]", or a JSON file */
	const char *flat_after; /* as flat, after the scan: a view is divided by what is between, by its index; NULL */
	const char *flat_at;    /* "0,300,600": flat fields were taken after so many views, as many each time; NULL: before the first,
	                         * or, in NXtomo, where the frames have them */
	const char *entry;      /* HDF5: the group of the root that holds the scan; NULL: the only one, "exchange" of Data Exchange */
} gt_frames_options;
GT_API extern const gt_frames_options gt_frames_defaults;      /* copy it, then set what differs */

/* Opens a file of the user for reading, as all readers do: never blocks, and follows symbolic links. *file: a
 * descriptor, which the caller closes; -1 on failure. *bytes: the size of the file; may be NULL. GT_ERR_IO: it
 * cannot be opened, or is a folder, a pipe, a device or a socket. */
GT_API gt_status gt_file_open(const char *path, int *file, size_t *bytes);

/* Called in the calling thread with the completed fraction; non-zero stops (GT_STOPPED). NULL: no callback. */
typedef int (*gt_io_progress)(void *self, double done);

/* Options of readers. New members are added at the end; `size` gives older callers the defaults of the rest. */
typedef struct {
	size_t size;            /* sizeof(gt_read_options), as gt_read_defaults says. GT_ERR_ARG: 0, or larger than the library knows */
	int geometry_only;      /* projections: read the scan, not the data; volumes: the grid, where the format can (data is NULL then) */
	int may_lack_data;      /* 1: a file that has no projections is read as the geometry alone, instead of refused */
	int without_statistics; /* projections: 1: skips weights and photons, each as large as the data */
	double axis;            /* Data Exchange, images: column where the axis is seen, from 0 at the middle of the first
	                         * pixel, also of a geometry file; NAN: found from opposite views, or the file's */
	double pixel;           /* mm; Data Exchange and images, where the file has none; NAN: from the file, else 1. RabbitCT: NAN: 0.32 */
	double water;           /* HU volumes without the attribute; 0: GT_WATER_DEFAULT */
	gt_unit unit;           /* volumes of formats that name no unit (MetaImage, NIfTI): what slope * stored + offset is */
	double slope, offset;   /* the same: applied to the stored numbers; NAN: the file's, or the format's rule */
	gt_position position;   /* volumes: how the patient lay, whatever the file says */
	int center;             /* volumes: 1 puts the middle of the grid at (0, 0, 0) */
	gt_dicom_style dicom;
	gt_io_progress progress;/* formats of many files alone */
	void *progress_self;
	gt_listener notes;      /* receives the decisions of the reader, GT_ABOUT_DATA */
	const gt_frames_options *frames;        /* folders and files of images; borrowed; NULL: gt_frames_defaults */
} gt_read_options;
GT_API extern const gt_read_options gt_read_defaults;          /* copy it, then set what differs */

/* Options of writers; extended as gt_read_options is. */
typedef struct {
	size_t size;            /* sizeof(gt_write_options), as gt_write_defaults says */
	gt_unit unit;
	double water;           /* HU: attenuation of water to use, mm^-1; 0: the volume's own, else GT_WATER_DEFAULT */
	int deflate;            /* 0..9 */
	const char *format;     /* by its name; NULL: by the extension */
	gt_dicom_style dicom;
	gt_io_progress progress;/* formats of many files alone */
	void *progress_self;
	gt_listener notes;      /* receives the decisions of the writer, GT_ABOUT_DATA */
	int bits;               /* TIFF, .npy, .raw: 32 and 0: floats; 16, 8: whole numbers over the range low to high, in the unit */
	double low, high;       /* both 0: from the first to the last thousandth of the voxels; not slice by slice */
} gt_write_options;
GT_API extern const gt_write_options gt_write_defaults;

/* Access by chunks, for files larger than memory. */
typedef struct gt_view_reader gt_view_reader;               /* reads projections */
typedef struct gt_slice_writer gt_slice_writer;             /* writes a volume */
typedef struct gt_slice_reader gt_slice_reader;             /* reads a volume */
typedef struct gt_slice_source gt_slice_source;             /* slice access of a format */
typedef struct gt_view_writer gt_view_writer;               /* writes projections */

/* One file format. NULL: cannot. */
typedef struct gt_format {
	GT_MODULE_MEMBERS                               /* formats have no parameters yet */
	const char *extensions;                         /* "nc nc4": space-separated, without dot */
	int       folders;                              /* 1: paths may be folders; probe() is then asked about them too */
	int       (*probe)(const char *path);           /* 1 if the contents are of this format */
	gt_status (*read_projections )(const char *path, const gt_read_options *o, gt_projections **p);
	gt_status (*write_projections)(const char *path, const gt_write_options *o, const gt_projections *p);
	gt_status (*read_volume )(const char *path, const gt_read_options *o, gt_volume **v);   /* whole volume; NULL if slices is set */
	gt_status (*write_volume)(const char *path, const gt_write_options *o, const gt_volume *v);
	int unitless;           /* volumes: it names no unit, so that unit, slope and offset of the options apply */
	/* Only where both can be read: *projections is 1 or 0. */
	gt_status (*kind)(const char *path, int *projections);
	/* size: views, rows, columns of the scan that the file is to hold; head: a volume without data */
	gt_status (*open_views  )(const char *path, const gt_read_options *o, const size_t size[3], gt_view_reader **v);
	gt_status (*create_slices)(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **s);
	gt_status (*ready)(void);                       /* GT_ERR_UNSUPPORTED names a missing dependency; NULL: none */
	int numbers;            /* volumes: bits, low and high of gt_write_options apply */
	/* Opens the reader and reads the scan in one call; NULL: two calls. */
	gt_status (*open_scan)(const char *path, const gt_read_options *o, gt_projections **head, gt_view_reader **v);
	gt_status (*create_views)(const char *path, const gt_projections *head, int weighted, gt_view_writer **w);
	const gt_slice_source *slices;                  /* volumes, some slices at a time */
	int surveyed;           /* create_slices needs low and high of the options: minimum and maximum of all voxels */
} gt_format;
GT_API extern const gt_format *const gt_formats[];             /* NULL-terminated */
GT_API extern const gt_module_kind gt_format_kind;

/* Reading finds the format by contents, writing by the name in the options or by the path's extension. Options NULL: defaults.
 * A lock serialises file access, since the NetCDF and HDF5 libraries are not thread-safe.
 * Errors name file and variable, and state found and expected. Readers reject missing variables, wrong shapes, a volume
 * instead of projections and the reverse, truncated files, NaN and Inf, scans that fail gt_scan_check(), and arrays
 * larger than memory (GT_ERR_MEMORY).
 * Writers write a temporary file in the same folder and rename it: a failed or killed run leaves no partial file. */
GT_API gt_status gt_read_projections (const char *path, const gt_read_options *o, gt_projections **p);
GT_API gt_status gt_write_projections(const char *path, const gt_write_options *o, const gt_projections *p);
GT_API gt_status gt_read_volume (const char *path, const gt_read_options *o, gt_volume **v);
GT_API gt_status gt_write_volume(const char *path, const gt_write_options *o, const gt_volume *v);
/* Flat or dark fields one by one, in counts, with rows and columns as those of the projections that are read with the same options:
 * images of counts of any format. data: [image][row][column], for gt_fields_free(); images 0: there are none. */
typedef struct { size_t rows, columns; int dark; } gt_fields_request;
typedef struct { float *data; size_t images; } gt_fields;
GT_API gt_status gt_read_fields(const char *path, const gt_read_options *o, const gt_fields_request *r, gt_fields *f);
GT_API void      gt_fields_free(gt_fields *f);
/* Projections of `scan`, read by any views and rows, in any order: NetCDF, images, and MetaImage of columns x rows x
 * views, which holds no geometry. o: as gt_read_projections() takes it, but that nothing is told; NULL: defaults.
 * GT_ERR_UNSUPPORTED: a format that is read as a whole alone. Values as gt_read_projections() gives them. One thread at a time, but
 * another may write slices meanwhile. */
GT_API gt_status gt_view_reader_open (const char *path, const gt_read_options *o, const gt_scan *scan,
                                      gt_view_reader **v);
/* Opens a reader and reads the scan: *head holds the projections without values. Reports decisions to o->notes. */
GT_API gt_status gt_view_reader_open_scan(const char *path, const gt_read_options *o, gt_projections **head, gt_view_reader **v);
/* Rows row ... row+rows-1 of views first ... first+n-1, to out [n][rows][columns]; an error names the file and the view. */
GT_API gt_status gt_view_reader_read (gt_view_reader *v, size_t first, size_t n, size_t row, size_t rows, float *out);
GT_API size_t    gt_view_reader_bytes(const gt_view_reader *v);            /* maximum memory for reading */
/* 1: the file also holds weights or photons, which this reader does not return. */
GT_API int       gt_view_reader_has_statistics(const gt_view_reader *v);
/* Reports findings about the values read so far: too dark, saturated. */
GT_API void      gt_view_reader_report (gt_view_reader *v, const gt_listener *notes);
GT_API void      gt_view_reader_close(gt_view_reader *v);

/* Projections by views and rows, in any order: NetCDF. What is written can be read again before it is committed.
 * head: all but the values, which may be missing; weighted: with statistical weights. GT_ERR_UNSUPPORTED: a format
 * that is written as a whole. Another thread may use other readers and writers meanwhile. */
/* A chunk of weights (1) or line integrals (0). */
typedef struct { int weights; size_t first, views, row, rows; } gt_view_chunk;
GT_API gt_status gt_can_write_views(const char *path);
GT_API gt_status gt_view_writer_create(const char *path, const gt_projections *head, int weighted, gt_view_writer **w);
/* data: [views][rows][column]; numbers that are not finite are refused. */
GT_API gt_status gt_view_writer_write (gt_view_writer *w, const gt_view_chunk *p, const float *data);
GT_API gt_status gt_view_writer_read  (gt_view_writer *w, const gt_view_chunk *p, float *data);
/* Declares later writes final: the transfer to disk starts at once and not at the commit. */
GT_API void      gt_view_writer_settle(gt_view_writer *w);
GT_API gt_status gt_view_writer_commit(gt_view_writer *w);     /* frees w in any case */
GT_API void      gt_view_writer_drop  (gt_view_writer *w);     /* gives up: nothing stays on the disk; frees w */

/* Can volumes of that name be written slice by slice? GT_ERR_UNSUPPORTED: as a whole only; GT_ERR_ARG: not at all. A
 * name that ends in a slash is one of several formats, by the options. */
GT_API gt_status gt_can_write_slices   (const char *path);
GT_API gt_status gt_can_write_slices_as(const char *path, const gt_write_options *o);
/* A volume slice by slice, in ascending order, as gt_write_volume() writes it: NetCDF, MetaImage, NIfTI, TIFF, NumPy,
 * raw. head: all but the data; must outlive s. */
/* Bytes of memory that writing such a volume takes, at most. */
GT_API size_t    gt_slice_writer_bytes(const gt_write_options *o, const gt_grid *grid);
GT_API gt_status gt_slice_writer_create(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **s);
GT_API gt_status gt_slice_writer_write (gt_slice_writer *s, size_t n, const float *data);          /* the next n slices, mm^-1 */
GT_API gt_status gt_slice_writer_commit(gt_slice_writer *s);               /* GT_ERR_ARG if slices are missing; frees s in any case */
GT_API void      gt_slice_writer_drop  (gt_slice_writer *s);               /* gives up: nothing stays on the disk; frees s */

/* A volume by its slices, in any order. *head, which is the caller's: all but the voxels. What the reader decides is
 * told. Files whose slices do not lie one behind the other (NIfTI and DICOM across the axis, .nii.gz from above),
 * and formats without slices, are read as a whole and held: gt_slice_reader_bytes() says so. */
GT_API gt_status gt_slice_reader_open (const char *path, const gt_read_options *o, gt_volume **head, gt_slice_reader **r);
/* Slices first ... first+n-1 to out [n][y][x], mm^-1, as gt_read_volume() gives them; an error names the slice. */
GT_API gt_status gt_slice_reader_read (gt_slice_reader *r, size_t first, size_t n, float *out);
GT_API size_t    gt_slice_reader_bytes(const gt_slice_reader *r);        /* of memory beside `out`, at most */
GT_API size_t    gt_slice_reader_together(const gt_slice_reader *r);     /* slices that are best read at once */
GT_API double    gt_slice_reader_max (const gt_slice_reader *r);         /* the largest value so far, or 0 */
GT_API void      gt_slice_reader_close(gt_slice_reader *r);                /* NULL is fine */
/* The volume that r reads, slab by slab, as gt_write_volume() writes it, to the bit. head: what gt_slice_reader_open()
 * gave, or that with another command, position or water. Whole numbers without a range, and DICOM, take two passes:
 * one range is for all slices. The memory is that of reader and writer and a slab of GT_SLAB_BYTES, or of one slice
 * if that is more. A failure leaves nothing. */
GT_API gt_status gt_write_volume_from(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_reader *r);
#define GT_SLAB_BYTES ((size_t)64 << 20)

/* Checks that a path can be written: known extension, existing and writable folder. A path that ends with a slash is a
 * new folder. Call it before a long computation. */
GT_API gt_status gt_can_write_volume(const char *path);
/* Checks the path, and the sample type of the options against the format. */
GT_API gt_status gt_can_write_volume_as(const char *path, const gt_write_options *o);
GT_API gt_status gt_can_write_projections(const char *path, const gt_write_options *o);
/* Checks the folder only, for other files; GT_ERR_IO. */
GT_API gt_status gt_can_write(const char *path);
/* Checks the free disk space for `bytes` bytes, or for a file or folder written with these options. GT_ERR_IO states
 * required and free space. GT_OK if the size is unknown: compressed files. Call it before a long computation. */
GT_API gt_status gt_has_space                (const char *path, double bytes);
GT_API gt_status gt_has_space_for_volume     (const char *path, const gt_write_options *o, const gt_grid *grid);
GT_API gt_status gt_has_space_for_projections(const char *path, const gt_write_options *o, const gt_scan *scan);
/* Finds format and contents of a file: *projections is 1 for projections, 0 for a volume. */
GT_API gt_status gt_file_kind(const char *path, const gt_format **format, int *projections);

/* 1: both paths name the same file, or would if both existed. */
GT_API int       gt_same_file(const char *a, const char *b);
/* The other file that the head at path names and that holds its data (MetaImage), or the other one of numbers and their
 * JSON, to be freed; NULL: none. */
GT_API char *gt_data_file(const char *path);

/* The library installs no handlers of signals. After this call, for programs that want it, SIGINT, SIGTERM,
 * SIGQUIT, SIGHUP, SIGXFSZ and those of a crash (SIGSEGV, SIGBUS, SIGFPE, SIGABRT) remove what is
 * unfinished, while there is something and where their action is the default one; the program then ends by
 * the signal. It is removed too where another library ends the program. */
GT_API void      gt_tmp_clean_on_signals(void);
/* An empty file of a new name in path's folder; then rename or drop it. GT_ERR_IO: the folder cannot be written, or
 * path is there and not a file. */
GT_API gt_status gt_tmp_path(const char *path, char **tmp);
GT_API gt_status gt_tmp_commit(char *tmp, const char *path);   /* renames and frees tmp */
/* Commits only if path does not exist; otherwise *taken is 1 and tmp stays. */
GT_API gt_status gt_tmp_commit_new(char *tmp, const char *path, int *taken);
GT_API void      gt_tmp_remove(void);                          /* removes all unfinished files of this process; for signal handlers */
GT_API void      gt_tmp_drop(char *tmp);                       /* unlinks and frees tmp */
/* Makes a temporary folder for `files` files named 000001.EXTENSION and so on. path must not exist or be an empty
 * folder. */
GT_API gt_status gt_tmp_folder(const char *path, size_t files, const char *extension, char **tmp);

#ifdef __cplusplus
}
#endif
#endif
