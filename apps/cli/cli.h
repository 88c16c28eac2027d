#ifndef GT_APPS_CLI_CLI_H
#define GT_APPS_CLI_CLI_H
/* The command line: every command is a table of options and a function. Parsing, range checks, --help and
 * the proposals after a typing error come from the tables. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <gantry/array.h>
#include <gantry/io.h>
#include <gantry/message.h>
#include <gantry/params.h>
#include <gantry/grid.h>
#include <gantry/scan.h>
#include "core/module.h"

/* Field of the options struct: const char *, double, long long, int (index), int (0 or 1). CLI_INPUT, CLI_OUTPUT: text that
 * names (INPUT: may name) a file that is read or written. CLI_LENGTH, CLI_ANGLE: double, in mm, degrees. */
typedef enum { CLI_TEXT = 1, CLI_REAL, CLI_INT, CLI_CHOICE, CLI_FLAG, CLI_INPUT, CLI_OUTPUT, CLI_LENGTH, CLI_ANGLE } cli_kind;
typedef struct {
	const char *name;               /* long name without dashes; NULL ends a table */
	const char *was;                /* its name in the version before, which is taken and told; or NULL */
	char letter;                    /* short name, or 0 */
	cli_kind kind;
	const char *value, *help;       /* "FILE"; one line */
	size_t at;                      /* offsetof in the options struct */
	double min, max;                /* CLI_REAL, CLI_INT, CLI_LENGTH, CLI_ANGLE */
	const char *const *names;       /* CLI_CHOICE, NULL-terminated */
} cli_option;

/* Options that several commands have. */
enum { CLI_COMPUTES = 1 /* --backend, --precision */, CLI_REPORTS = 2 /* --json */ };
/* A launcher of MPI may start it several times: processes after the first are quiet. */
enum { CLI_TEAMS = 4 };
/* quiet: 1: as asked. */
enum { CLI_QUIET_BESIDE = 2 };
typedef struct { const char *backend; int precision, quiet, json, help; } cli_common;

typedef struct cli_command cli_command;
typedef struct {
	const cli_command *command;
	cli_common common;
	const char **file;              /* arguments that are no options */
	size_t files;
	char *line;                     /* the whole command line, for the record */
	gt_listener log;                /* messages of the library, as cli_note() shows them */
	int process, processes;         /* of CLI_TEAMS: which of how many this is; processes 0: of other commands */
} cli_call;

struct cli_command {
	const char *name, *about;
	const char *synopsis;           /* what follows the command's name */
	const char *notes;              /* after the options: examples, defaults explained; may be NULL */
	unsigned traits;
	const cli_option *options;
	const void *defaults;
	size_t options_size, min_files, max_files;
	size_t words;                   /* of these so many first ones are words of the command's own, not files */
	int (*run)(const cli_call *call, const void *options);          /* returns the exit code */
	void (*list)(FILE *out);        /* lists what the command knows by name; may be NULL */
};
extern const cli_command *const cli_commands[];                         /* NULL-terminated */
/* Their groups: so many of them, one group after the other; the title NULL ends the list. */
typedef struct { const char *title; size_t commands; } cli_command_group;
extern const cli_command_group cli_groups[];
const cli_command *cli_command_find(const char *name);

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* Fills options (which hold the defaults) and call from the arguments after the command's name. */
gt_status cli_parse(const cli_command *command, int argc, char **argv, void *options, cli_call *call);
/* GT_ERR_ARG if an output is one of the inputs or another output, by whatever name. */
gt_status cli_check_files(const cli_call *call, const void *options);
void cli_print_help(const cli_command *command, FILE *out);
/* The tables that hold for a command; the first fills its own struct, the others cli_common. */
enum { CLI_TABLES = 4 };
void cli_option_tables(const cli_command *command, const cli_option *table[CLI_TABLES]);
/* "  -o, --output FILE"; gives its length. */
int cli_option_text(const cli_option *o, char *text, size_t size);
/* To stdout: a page of the manual in troff, NULL: that of all commands; one in Markdown; the completion of bash. */
void cli_print_manual(const cli_command *command);
void cli_print_markdown(const cli_command *command);
void cli_print_completion(void);
/* Says what went wrong, if anything, and gives the exit code: CLI_USAGE for arguments and unknown names. Of several
 * processes one says it, and all have the same code. */
int cli_exit(const cli_call *call, gt_status st);

/* GT_ERR_ARG if the option was not given. */
gt_status cli_need(const char *option, const char *value);
/* "name,name" -> bit k of *chosen for the k-th of `count` names; each once. */
gt_status cli_parse_names(const char *what, const char *text, const char *const *names, int count, unsigned *chosen);
/* "low:high" -> two numbers, low < high. */
gt_status cli_parse_range(const char *what, const char *text, double *low, double *high);
/* --number and --range of commands that write volumes, into the options of the writer. */
extern const char *const cli_numbers[];
gt_status cli_set_numbers(int number, const char *range, gt_write_options *o);

/* Opens --backend and says on stderr which one that is. */
gt_status cli_open(const cli_call *call, gt_backend **be);
gt_type   cli_type(const cli_call *call);
/* out = A in (adjoint 0) or A' in (1) of a projector on the backend and in the precision that the call asks for. */
gt_status cli_apply(const cli_call *call, const char *projector, int adjoint, const gt_grid *grid, const gt_scan *scan, const float *in,
                    float *out);
/* Prints text that may hold names and contents of files: control characters, which a terminal would obey, become
 * '?'. */
void cli_print(FILE *to, const char *format, ...) GT_PRINTF(2, 3);
/* A line to stderr unless --quiet, as cli_print(). */
void cli_note(const cli_call *call, const char *format, ...) GT_PRINTF(2, 3);
/* Who passes messages of the library on to cli_note(); call must outlive it. */
gt_listener cli_listener(const cli_call *call);
/* Prints to stdout and deletes. */
void cli_json(cJSON *report);
/* In UTF-8, whatever bytes names of files and texts of others hold; in lines or without any. cJSON_free() frees it; NULL without memory. */
char *cli_json_text(const cJSON *report, int lines);
/* malloc'ed text; NULL without memory. */
char *cli_text(const char *format, ...) GT_PRINTF(1, 2);
/* What readers and writers had to decide, one sentence after the other: shown when all went well. All 0 to begin with. */
typedef struct { char text[4096]; } cli_notes;
gt_listener cli_collect(cli_notes *notes);

/* Reading with the reader's notes shown. CLI_WITH_DATA and CLI_DATA_ALONE, which leaves weights and photons out, refuse a file that holds the
 * geometry alone. */
enum { CLI_WITH_DATA, CLI_DATA_ALONE, CLI_GEOMETRY, CLI_IF_ANY };
gt_status cli_read_scan(const cli_call *call, const char *path, int what, gt_projections **p);
gt_status cli_read_volume(const cli_call *call, const char *path, gt_volume **v);
/* Its grid, and a reader of its slices, which the caller closes. */
gt_status cli_open_volume(const cli_call *call, const char *path, gt_volume **head, gt_slice_reader **r);
/* --grid, else the grid of the volume --like, else what fits the scan; checked against the scan. */
gt_status cli_grid(const cli_call *call, const char *spec, const char *like, const gt_scan *scan, gt_grid *grid);
/* A remark on a volume of which the scan covers less than half. */
void cli_note_share(const cli_call *call, const gt_grid *grid, const gt_scan *scan);
/* A remark on a volume whose numbers are no attenuation. */
void cli_note_implausible(const cli_call *call, const gt_volume *v);
/* The same where the largest value is known, mm^-1. */
void cli_note_max(const cli_call *call, double max);

/* Ctrl-C says that nothing was written and ends the command; between cli_begin_writing() and cli_end_writing(), which returns
 * st, it is left to io/, which removes its temporary file. cli_interrupt is the signal's handler. */
void cli_begin_computing(void);
void cli_begin_writing(void);
gt_status cli_end_writing(gt_status st);
void cli_interrupt(int number);
/* Between these two the first Ctrl-C, and with terminates = 1 the first SIGTERM, is what cli_asked_to_stop() tells; the
 * next one ends the command, but not while a checkpoint is written: cli_saving(1), and after it cli_saving(0). */
void cli_begin_iterating(int terminates);
/* Of several processes, those after the first: that one stops all of them. */
void cli_let_first_stop(void);
void cli_end_iterating(void);
int  cli_asked_to_stop(void);
void cli_saving(int begins);
/* A text file: under a temporary name, then renamed. */
gt_status cli_write_text(const char *path, void (*write)(FILE *f, const void *self), const void *self);
gt_status cli_write_volume(const char *path, const gt_write_options *o, const gt_volume *v);
/* The name of the output of one of several volumes: its number stands before the extension, of a folder before the
 * slash; malloc'ed. And whether as many as there are files can be written, over none of those. */
char     *cli_numbered(const char *output, size_t number);
gt_status cli_check_numbered(const cli_call *call, const char *output);
/* 1: projections of that name, or in that format (NULL: by the name), are a folder of DICOM files. */
int       cli_is_dicom_output(const char *path, const char *format);
gt_status cli_write_projections(const char *path, const gt_write_options *o, const gt_projections *p);

#endif
