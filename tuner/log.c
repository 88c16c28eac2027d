/* Logs of searches. Every line is flushed, so an interrupted search leaves its results. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/files/opener.h"
#include "core/text.h"
#include "core/try.h"
#include "tuner/log.h"
#include "tuner/tuner.h"

static const char magic[] = "# gantry tune 1";
enum { MAX_LINE = 2048 };

void gt_log_begin(FILE *f, const gt_log_head *h, const gt_space *s)
{
	gt_fprintf(f,
	           "%s\n# kernel %s\n# class %s\n# device %s\n# driver %d\n# built-in %s\n# built-in-ms %.6g\n# problem %s\n"
	           "# updates %.6g\n# bounds %s\n",
	           magic, h->facts.kernel, h->facts.about, h->facts.device, h->driver, h->built_in, h->facts.built_in_ms, h->facts.problem,
	           h->facts.updates, h->bounds);
	for (int i = 0; i < s->layers; i++) {
		gt_fprintf(f, "# layer %s", s->layer[i].name);
		for (int k = 0; k < s->layer[i].n; k++)
			gt_fprintf(f, " %ld", s->layer[i].value[k]);
		gt_fprintf(f, "\n");
	}
	fflush(f);
}

void gt_log_line(FILE *f, const char *variant, const gt_tune_evaluation *t, double seconds)
{
	if (t->verdict == GT_TUNE_OK)
		gt_fprintf(f, "%.6g ok %s | built-in %.6g ms, %d pairs, off the CPU %.2e, adjoint %.2e, at %.1f s\n", t->ms, variant,
		           t->built_in_ms, t->pairs, t->error, t->off_adjoint, seconds);
	else
		gt_fprintf(f, "inf %s %s | %s, at %.1f s\n", gt_tune_verdict_text(t->verdict), variant, t->why, seconds);
	fflush(f);
}

static const char stays[] = "built-in";
void gt_log_end(FILE *f, const gt_tune_outcome *o)
{
	gt_fprintf(f, "# chosen-ms %.6g\n# chosen-built-in-ms %.6g\n# chosen %s\n", o->ms, o->built_in_ms,
	           *o->variant ? o->variant : stays);
	fflush(f);
}

void gt_log_failed(FILE *f, const char *kernel, const char *why)
{
	gt_fprintf(f, "%s\n# kernel %s\n# failed %s\n", magic, kernel, why);
	fflush(f);
}

enum { MAX_BYTES = 64 << 20 };

/* Candidates read from a log. */
struct log_lines {
	gt_tune_log *log;
	uint8_t *pick; /* [n][layers] */
	double *ms;
	size_t n, room;
	const char *path;
	int line;
};

static gt_status wrong(const struct log_lines *r, const char *what)
{
	return gt_fail(GT_ERR_FORMAT, "%s, line %d: %s", r->path, r->line, what);
}

static gt_status read_head(struct log_lines *r, const char *line)
{
	gt_log_head *h = &r->log->head;
	const struct {
		const char *name;
		char *text;
		size_t size;
	} texts[] = { { "# kernel ", h->facts.kernel, sizeof h->facts.kernel },
		      { "# class ", h->facts.about, sizeof h->facts.about },
		      { "# device ", h->facts.device, sizeof h->facts.device },
		      { "# built-in ", h->built_in, sizeof h->built_in },
		      { "# problem ", h->facts.problem, sizeof h->facts.problem },
		      { "# chosen ", h->facts.chosen, sizeof h->facts.chosen },
		      { "# failed ", h->failed, sizeof h->failed },
		      { "# bounds ", h->bounds, sizeof h->bounds } };
	const struct {
		const char *name;
		double *number;
	} numbers[] = { { "# built-in-ms ", &h->facts.built_in_ms },
		        { "# updates ", &h->facts.updates },
		        { "# chosen-ms ", &h->facts.chosen_ms },
		        { "# chosen-built-in-ms ", &h->facts.chosen_built_in_ms } };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (!strncmp(line, texts[i].name, strlen(texts[i].name)))
			gt_snprintf(texts[i].text, texts[i].size, "%s", line + strlen(texts[i].name));
	if (!strncmp(line, "# driver ", 9))
		h->driver = (int)strtol(line + 9, NULL, 10);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!strncmp(line, numbers[i].name, strlen(numbers[i].name)))
			*numbers[i].number = gt_strtod(line + strlen(numbers[i].name), NULL);
	return strncmp(line, "# layer ", 8) != 0 ? GT_OK
	       : r->n                            ? wrong(r, "a layer after the first candidate")
	                                         : gt_space_add(r->log->space, line + 8);
}

static gt_status read_candidate(struct log_lines *r, const char *line)
{
	const gt_space *s = r->log->space;
	char *end;
	const double ms = gt_strtod(line, &end);
	const char *verdict = end + (*end == ' '), *variant = strchr(verdict, ' ');
	if (end == line || !variant || !(ms > 0) || s->layers == 0)
		return wrong(r, "expected \"ms verdict NAME=value ...\"");
	if (r->n == r->room) {
		const size_t room = r->room ? 2 * r->room : 256;
		uint8_t *pick = realloc(r->pick, room * (size_t)s->layers);
		r->pick = pick ? pick : r->pick;
		double *times = pick ? realloc(r->ms, room * sizeof *times) : NULL;
		if (!times)
			return gt_fail(GT_ERR_MEMORY, "no memory for a log of %zu candidates", room);
		r->ms = times;
		r->room = room;
	}
	if (!gt_space_parse(s, variant + 1, r->pick + r->n * (size_t)s->layers))
		return wrong(r, "a value is missing or not in its layer");
	for (const char *at = variant; (at = strstr(at, ", at "));)
		r->log->head.facts.seconds = gt_strtod(at += 5, NULL);
	r->ms[r->n++] = !strncmp(verdict, "ok ", 3) ? ms : INFINITY;
	return GT_OK;
}

static gt_status read_lines(struct log_lines *r, FILE *f)
{
	char line[MAX_LINE];
	for (r->line = 1; fgets(line, sizeof line, f); r->line++) {
		line[strcspn(line, "\r\n")] = 0;
		if (r->line == 1 && strcmp(line, magic) != 0)
			return wrong(r, "this is no log of gantry tune");
		const gt_status st = line[0] == '#' || !line[0] ? read_head(r, line) : read_candidate(r, line);
		if (st != GT_OK)
			return st;
	}
	gt_log_head *h = &r->log->head;
	if (r->line == 1)
		return wrong(r, "this is no log of gantry tune");
	if (*h->failed)
		return gt_fail(GT_ERR_UNSUPPORTED, "%s: %s", r->path, h->failed);
	h->facts.ended = *h->facts.chosen && h->facts.chosen_ms > 0 && h->facts.chosen_built_in_ms > 0;
	if (!strcmp(h->facts.chosen, stays))
		*h->facts.chosen = 0;
	return r->n == 0 ? wrong(r, "no candidate") : GT_OK;
}

gt_status gt_log_read(const char *path, gt_tune_log *log)
{
	struct log_lines r = { log, NULL, NULL, 0, 0, path, 0 };
	FILE *f;
	gt_status st = gt_file_text(path, MAX_BYTES, &f);
	memset(log, 0, sizeof *log);
	if (st != GT_OK)
		return st;
	GT_TRY(gt_space_empty("log", &log->space));
	GT_TRY(read_lines(&r, f));
	GT_TRY(gt_space_list(log->space, r.n, r.pick));
	if (!(log->ms = malloc(log->space->count * sizeof *log->ms)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no memory for a log"));
	for (size_t i = 0; i < r.n; i++) /* a repeated candidate takes its last line */
		log->ms[gt_space_find(log->space, r.pick + i * (size_t)log->space->layers)] = r.ms[i];
	log->first = gt_space_near(log->space, log->head.built_in);
done:
	fclose(f);
	free(r.pick);
	free(r.ms);
	if (st != GT_OK)
		gt_log_free(log);
	return st;
}

void gt_log_free(gt_tune_log *log)
{
	gt_space_free(log->space);
	free(log->ms);
	memset(log, 0, sizeof *log);
}
