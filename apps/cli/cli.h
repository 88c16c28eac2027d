#ifndef GT_APPS_CLI_CLI_H
#define GT_APPS_CLI_CLI_H
/* The command line: every command is a table of options and a function. Parsing, range checks, --help and
 * proposals for misspelt options come from the tables. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <gantry/array.h>
#include <gantry/io.h>
#include <gantry/message.h>
#include <gantry/author/params.h>
#include <gantry/grid.h>
#include <gantry/scan.h>
#include "core/module.h"

/* Types of the field in the options struct: CLI_TEXT const char *, CLI_REAL double, CLI_INT long long, CLI_CHOICE int
 * (index), CLI_FLAG int (0 or 1). CLI_INPUT (perhaps) and CLI_OUTPUT: text that names a file that is read or written.
 * CLI_LENGTH, CLI_ANGLE: double, in mm, degrees. */
typedef enum { CLI_TEXT = 1, CLI_REAL, CLI_INT, CLI_CHOICE, CLI_FLAG, CLI_INPUT, CLI_OUTPUT, CLI_LENGTH, CLI_ANGLE } cli_kind;
typedef struct {
	const char *name;               /* long name without dashes; NULL ends a table */
	const char *was;                /* previous name, accepted with a note; or NULL */
	char letter;                    /* short name, or 0 */
	cli_kind kind;
	const char *value, *help;       /* "FILE"; one line */
	const char *group;              /* heading above this option in the help; NULL: as the option before */
	size_t at;                      /* offsetof in the options struct */
	double min, max;                /* CLI_REAL, CLI_INT, CLI_LENGTH, CLI_ANGLE */
	const char *const *names;       /* CLI_CHOICE, NULL-terminated */
} cli_option;

/* Traits: common options of a command. */
enum { CLI_COMPUTES = 1 /* --backend, --precision */, CLI_REPORTS = 2 /* --json */ };
/* mpirun may start the command several times: processes after the first are quiet. */
enum { CLI_TEAMS = 4 };
/* Value of cli_common.quiet in processes after the first; 1: --quiet. */
enum { CLI_QUIET_BESIDE = 2 };
typedef struct { const char *backend; int precision, quiet, json, timings, help; } cli_common;

typedef struct cli_command cli_command;
typedef struct {
	const cli_command *command;
	cli_common common;
	const char **file;              /* arguments that are not options */
	size_t files;
	char *line;                     /* the whole command line, for the record */
	gt_listener log;                /* messages of the library, as cli_note() shows them */
	int process, processes;         /* index and number of MPI processes; processes is 0 without CLI_TEAMS */
} cli_call;

/* A name that other programs have for something: `use` states the option here. A NULL name ends the list. */
typedef struct { const char *name, *use; } cli_hint;

struct cli_command {
	const char *name, *about;
	const char *synopsis;           /* arguments after the command's name */
	const char *notes;              /* after the options: examples, defaults explained; may be NULL */
	unsigned traits;
	const cli_option *options;
	const cli_hint *hints;          /* for unknown options; may be NULL */
	const void *defaults;
	size_t options_size, min_files, max_files;
	size_t words;                   /* number of leading arguments that are keywords, not files */
	int (*run)(const cli_call *call, const void *options);          /* returns the exit code */
	void (*list)(FILE *out);        /* lists scanners, methods and other names for the help; may be NULL */
};
extern const cli_command *const cli_commands[];                         /* NULL-terminated */
/* Groups of `commands` consecutive commands; the title NULL ends the list. */
typedef struct { const char *title; size_t commands; } cli_command_group;
extern const cli_command_group cli_groups[];
const cli_command *cli_command_find(const char *name);

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* Fills options (which hold the defaults) and call from the arguments after the command's name. */
gt_status cli_parse(const cli_command *command, int argc, char **argv, void *options, cli_call *call);
/* GT_ERR_ARG if an output is the same file as an input or another output, also through links. */
gt_status cli_check_files(const cli_call *call, const void *options);
/* GT_ERR_ARG if the arguments are the images of one folder, as a shell pattern expands to them. */
gt_status cli_check_pattern(const cli_call *call);
void cli_print_help(const cli_command *command, FILE *out);
/* Option tables of a command: the first fills its own struct, the others cli_common. */
enum { CLI_TABLES = 4 };
void cli_option_tables(const cli_command *command, const cli_option *table[CLI_TABLES]);
/* Formats "  -o, --output FILE" and returns its length. */
int cli_option_text(const cli_option *o, char *text, size_t size);
/* 1: the command's own options have headings. */
int cli_has_groups(const cli_command *command);
/* Print to stdout a manual page in troff (NULL: of all commands), a page in Markdown, the bash completion script. */
void cli_print_manual(const cli_command *command);
void cli_print_markdown(const cli_command *command);
void cli_print_completion(void);
/* Prints the error, if any, and returns the exit code: CLI_USAGE for arguments and unknown names. One MPI process
 * prints; all return the same code. */
int cli_exit(const cli_call *call, gt_status st);

/* GT_ERR_ARG if the option was not given. */
gt_status cli_need(const char *option, const char *value);
/* "name,name" -> bit k of *chosen for the k-th of `count` names; each once. */
gt_status cli_parse_names(const char *what, const char *text, const char *const *names, int count, unsigned *chosen);
/* Window of grey values: LOW:HIGH, LEVEL/WIDTH, each perhaps with HU or mm-1 at its end, or a name; see help window. */
typedef struct { double low, high; gt_unit unit; /* GT_UNIT_AUTO: not stated */ } cli_window;
gt_status cli_parse_window(const char *what, const char *text, cli_window *w);
gt_status cli_help_window(const char *name);
/* Opens an address in $BROWSER or by xdg-open. Does nothing without a display. */
void cli_open_in_browser(const char *address);
/* "low:high" -> two numbers, low < high. */
gt_status cli_parse_range(const char *what, const char *text, double *low, double *high);
/* Sets --number and --range in the options of a volume writer. */
extern const char *const cli_numbers[];
gt_status cli_set_numbers(int number, const char *range, gt_write_options *o);

/* Opens --backend and prints its name to stderr. */
gt_status cli_open(const cli_call *call, gt_backend **be);
gt_type   cli_type(const cli_call *call);
/* out = A in (adjoint 0) or A' in (1) of a projector, on the backend and in the precision of the call. */
gt_status cli_apply(const cli_call *call, const char *projector, int adjoint, const gt_grid *grid, const gt_scan *scan, const float *in,
                    float *out);
/* Prints text that may hold names and contents of files: replaces control characters of arguments and invalid UTF-8,
 * by '?'. */
void cli_print(FILE *to, const char *format, ...) GT_PRINTF(2, 3);
/* Returns 1 if memory was missing to print to the standard output. */
int cli_lost_output(void);
/* Prints a line to stderr as cli_print(), unless --quiet. */
void cli_note(const cli_call *call, const char *format, ...) GT_PRINTF(2, 3);
/* Listener that passes messages of the library to cli_note(); call must outlive it. */
gt_listener cli_listener(const cli_call *call);
/* Prints to stdout and deletes the report. */
void cli_json(cJSON *report);
/* Formats JSON with or without line breaks, always as valid UTF-8. cJSON_free() frees it; NULL without memory. */
char *cli_json_text(const cJSON *report, int lines);
/* Allocates formatted text; NULL without memory. */
char *cli_text(const char *format, ...) GT_PRINTF(1, 2);
/* Notes of readers and writers, joined by "; " and shown after success. Initialise to 0. */
typedef struct { char text[4096]; } cli_notes;
gt_listener cli_collect(cli_notes *notes);

/* Reads and prints the reader's notes. CLI_WITH_DATA and CLI_DATA_ALONE (without weights and photons) refuse a file
 * that holds the geometry alone. */
enum { CLI_WITH_DATA, CLI_DATA_ALONE, CLI_GEOMETRY, CLI_IF_ANY };
gt_status cli_read_scan(const cli_call *call, const char *path, int what, gt_projections **p);
/* The same with options of the reader; its notes and progress are set here. */
gt_status cli_read_scan_by(const cli_call *call, const char *path, int what, const gt_read_options *by, gt_projections **p);
gt_status cli_read_volume(const cli_call *call, const char *path, gt_volume **v);
/* Opens a volume for reading by slices: its grid, and a reader that the caller closes. */
gt_status cli_open_volume(const cli_call *call, const char *path, gt_volume **head, gt_slice_reader **r);
/* --grid, else the grid of the volume --like, else the default grid of the scan; checked against the scan. */
gt_status cli_grid(const cli_call *call, const char *spec, const char *like, const gt_scan *scan, gt_grid *grid);
/* Prints a note if the scan covers less than half of the volume. */
void cli_note_share(const cli_call *call, const gt_grid *grid, const gt_scan *scan);
/* Prints a note if values exceed any attenuation. */
void cli_note_implausible(const cli_call *call, const gt_volume *v);
/* cli_note_implausible() for a known maximum, mm^-1. */
void cli_note_max(const cli_call *call, double max);

/* Ctrl-C ends the command with the message that nothing was written. Between cli_begin_writing() and
 * cli_end_writing(), which returns st, io/ handles the signal and removes its temporary file. cli_interrupt is the
 * signal handler. */
void cli_begin_computing(void);
void cli_begin_writing(void);
gt_status cli_end_writing(gt_status st);
void cli_interrupt(int number);
/* Until cli_end_iterating(), cli_asked_to_stop() reports the first Ctrl-C, and with terminates = 1 the first SIGTERM.
 * The next one ends the command, except between cli_saving(1) and cli_saving(0), while a checkpoint is written. */
void cli_begin_iterating(int terminates);
/* Leaves signals to the first MPI process, which stops all others. */
void cli_let_first_stop(void);
void cli_end_iterating(void);
int  cli_asked_to_stop(void);
void cli_saving(int begins);
/* Writes a text file under a temporary name, then renames it. */
gt_status cli_write_text(const char *path, void (*write)(FILE *f, const void *self), const void *self);
gt_status cli_write_volume(const char *path, const gt_write_options *o, const gt_volume *v);
/* Returns "NAME-NUMBER.EXTENSION", or "NAME-NUMBER/" for a folder; the caller frees it. cli_check_numbered() checks the
 * outputs of all files of the call. It returns GT_ERR_ARG if one cannot be written or is an input. */
char     *cli_numbered(const char *output, size_t number);
gt_status cli_check_numbered(const cli_call *call, const char *output);
/* 1: projections in this format (NULL: by the name of the path) are a folder of DICOM files. */
int       cli_is_dicom_output(const char *path, const char *format);
gt_status cli_write_projections(const char *path, const gt_write_options *o, const gt_projections *p);

#endif
