/* The figures of a study that was made without them, or by another version of gnuplot: its scripts run again, its report with the new
 * pictures in it. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "apps/cli/try.h"
#include "apps/study/study.h"

static int ends_in(const char *name, const char *end)
{
	const size_t n = strlen(name), m = strlen(end);
	return n > m && !strcmp(name + n - m, end);
}

/* What scripts draw from, and they; of the arrays' folder the arrays. */
static int is_source(const char *folder, const char *name)
{
	static const char *const ends[] = { ".f32", ".csv", ".gp", ".shapes" };
	for (size_t i = 0; i < (*folder ? 1 : sizeof ends / sizeof *ends); i++)
		if (ends_in(name, ends[i]))
			return name[0] != '.';
	return 0;
}

static gt_status copy_file(study *s, const char *from, const char *name)
{
	char block[16384], *path = cli_text("%s/%s", from, name);
	FILE *in = path ? fopen(path, "rb") : NULL, *out = NULL;
	gt_status st = GT_OK;
	if (!in)
		GT_TRY(gt_fail(GT_ERR_IO, "%s/%s: cannot be read: %s", from, name, strerror(errno)));
	GT_TRY(study_open(&s->folder, name, &out));
	for (size_t n; (n = fread(block, 1, sizeof block, in)) > 0;)
		fwrite(block, 1, n, out);
	const int bad = ferror(in);
	GT_TRY(study_close(name, out));
	if (bad)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be read: %s", path, strerror(errno)));
done:
	if (in)
		fclose(in);
	free(path);
	return st;
}

/* folder: "" or that of the arrays. */
static gt_status copy_folder(study *s, const char *from, const char *folder)
{
	char *path = cli_text("%s/%s", from, folder), name[512];
	DIR *d = path ? opendir(path) : NULL;
	gt_status st = GT_OK;
	free(path);
	if (!d)
		return *folder ? GT_OK : gt_fail(GT_ERR_IO, "--from=%s: cannot be read: %s", from, strerror(errno));
	if (*folder)
		st = study_arrays(&s->folder);
	for (struct dirent *e; st == GT_OK && (e = readdir(d));) {
		snprintf(name, sizeof name, "%s%s", folder, e->d_name);
		if (is_source(folder, e->d_name))
			st = copy_file(s, from, name);
	}
	closedir(d);
	return st;
}

static gt_status draw_all(study *s, const char *from)
{
	DIR *d = opendir(from);
	gt_status st = GT_OK;
	if (!d)
		return gt_fail(GT_ERR_IO, "--from=%s: cannot be read: %s", from, strerror(errno));
	for (struct dirent *e; st == GT_OK && (e = readdir(d));) {
		char name[256];
		snprintf(name, sizeof name, "%s", e->d_name);
		if (name[0] == '.' || !ends_in(name, ".gp") || !strcmp(name, "style.gp"))
			continue;
		name[strlen(name) - strlen(".gp")] = 0;
		study_step(s, "figures: %s", name);
		st = study_draw(&s->folder, name);
	}
	closedir(d);
	return st;
}

static gt_status read_report(const char *from, char **text)
{
	char *path = cli_text("%s/report.html", from);
	FILE *in = path ? fopen(path, "rb") : NULL;
	long size = -1;
	gt_status st = GT_OK;
	if (!in || fseek(in, 0, SEEK_END) != 0 || (size = ftell(in)) < 0 || fseek(in, 0, SEEK_SET) != 0)
		GT_TRY(gt_fail(GT_ERR_IO, "%s/report.html: cannot be read: %s", from, strerror(errno)));
	if (!(*text = malloc((size_t)size + 1)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for %s", path));
	if (fread(*text, 1, (size_t)size, in) != (size_t)size)
		GT_TRY(gt_fail(GT_ERR_IO, "%s: cannot be read", path));
	(*text)[size] = 0;
done:
	if (in)
		fclose(in);
	free(path);
	return st;
}

/* All as it was, but for what stands in the src of <img data-name="NAME" ... src="...">. */
static gt_status write_report(study *s, const char *text)
{
	static const char begin[] = "<img data-name=\"", middle[] = "\" src=\"";
	FILE *out = NULL;
	const char *image;
	gt_status st = study_open(&s->folder, "report.html", &out);
	if (st != GT_OK)
		return st;
	while (st == GT_OK && (image = strstr(text, begin))) {
		const char *name = image + strlen(begin), *end = strchr(name, '"'), *source = end ? strstr(end, middle) : NULL;
		const char *old = source ? source + strlen(middle) : name, *rest = strchr(old, '"');
		char file[64] = "";
		if (!source || !rest || (size_t)(end - name) >= sizeof file) {
			st = gt_fail(GT_ERR_FORMAT, "report.html: expected figures as a study writes them");
			break;
		}
		memcpy(file, name, (size_t)(end - name));
		fwrite(text, 1, (size_t)(old - text), out);
		st = study_page_picture(s, file, out);
		text = rest;
	}
	fputs(text, out);
	const gt_status closed = study_close("report.html", out);
	return st != GT_OK ? st : closed;
}

gt_status study_redraw(study *s, const char *from)
{
	char *title = cli_text("<title>%s</title>", s->kind->title), *text = NULL;
	gt_status st = title ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	GT_TRY(st);
	GT_TRY(read_report(from, &text));
	if (!strstr(text, title))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s/report.html: is no report of this study: expected one of 'gantry study %s'", from,
		               s->kind->name));
	s->steps = 32;
	GT_TRY(copy_folder(s, from, ""));
	GT_TRY(copy_folder(s, from, STUDY_ARRAYS));
	GT_TRY(draw_all(s, from));
	GT_TRY(write_report(s, text));
done:
	app_progress_end(&s->progress);
	free(title);
	free(text);
	return st;
}
