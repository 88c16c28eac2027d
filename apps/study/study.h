#ifndef GT_APPS_STUDY_STUDY_H
#define GT_APPS_STUDY_STUDY_H
/* What all studies share. A study of one kind is a folder with a study_kind and a header of its own. */
#include <stdio.h>
#include <gantry/grid.h>
#include <gantry/scan.h>
#include "apps/cli/cli.h"
#include "apps/cli/progress.h"
#include "apps/cli/workload.h"

/* Tables ------------------------------------------------------------------ */

/* Cells row by row; text NULL: a number, NAN where there is none. */
typedef struct { char *text; double number; } study_cell;
typedef struct {
	char **head;
	study_cell *cell;
	size_t columns, cells, head_room, cell_room;
	int failed;                     /* no memory: said when the table is written */
} study_table;
void study_head(study_table *t, const char *format, ...) GT_PRINTF(2, 3);       /* one more column; before the cells */
void study_text(study_table *t, const char *format, ...) GT_PRINTF(2, 3);       /* the next cell */
void study_number(study_table *t, double x);
void study_table_free(study_table *t);
size_t study_rows(const study_table *t);
/* A line of heads with units, then the rows; numbers that are not there are NaN. */
gt_status study_csv(const study_table *t, FILE *out);
/* Such a file into an empty table: what is in quotation marks is text. GT_ERR_FORMAT, with the line. */
gt_status study_csv_read(const char *path, study_table *t);

/* The folder ---------------------------------------------------------------- */

/* Written under another name beside `path`. A failure, or a signal that ends the command, removes it with what it holds. */
typedef struct { char *path, *tmp; } study_folder;
/* GT_ERR_ARG: path is there; GT_ERR_IO: it cannot be made. */
gt_status study_folder_new(const char *path, study_folder *f);
gt_status study_folder_commit(study_folder *f);         /* renames */
void      study_folder_drop(study_folder *f);           /* removes, unless it was renamed */
/* The path of a file of the folder, which is removed with it; NULL without memory. */
const char *study_file(const study_folder *f, const char *name);
/* A new file of the folder; study_close() says whether all of it was written. */
gt_status study_open(const study_folder *f, const char *name, FILE **out);
gt_status study_close(const char *name, FILE *out);
/* n floats in the order of this machine. */
#define STUDY_ARRAYS "arrays/" /* where they lie, in the folder */
gt_status study_arrays(const study_folder *f);          /* makes that folder, if it is not there */
int       study_has_arrays(void);
gt_status study_floats(const study_folder *f, const char *name, const double *x, size_t n);
/* Runs NAME.gp in the folder; NAME.png must come of it. */
gt_status study_draw(const study_folder *f, const char *name);

/* The study ----------------------------------------------------------------- */

typedef struct study study;
/* Tables of every study; those of its own follow them, as its header numbers them. */
enum { STUDY_ABOUT, STUDY_LEFT_OUT, STUDY_OWN };
/* NAME of a table, whose file is NAME.csv. */
const char *study_table_name(const study *s, size_t which);

typedef struct {
	const char *output, *grid, *backend, *from, *size, *ranks, *one, *logs;
	int quick, no_figures;
	long long cpu_reduce, cpu_iterations, seconds;
} study_options;

/* The report while it is put together; what fails in it is told when it is written. */
typedef struct study_page study_page;

/* What one study has of its own, called in this order. */
typedef struct {
	const char *name, *title, *intro;
	const char *const *table_name;                                          /* [tables]: of its own tables, without .csv */
	size_t tables, own_size;
	void      (*drop)   (study *s);                                         /* frees what study.own holds; NULL: nothing */
	gt_status (*check)  (const cli_call *call, const study_options *o);     /* what it does not take */
	gt_status (*prepare)(study *s, const study_options *o);                 /* scan, grid, geometry in words; the devices are known */
	gt_status (*measure)(study *s);                                         /* fills the tables; sets steps first, with one for figures */
	gt_status (*figures)(study *s);                                         /* from the CSV files: all of NAME.gp, NAME.png */
	void      (*parts)  (const study *s, study_page *p);                    /* of the report */
	gt_status (*redraw) (study *s, const study_options *o);                 /* fills the tables from --from; NULL: study_redraw() */
} study_kind;
extern const study_kind study_kind_accuracy, study_kind_iterative, study_kind_fdk, study_kind_quality, study_kind_scale,
	study_kind_tuner;

enum { STUDY_QUICK = 8 };              /* --quick is that many times smaller */
struct study {
	const cli_call *call;
	const study_kind *kind;
	int quick, no_figures;
	gt_orbit full, orbit;           /* of the named scanner, and made smaller; views 0: the scan came from a file */
	gt_scan *scan;
	gt_grid grid;
	char geometry[512];             /* in words */
	char cpu[32], gpu[32];          /* names of backends; gpu empty: none */
	char cpu_about[160], gpu_about[160];
	int threads;
	study_table *table;             /* [STUDY_OWN + kind->tables] */
	void *own;                      /* of the kind: own_size bytes, zero at first */
	study_folder folder;
	float *random;                  /* see study_random() */
	size_t randoms;
	app_progress progress;
	char doing[160];
	size_t steps, done;
	double started, seconds;        /* seconds: see --seconds; < 0: no bound */
};

/* A line of the table of what is left out: the last error message is the reason. */
void study_leave_out(study *s, const char *part, const char *who);
/* Counts one step and shows what is done in it. */
void study_step(study *s, const char *format, ...) GT_PRINTF(2, 3);
/* At least n random floats in [0,1), kept for the next call; they may repeat: for times. GT_ERR_MEMORY. */
gt_status study_random(study *s, size_t n, const float **x);

/* n floats, or a sentence that says what they are for. GT_ERR_MEMORY. */
gt_status study_host_floats(size_t n, const char *what, float **x);
/* The scanner ge-ct750hd (an eighth of it with --quick) with so many views (0: its own); 512 x 512 x 64 voxels of that pitch in plane. */
gt_status study_scanner(study *s, size_t views, double pitch);
/* Views of a scan by their numbers. */
gt_status study_pick(const gt_scan *scan, const size_t *view, size_t n, gt_scan **part);

/* Tables to CSV. */
gt_status study_write_tables(study *s);

/* What figures share: style.gp; text within single quotes of a script; NAME.gp begun and drawn; the place of a plot in pixels from the top left; colours from -window to window. */
gt_status study_plot_style  (study *s);
gt_status study_plot_begin  (study *s, const char *name, int width, int height, FILE **out);
gt_status study_plot_end    (study *s, const char *name, FILE *out);
void      study_plot_panel  (FILE *out, double left, double right, double top, double bottom, double width, double height);
void      study_plot_colours(FILE *out, double window);
/* A line of a script: a logarithmic axis y with 2 and 5 beside the powers of ten, between which all that there is may lie. */
#define STUDY_LOGARITHMIC "@logarithmic\n"
/* What reports share: what the study was, as a table; the page around the parts of the kind. */
void      study_about      (study *s);
void      study_about_line (study *s, const char *what, const char *text);
gt_status study_report     (study *s);
/* NAME.png, as the address of an image. */
gt_status study_page_picture(const study *s, const char *name, FILE *out);
/* The next part of the page: a heading (NULL: none) with a paragraph; a table; a figure that was drawn. */
void      study_page_text  (study_page *p, const char *heading, const char *format, ...) GT_PRINTF(3, 4);
void      study_page_table (study_page *p, int which);
void      study_page_figure(study_page *p, const char *name, const char *caption);
/* Arrays of the folder as pictures of one viewer, to be windowed and compared. */
typedef struct { const char *array, *name; } study_picture;     /* array: without .f32 */
typedef struct {
	const char *heading, *text;     /* NULL: none */
	const study_picture *picture;
	size_t pictures, n[2];          /* pixels of each */
	double pitch[2];                /* mm */
	const char *quantity;           /* what the numbers are in; NULL: HU */
	int water_is_1;                 /* of HU: 1: the numbers are shares of water */
	double low, high;               /* window; both 0: chosen */
} study_pictures;
void      study_page_pictures(study_page *p, const study_pictures *how);
/* Scripts, tables and arrays of the folder `from`, drawn again, and its report with those pictures. GT_ERR_FORMAT if it is of another kind. */
gt_status study_redraw(study *s, const char *from);
#endif
