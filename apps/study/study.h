#ifndef GT_APPS_STUDY_STUDY_H
#define GT_APPS_STUDY_STUDY_H
/* Framework of all studies: tables, folder, figures, report. Each study is a folder with a study_kind. Sources of
 * studies take the standard headers and GT_TRY() from here. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/grid.h>
#include <gantry/phantom.h>
#include <gantry/scan.h>
#include "apps/cli/cli.h"
#include "apps/cli/gnuplot.h"
#include "apps/cli/progress.h"
#include "apps/cli/try.h"
#include "apps/cli/workload.h"

typedef struct study study;
/* Formats a line of text, or a path, into a buffer of the enclosing block. The rest of a longer text is lost; a path of
 * STUDY_PATH - 1 bytes is longer than the system takes. */
enum { STUDY_LINE = 512, STUDY_PATH = PATH_MAX + 2 };
#define FORMAT(...) study_format((char[STUDY_LINE]){ "" }, STUDY_LINE, __VA_ARGS__)
#define PATH(...) study_format((char[STUDY_PATH]){ "" }, STUDY_PATH, __VA_ARGS__)
char *study_format(char *buffer, size_t bytes, const char *format, ...) GT_PRINTF(3, 4);
/* Appends a setting to "NAME" or "NAME:key=value"; study_spec(): in a buffer of STUDY_PATH bytes, which may be spec. */
#define SPEC(spec, ...) study_spec((char[STUDY_PATH]){ "" }, spec, __VA_ARGS__)
char *study_spec(char *buffer, const char *spec, const char *format, ...) GT_PRINTF(3, 4);
/* malloc'ed; NULL without memory. */
char *study_print(const char *format, va_list args);

/* Tables ------------------------------------------------------------------ */

/* Name of the CSV file, without .csv. heads: "text column$|number [unit]|..."; "..." stands for columns of numbers that
 * study_head() adds. */
typedef struct { const char *name, *heads; } study_columns;
/* text NULL: a number, NAN if there is none. */
typedef struct { const char *text; double number; } study_cell;
typedef struct {
	char **head;
	study_cell *cell;               /* row by row; texts are owned */
	size_t columns, cells, head_capacity, cell_capacity;
	int failed;                     /* no memory: reported when the table is written */
} study_table;
void study_heads(study_table *t, const char *heads);
void study_head(study_table *t, const char *format, ...) GT_PRINTF(2, 3);
/* Appends cells: study_row(t, TXT("name"), NUM(7)) */
#define TXT(x) ((study_cell){ (x), NAN })
#define NUM(x) ((study_cell){ NULL, (double)(x) })
#define study_row(t, ...) \
	study_cells(t, (const study_cell[]){ __VA_ARGS__ }, sizeof((study_cell[]){ __VA_ARGS__ }) / sizeof(study_cell))
void study_cells(study_table *t, const study_cell *cell, size_t n);
void study_text(study_table *t, const char *format, ...) GT_PRINTF(2, 3);
void study_number(study_table *t, double x);
void study_numbers(study_table *t, const double *x, size_t n);
void study_table_free(study_table *t);
size_t study_rows(const study_table *t);
/* Cells; text: "" for a number. study_same: equal in two rows. */
double      study_at(const study_table *t, size_t row, size_t column);
const char *study_text_at(const study_table *t, size_t row, size_t column);
int         study_same(const study_table *t, size_t row, size_t other, size_t column);
/* The tables of a study as CSV into its folder, and from another folder. GT_ERR_FORMAT names the line or the column. A
 * missing table stays empty. */
gt_status study_write_tables(study *s);
gt_status study_read_tables(study *s, const char *from);
/* Reads a whole file; malloc'ed, 0 follows its bytes. */
gt_status study_read_file(const char *path, char **text, size_t *bytes);

/* The folder ---------------------------------------------------------------- */

/* Written under a temporary name in the folder of `path`. A failure or a signal removes it. */
typedef struct { char *path, *tmp; } study_folder;
/* GT_ERR_ARG: path exists; GT_ERR_IO: it cannot be made. */
gt_status study_folder_new(const char *path, study_folder *f);
gt_status study_folder_commit(study_folder *f);         /* renames */
void      study_folder_drop(study_folder *f);           /* removes, unless renamed */
/* The path of a file of the folder, which is removed with it. */
gt_status study_file(const study_folder *f, const char *name, const char **path);
/* A new file of the folder; study_close() reports failed writes. */
gt_status study_open(const study_folder *f, const char *name, FILE **out);
gt_status study_close(const char *name, FILE *out);
#define STUDY_ARRAYS "arrays/" /* their folder */
gt_status study_arrays(const study_folder *f);          /* makes it once */
int       study_has_arrays(void);
/* Writes n floats to NAME.f32 of that folder, in the byte order of this machine. */
gt_status study_floats(const study_folder *f, const char *name, const double *x, size_t n);
/* Runs NAME.gp in the folder, which must make NAME.png. */
gt_status study_draw(const study_folder *f, const char *name);

/* The study ----------------------------------------------------------------- */

/* Tables of every study; its own follow. */
enum { STUDY_ABOUT, STUDY_LEFT_OUT, STUDY_STEPS, STUDY_OWN };

typedef struct {
	const char *output, *grid, *backend, *from, *size, *ranks, *one, *logs;
	int quick, no_figures;
	long long cpu_reduce, cpu_iterations, seconds;
} study_options;

/* The report under construction; the first failure is kept. */
typedef struct study_page study_page;

/* Options that only some studies take. */
enum { TAKES_SCAN = 1, TAKES_GRID = 2, TAKES_CPU = 4, TAKES_SECONDS = 8, TAKES_LOGS = 16, TAKES_SIZE = 32, TAKES_CASE = 64,
       TAKES_RANKS = 128 };
/* A part of a study, which --case runs alone. whole: --seconds leaves all of it out; else it leaves out its cases. */
typedef struct { const char *name; gt_status (*run)(study *s); int whole; } study_part;
/* One study; functions in the order of calls, NULL: none. */
typedef struct {
	const char *name, *title, *intro;
	const study_part *order;        /* [orders] in order of execution; NULL: --case is of the study itself, or not taken */
	size_t orders;
	const study_columns *table;     /* [tables] */
	size_t tables, own_size;
	unsigned takes;
	int from_tables;                /* 1: --from reads the tables and draws anew; 0: it runs the scripts again */
	void      (*drop)    (study *s);                                        /* frees what study.own holds */
	gt_status (*prepare) (study *s, const study_options *o);                /* scan, grid, geometry; the devices are known */
	gt_status (*measure) (study *s);                                        /* fills the tables; sets steps first, one of them for figures */
	void      (*complete)(study *s);                                        /* before tables are written, also with --from */
	void      (*figures) (study *s);                                        /* failures go to study.st */
	void      (*parts)   (const study *s, study_page *p);                   /* sections of the report */
} study_kind;
extern const study_kind study_kind_accuracy, study_kind_iterative, study_kind_fdk, study_kind_quality, study_kind_scale,
	study_kind_tuner;

enum { STUDY_QUICK = 8 };               /* --quick divides sizes by this */
struct study {
	const cli_call *call;
	const study_kind *kind;
	int quick, no_figures;
	gt_orbit full, orbit;           /* the named scanner, and reduced; views 0: the scan came from a file */
	gt_scan *scan;
	gt_grid grid;
	char geometry[512];             /* in words */
	char cpu[32], gpu[32];          /* names of backends; gpu empty: none */
	char cpu_about[160], gpu_about[160];
	int threads;
	study_table *table;             /* [STUDY_OWN + kind->tables] */
	void *own;                      /* memory of the kind: own_size bytes, zero at first */
	study_folder folder;
	float *random;                  /* see study_random() */
	size_t randoms;
	app_progress progress;
	char doing[160], step[160];     /* the text of the progress; the running step */
	size_t steps, done;
	double started, step_started;
	double seconds;                 /* --seconds; < 0: no limit */
	const char *one;                /* --case: the only part; NULL: all */
	gt_status st;                   /* the first failure of the figures */
};

const char *study_table_name(const study *s, size_t which);
const char *study_table_heads(const study *s, size_t which);
/* Gives the tables first to last their columns. */
void study_begin_tables(study *s, int first, int last);
/* Adds a row to the table of cases without a result: for that reason, or for the last error. */
void study_leave_out_as(study *s, const char *part, const char *name, const char *why);
void study_leave_out(study *s, const char *part, const char *name);
/* Returns st, or GT_OK after study_leave_out() if the case is impossible or too large. */
gt_status study_or_left_out(study *s, gt_status st, const char *part, const char *name);
/* 1: the time of --seconds is over. */
int study_is_late(const study *s);
/* Runs the parts of the study in order. */
gt_status study_run_parts(study *s);
/* Counts one step and shows its text. The table of steps gets its duration. */
void study_step(study *s, const char *format, ...) GT_PRINTF(2, 3);
/* At least n uniform floats in [0,1), kept for the next call; they may repeat: for times. GT_ERR_MEMORY. */
gt_status study_random(study *s, size_t n, const float **x);
/* n floats; `what` names them in the message. GT_ERR_MEMORY. */
gt_status study_host_floats(size_t n, const char *what, float **x);
/* n objects of that size, zero; items: the address of a pointer. GT_ERR_MEMORY. */
gt_status study_new(size_t n, size_t size, void *items);
/* Makes space for one more of `used` objects; 0 without memory. */
int study_grow(void *items, size_t used, size_t *capacity, size_t size);
/* The scanner ge-ct750hd (an eighth of it with --quick) with that number of views (0: its own); 512 x 512 x 64
 * voxels of that pitch in plane. */
gt_status study_scanner(study *s, size_t views, double pitch);
/* Views of a scan by their indices. */
gt_status study_pick(const gt_scan *scan, const size_t *view, size_t n, gt_scan **part);
/* n views spread evenly over the scan; they repeat if it has fewer. */
gt_status study_spread(const gt_scan *scan, size_t n, gt_scan **part);
/* An object: a name of the table of phantoms, or statements, which stay in the folder as NAME.shapes. options NULL:
 * defaults. */
typedef struct { const char *name, *statements; const gt_phantom_options *options; } study_object;
/* Mean rays x rays line integrals of each pixel, and means of voxels (voxels NULL: none), by all threads; malloc'ed. */
gt_status study_simulate(study *s, const study_object *o, const gt_scan *scan, int rays, float **lines,
                         const gt_grid *grid, float **voxels);
/* Radius of a phantom with default options, mm. */
gt_status study_phantom_radius(const char *name, double *radius);
/* Extends the grid by the slices below and above that the rays of the scan cross. */
void study_add_margin(gt_grid *grid, const gt_scan *scan, size_t *below);

/* Figures --------------------------------------------------------------------- */

/* A script under construction; after a failure it writes nothing and study.st holds the first error. */
typedef struct { study *s; FILE *out; char name[64]; double width, height; int series, multiplot; } study_plot;
gt_status  study_plot_style(study *s);
study_plot study_plot_new(study *s, double width, double height, const char *format, ...) GT_PRINTF(4, 5);      /* pixels; name */
void       study_put(study_plot *p, const char *format, ...) GT_PRINTF(2, 3);
void       study_plot_draw(study_plot *p);
/* The next curve of a "plot" command, then its end. */
void study_series(study_plot *p, const char *format, ...) GT_PRINTF(2, 3);
void study_series_end(study_plot *p);
/* Points (x, y) in rows of a table. A curve begins at a row that differs from the row before in one of the first `keys`
 * columns. */
typedef struct { const study_table *table; size_t first, end, keys, x, y; } study_curves;
int  study_begins(const study_curves *c, size_t row);
/* Writes the curves as blocks $NAME0, $NAME1 ...; gnuplot leaves NAN out. */
void study_blocks(study_plot *p, const study_curves *c, const char *name);
/* Several plots in one figure: at positions of study_panel(), or with the layout of gnuplot. */
void study_multiplot(study_plot *p, const char *layout);
/* study_multiplot() for images alone: without grid, key, tics and column names. */
void study_images(study_plot *p);
/* Places the next plot; pixels from the top left. */
void study_panel(study_plot *p, double left, double right, double top, double bottom);
/* Grey levels from low to high; colours from -window to window. */
void study_greys(study_plot *p, double low, double high);
void study_colours(study_plot *p, double window);
/* An array of the folder as an image; title: quoted, NULL: unchanged. */
void study_image(study_plot *p, const size_t n[2], const char *array, const char *title);
/* Text in quotes of gnuplot: in commands, and in data. */
#define QUOTE(...) study_quoted((char[STUDY_LINE]){ "" }, app_gnuplot_quote, FORMAT(__VA_ARGS__))
#define DATUM(...) study_quoted((char[STUDY_LINE]){ "" }, app_gnuplot_datum, FORMAT(__VA_ARGS__))
/* At most half of STUDY_LINE of the text, so that the quotes end within the buffer. */
char *study_quoted(char *buffer, void (*quote)(FILE *, const char *, ...), const char *text);
/* A line of a script: a logarithmic y axis with tics at 2 and 5 too. */
#define STUDY_LOGARITHMIC "@logarithmic\n"

/* The report ------------------------------------------------------------------ */

void      study_about (study *s);
gt_status study_report(study *s);
/* Appends a heading (NULL: none) with a paragraph; a table; a figure that was drawn. */
void      study_page_text  (study_page *p, const char *heading, const char *format, ...) GT_PRINTF(3, 4);
void      study_page_table (study_page *p, int which);
void      study_page_figure(study_page *p, const char *name, const char *caption);
/* Parts with fixed text, in this order; table 0: none. Without the table its figure is left out. */
typedef struct { const char *heading, *text, *figure, *caption; int table; const char *after; } study_section;
void      study_page_sections(study_page *p, const study_section *section, size_t n);
/* Arrays of the folder as pictures of one viewer, added by study_add_picture(). */
enum { STUDY_MAX_PICTURES = 64 };
typedef struct {
	const char *heading, *text;     /* NULL: none */
	size_t n[2];                    /* pixels of each */
	double pitch[2];                /* mm */
	const char *quantity;           /* unit of the values; NULL: HU */
	int water_is_1;                 /* HU are given as fractions of water */
	double low, high;               /* window; both 0: chosen */
	struct { char array[96]; const char *name; } picture[STUDY_MAX_PICTURES];
	size_t pictures;
} study_pictures;
/* The format is of the array's name without .f32. */
void      study_add_picture(study_pictures *how, const char *name, const char *format, ...) GT_PRINTF(3, 4);
void      study_page_pictures(study_page *p, const study_pictures *how);
/* Runs the scripts of the folder `from` again and writes its report with the new pictures. GT_ERR_FORMAT: another
 * kind. */
gt_status study_redraw(study *s, const char *from);
#endif
