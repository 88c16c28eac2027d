#ifndef GANTRY_IO_H
#define GANTRY_IO_H
#include <stdint.h>
#include <gantry/array.h>
#include <gantry/data.h>
#include <gantry/grid.h>
#include <gantry/message.h>
#include <gantry/module.h>
#include <gantry/scan.h>
#ifdef __cplusplus
extern "C" {
#endif

/* DICOM-CT-PD, where the files of scanners differ. Central column: as the manufacturer does (AUTO); counted from 1
 * and the first column (FIRST); from 0 and the last one (LAST), as in files of GE. */
typedef enum { GT_CENTRAL_AUTO, GT_CENTRAL_FIRST, GT_CENTRAL_LAST } gt_central;
typedef struct {
	gt_central central;
	int without_photons;            /* reading: leave the photon statistics out */
	int lines_are_rows;             /* writing: lines of the image are rows of the detector; 0: columns, as usual */
	double photons;                 /* writing: unattenuated counts, where the projections have none; 0: none */
	const char *maker;              /* writing: Manufacturer; NULL: Gantry */
} gt_dicom_style;

/* Images of counts: a folder, or one file with all images. Options describe the images, the geometry, and the
 * conversion of counts into line integrals. A view is corrected when it is read; no corrected copy is stored.
 *   p = -ln((I - dark) / (flat - dark) / air)
 * Several flat or dark fields are averaged as counts. Dead pixels of the flat field are interpolated. Transmissions
 * below 2^-16 are clipped and counted. gt_read_options.notes receives a message on each. View i has its angle as in
 * gt_scan_orbit(). Columns are those of the file; its first row is the top one, so row_axis is -z. axis and pixel of
 * gt_read_options apply. */
typedef enum { GT_FRAMES_COUNTS, GT_FRAMES_LINE_INTEGRALS } gt_frames_values;  /* meaning of the stored values */
/* New members are added at the end, as in gt_read_options. */
typedef struct {
	size_t size;            /* sizeof(gt_frames_options), as gt_frames_defaults says */
	const char *flat;       /* flat field: an image or a folder; NULL: files named flat* in the folder; "none" */
	const char *dark;       /* dark field, likewise */
	double white;           /* blank-scan (I0) counts if there is no flat field; 0: none */
	const char *angles;     /* text file with one number per line; "FIRST:STEP"; "FIRST..LAST" with both ends; units
	                         * are optional ("0..3.14rad"); NULL: angles.txt in the folder */
	int radians;            /* unit of angles that state none: 1: radians, -1: degrees; 0: rules are degrees; a file is
	                         * in radians if its range is pi or 2 pi, in degrees above, else refused */
	const char *air;        /* "auto": divides each view by its open-beam columns; "LEFT,RIGHT": by that number of
	                         * columns at both sides; "no"; NULL: auto */
	int sinogram;           /* 1: an image is one row of the detector in all views, [view][column] */
	int gaps;               /* 1: accepts missing file numbers */
	gt_frames_values values;
	double source_to_axis;  /* mm; both above 0: cone beam, circle, flat detector, axis at the column */
	double source_to_detector;      /* gt_read_options.axis (NAN: central column); both 0: parallel rays */
	const char *geometry;   /* file for gt_geometry_read() instead of angles; NULL: none */
	int direction, axis_side;       /* gt_sign: signs that such a file leaves open; 0: found in images */
	const char *raw;        /* bare numbers: "u16le:COLUMNSxROWS[xVIEWS][+HEADER]", or a JSON file */
	const char *flat_after; /* as flat, after the scan: flat fields are interpolated by view index; NULL: none */
	const char *flat_at;    /* "0,300,600": equal numbers of flat fields were taken after these views; NULL: before
	                         * the first view, or in NXtomo by the order of the frames */
	const char *entry;      /* HDF5: root group of the scan; NULL: the only one, "exchange" of Data Exchange */
} gt_frames_options;
GT_API extern const gt_frames_options gt_frames_defaults;      /* copy it, then set what differs */

/* Called in the calling thread with the completed fraction; non-zero stops (GT_STOPPED). NULL: no callback. */
typedef int (*gt_io_progress)(void *self, double done);

/* Options of readers. New members are added at the end; `size` gives older callers the defaults of the rest. */
typedef struct {
	size_t size;            /* sizeof(gt_read_options), as gt_read_defaults says. GT_ERR_ARG: 0, or larger than the library knows */
	int geometry_only;      /* 1: reads only the scan, or the grid if the format can; data is NULL then */
	int may_lack_data;      /* 1: accepts a file without projections and reads only its geometry */
	int without_statistics; /* projections: 1: skips weights and photons, each as large as the data */
	double axis;            /* projections: column of the projected axis of rotation; 0: centre of the first pixel;
	                         * NAN: from the file, or found from opposite views */
	double pixel;           /* mm, if Data Exchange or images state none; NAN: from the file, else 1; RabbitCT: 0.32 */
	double water;           /* HU volumes without the attribute; 0: GT_WATER_DEFAULT */
	gt_unit unit;           /* formats of volumes without unit (MetaImage, NIfTI): unit of slope * stored + offset */
	double slope, offset;   /* likewise: applied to stored values; NAN: from the file, or the format's rule */
	gt_position position;   /* volumes: position of the patient; overrides the file */
	int center;             /* volumes: 1 moves the centre of the grid to (0, 0, 0) */
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
	int bits;               /* TIFF, .npy, .raw: 32 and 0: floats; 16, 8: integers from low to high, in the unit */
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
	int       folders;                              /* 1: paths may be folders, also for probe() */
	int       (*probe)(const char *path);           /* 1 if the contents are of this format */
	gt_status (*read_projections )(const char *path, const gt_read_options *o, gt_projections **p);
	gt_status (*write_projections)(const char *path, const gt_write_options *o, const gt_projections *p);
	gt_status (*read_volume )(const char *path, const gt_read_options *o, gt_volume **v);   /* NULL if slices is set */
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

/* Reading finds the format by contents, writing by the name in the options or by the path's extension. Options NULL:
 * defaults. A lock serialises file access, since the NetCDF and HDF5 libraries are not thread-safe.
 * Errors name file and variable, the state found and the state expected. Readers reject missing variables, wrong
 * shapes, truncated files, and volumes instead of projections or the reverse. They also reject NaN and Inf, scans that
 * fail gt_scan_check(), and arrays larger than memory (GT_ERR_MEMORY).
 * Writers write a temporary file in the same folder and rename it: a failed or killed run leaves no partial file. */
GT_API gt_status gt_read_projections (const char *path, const gt_read_options *o, gt_projections **p);
GT_API gt_status gt_write_projections(const char *path, const gt_write_options *o, const gt_projections *p);
GT_API gt_status gt_read_volume (const char *path, const gt_read_options *o, gt_volume **v);
GT_API gt_status gt_write_volume(const char *path, const gt_write_options *o, const gt_volume *v);
/* Reads images as they are stored, without flat fields, angles and geometry: at most `max` values (0: all), from images
 * at equal distances. *each: this distance. Angles of the views are NAN, pixels 1 mm. GT_ERR_UNSUPPORTED: no images. */
GT_API gt_status gt_read_images(const char *path, const gt_read_options *o, size_t max, gt_projections **p, size_t *each);
/* Returns the path of a geometry file in the folder of images, such as .xtekct; NULL: none. gt_free() frees it. */
GT_API char     *gt_find_geometry_file(const char *path);
/* Opens projections of `scan` for reading views and rows in any order. Formats: NetCDF, images, and MetaImage of
 * columns x rows x views, which has no geometry. o: as for gt_read_projections(), but without notes; NULL: defaults.
 * Values are those of gt_read_projections(). One thread at a time may use v; another may write slices meanwhile.
 * GT_ERR_UNSUPPORTED: the format can only be read whole. */
GT_API gt_status gt_view_reader_open (const char *path, const gt_read_options *o, const gt_scan *scan,
                                      gt_view_reader **v);
/* Reads rows row ... row+rows-1 of views first ... first+n-1 into out [n][rows][columns]. Errors name file and view. */
GT_API gt_status gt_view_reader_read (gt_view_reader *v, size_t first, size_t n, size_t row, size_t rows, float *out);
GT_API void      gt_view_reader_close(gt_view_reader *v);

/* Writes a volume slice by slice, in ascending order, as gt_write_volume() does. Formats: NetCDF, MetaImage, NIfTI,
 * TIFF, NumPy, raw. head: a volume without data; must outlive s. GT_ERR_UNSUPPORTED: another format. */
GT_API gt_status gt_slice_writer_create(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_writer **s);
GT_API gt_status gt_slice_writer_write (gt_slice_writer *s, size_t n, const float *data);  /* the next n slices, mm^-1 */
GT_API gt_status gt_slice_writer_commit(gt_slice_writer *s);               /* frees s; GT_ERR_ARG: missing slices */
GT_API void      gt_slice_writer_drop  (gt_slice_writer *s);               /* removes the file; frees s */

/* Opens a volume for reading slices in any order. *head: the volume without voxels; the caller frees it. Decisions are
 * reported to o->notes. Formats without slices are read whole and kept in memory. So are files whose slices are not
 * contiguous, such as NIfTI and DICOM across the axis. */
GT_API gt_status gt_slice_reader_open (const char *path, const gt_read_options *o, gt_volume **head, gt_slice_reader **r);
/* Reads slices first ... first+n-1 into out [n][y][x], mm^-1, as gt_read_volume() does. Errors name the slice. */
GT_API gt_status gt_slice_reader_read (gt_slice_reader *r, size_t first, size_t n, float *out);
GT_API void      gt_slice_reader_close(gt_slice_reader *r);                /* NULL is fine */
/* Writes the volume that r reads, slab by slab, bit-identical to gt_write_volume(). head: from gt_slice_reader_open(),
 * possibly with another command, position or water. Integers without a range, and DICOM, take two passes, because all
 * slices share one range. Memory: reader, writer, and the larger of GT_SLAB_BYTES and one slice. A failure leaves no
 * file. */
GT_API gt_status gt_write_volume_from(const char *path, const gt_write_options *o, const gt_volume *head, gt_slice_reader *r);
#define GT_SLAB_BYTES ((size_t)64 << 20)

/* Checks that a path can be written: known extension, existing and writable folder, and a format that supports the
 * options; o NULL: defaults. A path that ends with a slash is a new folder. Call it before a long computation. */
GT_API gt_status gt_can_write_volume(const char *path, const gt_write_options *o);
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

/* Installs signal handlers that remove unfinished files; without this call the library installs none. Signals are
 * SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGXFSZ, and SIGSEGV, SIGBUS, SIGFPE, SIGABRT. Handlers are active while
 * unfinished files exist, for signals with the default action, and the program then ends by the signal. The files are
 * also removed if another library exits the program. */
GT_API void      gt_tmp_clean_on_signals(void);
/* Creates an empty file with a new name in the folder of path; commit or drop it later. GT_ERR_IO: the folder is not
 * writable, or path exists and is not a file. */
GT_API gt_status gt_tmp_path(const char *path, char **tmp);
GT_API gt_status gt_tmp_commit(char *tmp, const char *path);   /* renames and frees tmp */
GT_API void      gt_tmp_drop(char *tmp);                       /* unlinks and frees tmp */
/* Makes a temporary folder for `files` files named 000001.EXTENSION and so on. path must not exist or be an empty
 * folder. */
GT_API gt_status gt_tmp_folder(const char *path, size_t files, const char *extension, char **tmp);

/* Reads geometry files of other programs and of scanner vendors as scans, and writes scans for other programs. Notes
 * report the key of each value. docs/geometry.md has the formulas, docs/files.md the files. */

/* Signs that some vendors' files do not state: the rotation direction, and the side of the axis offset. Reading fails
 * with the name of a sign that neither the options nor the images determine. */
typedef enum { GT_SIGN_OPEN, GT_SIGN_AS_FILE, GT_SIGN_REVERSED } gt_sign;

/* New members are added at the end, as in gt_read_options. */
typedef struct {
	size_t size;                    /* sizeof(gt_geometry_options), as gt_geometry_defaults says */
	const char *format;             /* name of a format; NULL: found by contents */
	size_t views, rows, columns;    /* size of the images, if the file does not state it; 0: unknown */
	double column_pitch, row_pitch; /* mm at the detector, if the file does not state them; NAN: unknown */
	double origin[2];               /* RTK: position of the first column and row, mm; NAN: centre at 0 */
	double unit;                    /* mm in one unit of the file's lengths (ASTRA: voxels; CIL); NAN: 1 */
	int parallel;                   /* bare vectors: 1: parallel rays */
	gt_sign direction, offset;
	gt_listener notes;              /* receives the source of each value, GT_ABOUT_GEOMETRY */
} gt_geometry_options;
GT_API extern const gt_geometry_options gt_geometry_defaults;  /* copy it, then set what differs */

/* Contents of a geometry file. */
typedef struct gt_geometry gt_geometry;
/* Reads a geometry file. GT_ERR_FORMAT names file and key, or the line: missing, repeated or contradictory values.
 * GT_ERR_UNSUPPORTED: a geometry that no scan describes. Options NULL: defaults. */
GT_API gt_status      gt_geometry_read(const char *path, const gt_geometry_options *o, gt_geometry **g);
GT_API void           gt_geometry_free(gt_geometry *g);
GT_API const gt_scan *gt_geometry_scan(const gt_geometry *g);
/* Returns the signs that neither file nor options determine, bits of GT_GEOMETRY_... */
enum { GT_GEOMETRY_DIRECTION = 1, GT_GEOMETRY_OFFSET = 2 };
GT_API unsigned       gt_geometry_open(const gt_geometry *g);

/* Writes a scan for another program: "rtk" (.xml), "astra" (.npy, .json, .csv), "leap" (.leap); format NULL: by the
 * extension. Notes report conventions that users need. GT_ERR_ARG: no such format, with a list of them.
 * GT_ERR_UNSUPPORTED: the program cannot describe this scan. */
GT_API gt_status      gt_geometry_write(const char *path, const char *format, const gt_scan *scan, const gt_listener *notes);
/* Formats with descriptions; a NULL name ends the list. */
typedef struct { const char *name, *about; int reads, writes; } gt_geometry_kind;
GT_API extern const gt_geometry_kind gt_geometry_kinds[];

#ifdef __cplusplus
}
#endif
#endif
