#ifndef GT_APPS_CLI_GNUPLOT_H
#define GT_APPS_CLI_GNUPLOT_H
/* gnuplot, which draws figures. */
#include <gantry/status.h>

/* GT_ERR_UNSUPPORTED if there is no gnuplot that draws PNG. */
gt_status app_gnuplot_check(void);
/* Runs it in the folder `where` (NULL: here) on the script `what`, or with `flag` before it (NULL: none), its messages in the file `log`.
 * Its exit code, -1 if it does not start. */
int  app_gnuplot(const char *where, const char *log, const char *flag, const char *what);
/* The first line of those messages that says something. */
void app_gnuplot_message(const char *log, char *text, int size);
#endif
