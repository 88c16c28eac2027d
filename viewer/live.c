/* Live page of a running reconstruction. A thread answers browsers from copies of the last slices and all points of the
 * curves. Browsers hold a request open until the run ends (long polling). The run never waits for browsers; its end
 * waits briefly until they have loaded the last slices. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "core/clock.h"
#include "core/text.h"
#include "core/try.h"
#include "viewer/html.h"
#include "viewer/live.h"
#include "viewer/server.h"

/* Maximum wait for connected browsers at the end, s. */
static const double last_look = 4;

struct point {
	int iteration;
	double cost, change;
};

struct gt_live_page {
	struct gt_page_site site;
	struct gt_server server;
	pthread_t thread;
	char *html;
	pthread_mutex_t lock; /* protects all members below */
	double ended;         /* time of the end; 0: still running */
	int told, seen;       /* browsers that were sent the end, browsers that have shown it */
	char *text, *ending;  /* current step; outcome, NULL: still running */
	struct point *point;
	size_t points, room;
	gt_recon_progress now;
	float *slice[3];
	size_t n[3], index[3], version; /* version 0: no slices yet */
	double pitch[3], first[3], water;
	int iteration; /* iteration of the slices */
};

static void put_text(FILE *f, const char *key, const char *text)
{
	fprintf(f, "\"%s\":", key);
	gt_write_json_text(f, text);
	putc(',', f);
}

static void put_number(FILE *f, const char *key, double x)
{
	fprintf(f, "\"%s\":", key);
	gt_write_json_number(f, x);
	putc(',', f);
}

static void put_item(FILE *f, const gt_live_page *p)
{
	fprintf(f, "\"slices\":{\"version\":%zu,\"iteration\":%d,\"n\":[%zu,%zu,%zu],\"index\":[%zu,%zu,%zu],", p->version, p->iteration,
	        p->n[0], p->n[1], p->n[2], p->index[0], p->index[1], p->index[2]);
	put_number(f, "water", p->water);
	fputs("\"pitch\":[", f);
	for (int a = 0; a < 3; a++) {
		fputs(a ? "," : "", f);
		gt_write_json_number(f, p->pitch[a]);
	}
	fputs("],\"first\":[", f);
	for (int a = 0; a < 3; a++) {
		fputs(a ? "," : "", f);
		gt_write_json_number(f, p->first[a]);
	}
	fputs("]},", f);
}

/* Estimated from the completed iterations. */
static double time_left(const gt_recon_progress *p)
{
	const int done = p->iteration - p->resumed;
	return p->phase == GT_RECON_ITERATION && done > 0 ? p->seconds / done * (p->iterations - p->iteration) : NAN;
}

static void put_state(FILE *f, const gt_live_page *p, size_t from)
{
	fputs("{", f);
	put_text(f, "text", p->text);
	put_text(f, "ending", p->ending);
	fprintf(f, "\"iteration\":%d,\"iterations\":%d,", p->now.iteration, p->now.iterations);
	put_number(f, "done", p->now.done);
	put_number(f, "seconds", p->now.seconds);
	put_number(f, "left", time_left(&p->now));
	if (p->version)
		put_item(f, p);
	fprintf(f, "\"from\":%zu,\"points\":[", from < p->points ? from : p->points);
	for (size_t i = from; i < p->points; i++) {
		fprintf(f, "%s[%d,", i > from ? "," : "", p->point[i].iteration);
		gt_write_json_number(f, p->point[i].cost);
		putc(',', f);
		gt_write_json_number(f, p->point[i].change);
		putc(']', f);
	}
	fputs("]}", f);
}

static void send_state(const gt_live_page *p, size_t from, struct gt_page_answer *a)
{
	char *memory = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&memory, &bytes);
	if (!f)
		return;
	put_state(f, p, from);
	if (fclose(f) == 0)
		*a = (struct gt_page_answer){ 200, "application/json", memory, bytes, memory };
	else
		free(memory);
}

/* Answers "/state/FROM" (points from FROM on), "/slice/AXIS", "/end" (the state, once the run has ended) and "/seen"
 * (the browser has shown the end). Returns 0 for other paths. */
static int answer_locked(gt_live_page *p, const char *rest, struct gt_page_answer *a)
{
	char *memory = NULL, after;
	size_t bytes = 0;
	char digits[10];
	if (!strcmp(rest, "/end")) {
		if (p->ending)
			send_state(p, 0, a);
		p->told += a->code == 200;
		return !p->ending || a->code == 200;
	}
	if (!strcmp(rest, "/seen")) {
		p->seen++;
		*a = (struct gt_page_answer){ 200, "text/plain", "", 0, NULL };
	} else if (sscanf(rest, "/state/%9[0-9]%c", digits, &after) == 1) {
		send_state(p, strtoul(digits, NULL, 10), a);
	} else if (sscanf(rest, "/slice/%1[0-2]%c", digits, &after) == 1 && p->version) {
		const int number = digits[0] - '0';
		bytes = p->n[0] * p->n[1] * p->n[2] / p->n[number] * sizeof(float);
		if (!(memory = malloc(bytes)))
			return 0;
		memcpy(memory, p->slice[number], bytes);
		*a = (struct gt_page_answer){ 200, "application/octet-stream", memory, bytes, memory };
	}
	return a->code == 200;
}

static int answer(void *self, const char *rest, struct gt_page_answer *a)
{
	gt_live_page *p = self;
	pthread_mutex_lock(&p->lock);
	const int there = answer_locked(p, rest, a);
	pthread_mutex_unlock(&p->lock);
	return there;
}

/* Call after the end. 1: all browsers have shown the end, or the wait has expired. */
static int is_over(gt_live_page *p)
{
	pthread_mutex_lock(&p->lock);
	const int over = gt_seconds() - p->ended > last_look || (p->seen >= p->told && !gt_server_sends(&p->server));
	pthread_mutex_unlock(&p->lock);
	return over;
}

static int has_ended(gt_live_page *p)
{
	pthread_mutex_lock(&p->lock);
	const int ended = p->ended > 0;
	pthread_mutex_unlock(&p->lock);
	return ended;
}

/* Runs at least one full cycle after the end, which answers the waiting browsers. */
static void *serve(void *self)
{
	gt_live_page *p = self;
	for (int ended = 0; !ended || !is_over(p);) {
		ended = has_ended(p);
		gt_server_once(&p->server, &p->site);
	}
	return NULL;
}

/* Blocks all signals: the caller's threads handle them. */
static int start_thread(gt_live_page *p)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const int bad = pthread_create(&p->thread, NULL, serve, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !bad;
}

gt_status gt_live_page_new(const char *title, int port, gt_live_page **out)
{
	gt_live_page *p = out ? calloc(1, sizeof *p) : NULL;
	gt_status st = GT_OK;
	if (!p)
		return out ? gt_fail(GT_ERR_MEMORY, "out of memory") : gt_fail(GT_ERR_ARG, "gt_live_page_new: out is NULL");
	pthread_mutex_init(&p->lock, NULL);
	p->server.listener = -1;
	p->now.done = p->now.seconds = NAN;
	GT_TRY(gt_server_open(port, &p->site, &p->server));
	FILE *f = open_memstream(&p->html, &p->site.html_bytes);
	if (!f)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	gt_page_put_live(f, title);
	if (fclose(f) != 0)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory"));
	p->site.html = p->html;
	p->site.more = answer;
	p->site.self = p;
	if (!start_thread(p))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "no thread for the page"));
	*out = p;
	return GT_OK;
done:
	gt_server_close(&p->server);
	free(p->html);
	pthread_mutex_destroy(&p->lock);
	free(p);
	return st;
}

const char *gt_live_page_address(const gt_live_page *p) { return p ? p->server.address : NULL; }

static void set_text(char **field, const char *text)
{
	char *copy = text ? strdup(text) : NULL;
	free(*field);
	*field = copy;
}

static void add_point(gt_live_page *p, const gt_recon_progress *now)
{
	if (p->points == p->room) {
		const size_t room = p->room ? 2 * p->room : 64;
		struct point *more = realloc(p->point, room * sizeof *more);
		if (!more)
			return;
		p->point = more;
		p->room = room;
	}
	p->point[p->points++] = (struct point){ now->iteration, now->cost, 1000 * now->change / now->water };
}

void gt_live_page_progress(gt_live_page *p, const gt_recon_progress *now)
{
	static const char *const words[] = { [GT_RECON_READING] = "reading the projections",
		                             [GT_RECON_BEGINS] = "iterating",
		                             [GT_RECON_ITERATION] = "iterating",
		                             [GT_RECON_SAVES] = "iterating",
		                             [GT_RECON_ENDS] = "the iterations have ended",
		                             [GT_RECON_SLAB] = "computing slab by slab",
		                             [GT_RECON_WRITES] = "writing the volume",
		                             [GT_RECON_FRACTION] = "computing" };
	if (!p || !now)
		return;
	pthread_mutex_lock(&p->lock);
	const int iterates = now->phase == GT_RECON_FRACTION && now->iterations > 0;
	if (now->phase < sizeof words / sizeof *words && !iterates)
		set_text(&p->text, words[now->phase]);
	if (now->phase == GT_RECON_ITERATION)
		add_point(p, now);
	if (now->phase == GT_RECON_ITERATION || now->phase == GT_RECON_READING || now->phase == GT_RECON_SLAB)
		p->now = *now;
	p->now.text = NULL;
	pthread_mutex_unlock(&p->lock);
}

/* All three or none. */
static int copy_slices(gt_live_page *p, const gt_recon_slices *s)
{
	float *copy[3];
	int good = 1;
	for (int a = 0; a < 3; a++) {
		const size_t bytes = gt_grid_voxels(s->grid) / s->grid->n[a] * sizeof(float);
		copy[a] = malloc(bytes);
		good &= copy[a] != NULL;
		if (copy[a])
			memcpy(copy[a], s->slice[a], bytes);
	}
	for (int a = 0; a < 3; a++) {
		free(good ? p->slice[a] : copy[a]);
		p->slice[a] = good ? copy[a] : p->slice[a];
	}
	return good;
}

void gt_live_page_slices(gt_live_page *p, const gt_recon_slices *s)
{
	if (!p || !s)
		return;
	pthread_mutex_lock(&p->lock);
	if (copy_slices(p, s)) {
		for (int a = 0; a < 3; a++) {
			p->n[a] = s->grid->n[a];
			p->index[a] = s->index[a];
			p->pitch[a] = s->grid->pitch[a];
			p->first[a] = gt_grid_first(s->grid, a);
		}
		p->water = s->water;
		p->iteration = s->iteration;
		p->version++;
	}
	pthread_mutex_unlock(&p->lock);
}

void gt_live_page_free(gt_live_page *p, const char *ending)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	set_text(&p->ending, ending ? ending : "ended");
	p->ended = gt_seconds();
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	gt_server_close(&p->server);
	pthread_mutex_destroy(&p->lock);
	for (int a = 0; a < 3; a++)
		free(p->slice[a]);
	free(p->point);
	free(p->text);
	free(p->ending);
	free(p->html);
	free(p);
}
