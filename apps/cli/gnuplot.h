#ifndef GT_APPS_CLI_GNUPLOT_H
#define GT_APPS_CLI_GNUPLOT_H
/* gnuplot, which draws figures. */
#include <stdio.h>
#include <gantry/status.h>

/* GT_ERR_UNSUPPORTED if there is no gnuplot that draws PNG. */
gt_status app_gnuplot_check(void);
/* Runs it in the folder `where` (NULL: here) on the script `what`, or with `flag` before it (NULL: none), its messages in the file `log`.
 * Its exit code, -1 if it does not start. */
int  app_gnuplot(const char *where, const char *log, const char *flag, const char *what);
/* The first line of those messages that says something. */
void app_gnuplot_message(const char *log, char *text, int size);
/* Text of a script, in quotes that gnuplot takes literally: no text ends them, and nothing in it is run. Control characters become spaces. */
void app_gnuplot_quote(FILE *out, const char *format, ...) GT_PRINTF(2, 3);
/* The same for a text among the data of a script, where gnuplot knows no other quotes than double ones. */
void app_gnuplot_datum(FILE *out, const char *format, ...) GT_PRINTF(2, 3);
#endif
