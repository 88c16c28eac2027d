/* Draws the figures of another folder again: runs its scripts and replaces the pictures of its report. */
#include <dirent.h>
#include <errno.h>
#include "apps/study/study.h"
#include "viewer/html.h"

static int ends_in(const char *name, const char *end)
{
	const size_t n = strlen(name), m = strlen(end);
	return n > m && !strcmp(name + n - m, end);
}

static gt_status copy_file(study *s, const char *from, const char *name)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = NULL;
	gt_status st = GT_OK;
	GT_TRY(study_read_file(PATH("%s/%s", from, name), &text, &bytes));
	if (strchr(name, '/'))
		GT_TRY(study_arrays(&s->folder));
	GT_TRY(study_open(&s->folder, name, &out));
	fwrite(text, 1, bytes, out);
	st = study_close(name, out);
done:
	free(text);
	return st;
}

static gt_status draw_again(study *s, const char *from, const char *name)
{
	char *figure = FORMAT("%.*s", (int)(strlen(name) - strlen(".gp")), name);
	(void)from;
	study_step(s, "figures: %s", figure);
	return strcmp(name, "style.gp") ? study_draw(&s->folder, figure) : GT_OK;
}

/* Calls `each` for every file of from/part whose name has one of these ends. */
static gt_status for_files(study *s, const char *from, const char *part, const char *const *ends,
                           gt_status (*each)(study *s, const char *from, const char *name))
{
	DIR *d = opendir(PATH("%s/%s", from, part));
	gt_status st = d || *part ? GT_OK : gt_fail(GT_ERR_IO, "--from=%s: cannot be read: %s", from, strerror(errno));
	for (struct dirent *e; st == GT_OK && d && (e = readdir(d));)
		for (int i = 0; ends[i] && st == GT_OK; i++)
			if (e->d_name[0] != '.' && ends_in(e->d_name, ends[i]))
				st = each(s, from, FORMAT("%s%.200s", part, e->d_name));
	if (d)
		closedir(d);
	return st;
}

static gt_status put_picture(const study *s, const char *name, FILE *out)
{
	char *data = NULL;
	size_t bytes;
	GT_OR_RETURN(study_read_file(PATH("%s/%s.png", s->folder.tmp, name), &data, &bytes));
	fputs("data:image/png;base64,", out);
	gt_base64(out, (const unsigned char *)data, bytes);
	free(data);
	return GT_OK;
}

/* Copies the report; in <img data-name="NAME" ... src="..."> the source becomes the new picture. */
static gt_status write_report(study *s, const char *text)
{
	static const char begin[] = "<img data-name=\"", src[] = "\" src=\"";
	FILE *out = NULL;
	const char *image;
	gt_status st = GT_OK;
	GT_OR_RETURN(study_open(&s->folder, "report.html", &out));
	while (st == GT_OK && (image = strstr(text, begin))) {
		const char *name = image + strlen(begin), *end = strchr(name, '"'), *source = end ? strstr(end, src) : NULL;
		const char *old = source ? source + strlen(src) : name, *rest = strchr(old, '"');
		if (!source || !rest) {
			st = gt_fail(GT_ERR_FORMAT, "report.html: expected figures as a study writes them");
			break;
		}
		fwrite(text, 1, (size_t)(old - text), out);
		st = put_picture(s, FORMAT("%.*s", (int)(end - name), name), out);
		text = rest;
	}
	fputs(text, out);
	const gt_status closed = study_close("report.html", out);
	return st != GT_OK ? st : closed;
}

gt_status study_redraw(study *s, const char *from)
{
	static const char *const sources[] = { ".f32", ".csv", ".gp", ".shapes", NULL }, *const arrays[] = { ".f32", NULL };
	static const char *const scripts[] = { ".gp", NULL };
	const char *path = PATH("%s/report.html", from);
	char *text = NULL;
	size_t bytes;
	gt_status st = GT_OK;
	GT_TRY(study_read_file(path, &text, &bytes));
	if (!strstr(text, FORMAT("<title>%s</title>", s->kind->title)))
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: no report of this study: expected a report of 'gantry study %s'", path, s->kind->name));
	s->steps = 32;
	GT_TRY(for_files(s, from, "", sources, copy_file));
	GT_TRY(for_files(s, from, STUDY_ARRAYS, arrays, copy_file));
	GT_TRY(for_files(s, from, "", scripts, draw_again));
	GT_TRY(write_report(s, text));
done:
	app_progress_end(&s->progress);
	free(text);
	return st;
}
