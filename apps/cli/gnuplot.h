#ifndef GT_APPS_CLI_GNUPLOT_H
#define GT_APPS_CLI_GNUPLOT_H
/* gnuplot draws figures. */
#include <stdio.h>
#include <gantry/status.h>

/* GT_ERR_UNSUPPORTED if there is no gnuplot that draws PNG. */
gt_status app_gnuplot_check(void);
/* Runs gnuplot in the folder `where` (NULL: the current one) on the script `what`, preceded by `flag` (NULL: none). Its
 * messages go to the file `log`. Returns the exit code; -1 if it does not start. */
int  app_gnuplot(const char *where, const char *log, const char *flag, const char *what);
/* Copies the first line of the log that is not empty. */
void app_gnuplot_message(const char *log, char *text, int size);
/* Prints text of a script in single quotes: gnuplot takes it literally and runs nothing in it. Control characters
 * become spaces. */
void app_gnuplot_quote(FILE *out, const char *format, ...) GT_PRINTF(2, 3);
/* Prints text among the data of a script, where gnuplot accepts double quotes alone. */
void app_gnuplot_datum(FILE *out, const char *format, ...) GT_PRINTF(2, 3);
#endif
