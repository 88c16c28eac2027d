/* What a report says of the study itself, and a figure as text. */
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "apps/cli/try.h"
#include "apps/study/study.h"

#ifndef GANTRY_COMMIT
#define GANTRY_COMMIT "unknown"
#endif

static void base64(FILE *in, FILE *out)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char b[3];
	size_t n;
	while ((n = fread(b, 1, 3, in)) > 0) {
		const unsigned long bits = (unsigned long)b[0] << 16 | (n > 1 ? (unsigned long)b[1] << 8 : 0) | (n > 2 ? b[2] : 0);
		fputc(digit[bits >> 18 & 63], out);
		fputc(digit[bits >> 12 & 63], out);
		fputc(n > 1 ? digit[bits >> 6 & 63] : '=', out);
		fputc(n > 2 ? digit[bits & 63] : '=', out);
	}
}

gt_status study_page_picture(const study *s, const char *name, FILE *out)
{
	char *path = cli_text("%s/%s.png", s->folder.tmp, name);
	FILE *in = path ? fopen(path, "rb") : NULL;
	free(path);
	if (!in)
		return gt_fail(GT_ERR_IO, "%s/%s.png: cannot be read", s->folder.path, name);
	fputs("data:image/png;base64,", out);
	base64(in, out);
	fclose(in);
	return GT_OK;
}

void study_about_line(study *s, const char *what, const char *text)
{
	study_text(&s->table[STUDY_ABOUT], "%s", what);
	study_text(&s->table[STUDY_ABOUT], "%s", text);
}

void study_about(study *s)
{
	char date[64], took[64];
	const time_t now = time(NULL);
	struct tm utc;
	strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
	snprintf(took, sizeof took, "%.0f s", app_seconds() - s->started);
	study_head(&s->table[STUDY_ABOUT], "what");
	study_head(&s->table[STUDY_ABOUT], "value");
	study_about_line(s, "geometry", s->geometry);
	study_about_line(s, "CPU", s->cpu_about);
	study_about_line(s, "GPU", s->gpu[0] ? s->gpu_about : "none: the parts for the CPU alone");
	study_about_line(s, "version", "Gantry " GANTRY_VERSION ", commit " GANTRY_COMMIT);
	study_about_line(s, "command", s->call->line);
	study_about_line(s, "date", date);
	study_about_line(s, "measuring took", took);
}
