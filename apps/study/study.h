#ifndef GT_APPS_STUDY_STUDY_H
#define GT_APPS_STUDY_STUDY_H
/* What all studies share; and `gantry study accuracy`: what the projectors cost and how near they are, after Liu, Fu, De Man, Yu,
 * "GPU-based branchless distance-driven projection and backprojection", IEEE Trans. Comput. Imaging 3 (2017), section IV A and B.
 * study_iterative.h has section IV C, study_fdk.h the direct reconstruction. */
#include <stdio.h>
#include <gantry/projector.h>
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
void study_html(const study_table *t, FILE *out);
void study_html_text(const char *text, FILE *out);      /* with the marks of HTML replaced */

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

/* Pictures of differences from the model in double. */
enum { STUDY_AT_0, STUDY_AT_45, STUDY_FROM_ONE, STUDY_FROM_ALL, STUDY_PICTURES };

/* A projector on a device: one line of most tables. */
typedef struct {
	const gt_projector *projector;
	char backend[32], label[96];    /* "dd (16 threads)", "dd-bl (GPU)" */
	char key[48];                   /* for names of files: "dd-cpu", "dd-bl-gpu" */
	gt_type type;
	int gpu, threads;               /* threads: of the CPU */
	int times, gups, accuracy, sweeps;      /* takes part in which */
	double update;                  /* s for a voxel and a view, of the slower direction; 0: not known yet */
	double window[STUDY_PICTURES];  /* of each picture of differences: from -window to window; 0: none differs */
} study_variant;

enum {
	STUDY_ABOUT, STUDY_LEFT_OUT, STUDY_TIMES, STUDY_GUPS, STUDY_VIEWS_FORWARD, STUDY_VIEWS_BACK, STUDY_SIZE_FORWARD, STUDY_SIZE_BACK,
	STUDY_SLICES_FORWARD, STUDY_SLICES_BACK, STUDY_FEW_FORWARD, STUDY_FEW_BACK, STUDY_FORWARD_ERRORS, STUDY_FORWARD_0,
	STUDY_FORWARD_45, STUDY_BACK_ERRORS, STUDY_RANDOM, STUDY_RANDOM_CUBE, STUDY_BAR_ERRORS, STUDY_BAR, STUDY_BAR_DIFFERENCES = STUDY_BAR + 3,
	STUDY_HEAD = STUDY_BAR_DIFFERENCES + 3,
	STUDY_ERRORS, STUDY_CONVERGENCE, STUDY_REFERENCE, STUDY_ITERATION, STUDY_PROFILES, STUDY_NOISE = STUDY_PROFILES + 4, STUDY_RESOLUTION,
	STUDY_FORMS, STUDY_LIMITS, STUDY_LADDER, STUDY_QUALITY, STUDY_ANGLES, STUDY_BLOCKS, STUDY_PASSES, STUDY_LAUNCHES, STUDY_FDK_SIZES,
	STUDY_STRUCTURES, STUDY_STAGES, STUDY_RABBITCT,
	STUDY_TABLES
};
extern const char *const study_table_names[];           /* [STUDY_TABLES], without .csv */

typedef struct {
	const char *output, *grid, *backend, *from;
	int quick, no_figures;
	long long cpu_reduce, cpu_iterations, seconds;
} study_options;

/* What one study has of its own, called in this order. Title and introduction are HTML. */
typedef struct study study;
typedef struct {
	const char *name, *title, *intro;
	gt_status (*check)  (const cli_call *call, const study_options *o);     /* what it does not take */
	gt_status (*prepare)(study *s, const study_options *o);                 /* scan, grid, geometry in words; the devices are known */
	gt_status (*measure)(study *s);                                         /* fills the tables; sets steps first, with one for figures */
	gt_status (*figures)(study *s);                                         /* from the CSV files: all of NAME.gp, NAME.png */
	gt_status (*parts)  (const study *s, FILE *out);                        /* of the report */
	gt_status (*redraw) (study *s, const study_options *o);                 /* fills the tables from --from; NULL: study_redraw() */
} study_kind;
extern const study_kind study_kind_accuracy, study_kind_iterative, study_kind_fdk;

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
	const gt_projector *reference;  /* the first that takes the scan on the CPU: what the others are compared with */
	int cpu_reduce, cpu_iterations; /* see study_iterative.h */
	struct study_findings *found;   /* owned; of the study 'iterative' */
	struct study_fdk *fdk;          /* owned; of the study 'fdk' */
	study_variant *variant;
	size_t variants;
	study_table table[STUDY_TABLES];
	study_folder folder;
	size_t shown[2];                /* the views at 0 and 45 degrees */
	float *random;                  /* see study_random() */
	size_t randoms;
	app_progress progress;
	char doing[160];
	size_t steps, done;
	double started, seconds;        /* seconds: see --seconds; < 0: no bound */
};

/* Finds s->variant; projectors that refuse the scan go to the table of what is left out. */
gt_status study_find_variants(study *s);
/* A line of that table: the last error message is the reason. */
void study_leave_out(study *s, const char *part, const char *who);
/* Counts one step and shows what is done in it. */
void study_step(study *s, const char *format, ...) GT_PRINTF(2, 3);
/* At least n random floats in [0,1), kept for the next call; they may repeat: for times. GT_ERR_MEMORY. */
gt_status study_random(study *s, size_t n, const float **x);
gt_status study_ones(size_t n, float **x);              /* malloc'ed */

/* The scanner ge-ct750hd (an eighth of it with --quick) with so many views (0: its own); 512 x 512 x 64 voxels of that pitch in plane. */
gt_status study_scanner(study *s, size_t views, double pitch);
/* The problem of table III. */
const app_workload *study_cube(const study *s);
/* Views of a scan by their numbers. */
gt_status study_pick(const gt_scan *scan, const size_t *view, size_t n, gt_scan **part);

/* Times: tables and sweeps. */
size_t    study_times_steps(const study *s);
gt_status study_times(study *s);
/* Accuracy: ones and random numbers forward and back, the bar, the head. */
size_t    study_accuracy_steps(const study *s);
gt_status study_accuracy(study *s);
size_t    study_random_steps(const study *s);
gt_status study_random_errors(study *s);
size_t    study_bar_steps(const study *s);
gt_status study_bar(study *s);
size_t    study_head_steps(const study *s);
gt_status study_head_error(study *s);
extern const double study_bar_angle[3];                 /* degrees */

/* A projector on a backend that is opened for it. */
typedef struct { const char *backend, *projector; gt_type type; int gpu; } study_way;
study_way study_way_of(const study_variant *v);
/* out = A in or A' in, in double whatever it computes in. */
gt_status study_apply(const study_way *way, int adjoint, const gt_grid *grid, const gt_scan *scan, const float *in, double *out);
/* Some voxels of a grid. */
typedef struct { size_t first[3], n[3]; } study_box;
size_t study_box_voxels(const study_box *b);
/* Parts of A' data, each [z][y][x], one behind the other: computed for themselves on the CPU, taken from the whole on a GPU. */
gt_status study_back(const study_way *way, const gt_grid *grid, const gt_scan *scan, const float *data, const study_box *box, size_t n,
                     double *out);
/* The projector with the same entries that runs on the CPU. */
const char *study_model(const study_variant *v);
/* Differences of x from reference, over n values: their root mean square, also relative to `size`, that of the reference; the largest
 * and its index; the largest value of the reference. */
typedef struct { double rmse, relative, largest, size, peak; size_t at; } study_error;
study_error study_compare(const double *x, const double *reference, size_t n);

/* Tables to CSV. */
gt_status study_write_tables(study *s);
gt_status study_figures(study *s);
gt_status study_accuracy_parts(const study *s, FILE *out);

/* What figures share: style.gp; text within single quotes of a script; NAME.gp begun and drawn; the place of a plot in pixels from the top left; colours from -window to window. */
gt_status study_plot_style  (study *s);
gt_status study_plot_begin  (study *s, const char *name, int width, int height, FILE **out);
gt_status study_plot_end    (study *s, const char *name, FILE *out);
void      study_plot_panel  (FILE *out, double left, double right, double top, double bottom, double width, double height);
void      study_plot_colours(FILE *out, double window);
/* A line of a script: a logarithmic axis y with 2 and 5 beside the powers of ten, between which all that there is may lie. */
#define STUDY_LOGARITHMIC "@logarithmic\n"
/* What reports share: what the study was, as a table; the page around the parts of the kind, a figure within it, a table. */
void      study_about      (study *s);
void      study_about_line (study *s, const char *what, const char *text);
gt_status study_report     (study *s);
gt_status study_page_figure(const study *s, const char *name, const char *caption, FILE *out);
gt_status study_page_picture(const study *s, const char *name, FILE *out);      /* NAME.png, as the address of an image */
void      study_page_table (const study *s, int which, FILE *out);
/* Scripts, tables and arrays of the folder `from`, drawn again, and its report with those pictures. GT_ERR_FORMAT if it is of another kind. */
gt_status study_redraw(study *s, const char *from);
#endif
