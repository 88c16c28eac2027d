/* gantry prepare: corrects projections by a sequence of steps. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/array.h>
#include <gantry/image.h>
#include <gantry/prepare.h>
#include "apps/cli/cli.h"
#include "apps/cli/frames.h"
#include "apps/cli/progress.h"
#include "apps/cli/try.h"
#include "apps/commands/prepare_auto.h"
#include "apps/commands/step_pictures.h"
#include "core/device/host_memory.h"

/* Options of the steps, in any order; gt_preparations determines their sequence. */
enum { LAG, VIEWS, CROP, BAD_PIXELS, DYNAMIC_FLATS, ZINGERS, SCATTER, PHASE, BIN, BEAM_HARDENING, RINGS, METAL, EXTEND, STEPS };
static const char *const step_names[STEPS] = { "lag",   "views", "crop",           "bad-pixels", "dynamic-flats", "zingers", "scatter",
	                                       "phase", "bin",   "beam-hardening", "rings",      "metal",         "extend" };
typedef struct {
	const char *output, *show, *backend, *step[STEPS];
	int automatic;
	double memory;
	long long deflate;
	cli_frames frames;
} prepare_options;
static const prepare_options defaults = { .frames = CLI_FRAMES_DEFAULTS };
#define AT(field) offsetof(prepare_options, field)
#define FRAMES_AT(field) offsetof(prepare_options, frames.field)
#define STEP(place, title, values, text)                                                              \
	{                                                                                             \
		.name = title, .kind = CLI_TEXT, .value = values, .help = text, .at = AT(step[place]) \
	}
/* clang-format off */
static const cli_option options[] = {
	{ .name = "output", .group = "Output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "name of the written projections", .at = AT(output) },
	{ .name = "auto", .kind = CLI_FLAG, .help = "inspect the data, apply the necessary steps, and report why", .at = AT(automatic) },
	{ .name = "show", .kind = CLI_TEXT, .value = "FOLDER", .help = "write an image before and after each step", .at = AT(show) },
	{ .name = "lag", .group = "Steps", .kind = CLI_TEXT, .value = "rates=A1:A2,amounts=B1:B2",
	  .help = "subtract detector lag, the signal carried over from earlier views", .at = AT(step[LAG]) },
	STEP(VIEWS, "views", "A:B[:STEP]", "keep views A to B-1, or every STEP-th of them; negative values count from the end"),
	STEP(CROP, "crop", "first-rows=N,...", "remove rows and columns at the edges (gantry help step crop)"),
	STEP(BAD_PIXELS, "bad-pixels", "auto|fields|views", "find bad pixels, interpolate them, and set their weights to 0"),
	STEP(DYNAMIC_FLATS, "dynamic-flats", "auto|most=N,...", "divide each view by the best combination of several flat fields"),
	STEP(ZINGERS, "zingers", "auto|photons=N,...", "replace single pixels that are too bright for the noise"),
	STEP(SCATTER, "scatter", "fraction=S|kernel:fraction=S,width=MM",
	     "subtract scatter: a constant part of the signal, or a kernel that follows the object"),
	STEP(PHASE, "phase", "paganin:energy=KEV,...", "turn phase contrast into line integrals (distance=MM,delta-beta=RATIO)"),
	STEP(BIN, "bin", "N|rows=N,columns=N", "make pixels larger"),
	STEP(BEAM_HARDENING, "beam-hardening", "kv=KV,...|spectrum=FILE,...|polynomial=A1:A2:...|flatness",
	     "correct beam hardening of an object of one material"),
	STEP(RINGS, "rings", "gain|sorting|large|dead|all", "remove stripes of single columns, row by row"),
	STEP(METAL, "metal", "auto|nmar|li|weights", "find metal, interpolate its trace and put it back, or give the trace the weight 0"),
	STEP(EXTEND, "extend", "auto|water=MM-1,columns=N", "extrapolate rows of an object that is wider than the detector"),
	{ .name = "backend", .group = "Resources", .kind = CLI_TEXT, .value = "NAME",
	  .help = "backend of steps that reconstruct: cpu, cuda:0 (default auto)", .at = AT(backend) },
	{ .name = "memory", .kind = CLI_REAL, .value = "MB",
	  .help = "work in chunks within about MB megabytes (default: 900 if the scan exceeds a quarter of the free memory)",
	  .at = AT(memory), .min = 1, .max = 1e9 },
	{ .name = "deflate", .kind = CLI_INT, .value = "LEVEL",
	  .help = "compression, 0 (none, default) to 9", .at = AT(deflate), .min = 0,
	  .max = 9 },
	CLI_FRAMES_OPTIONS(FRAMES_AT),
	{ 0 },
};
/* clang-format on */

/* Converts the text of an option to "STEP:key=value,...": a first word without '=' is the method. */
static char *spec_of(int step, const char *text)
{
	const char *name = step_names[step], *key = "method";
	const size_t word = strcspn(text, ":,=");
	if (step == VIEWS && !strchr(text, '='))
		return cli_text("views:range=%s", text);
	if (step == BIN && text[0] && strspn(text, "0123456789") == strlen(text))
		return cli_text("bin:rows=%s,columns=%s", text, text);
	if (!strcmp(text, "auto") && (step == ZINGERS || step == BAD_PIXELS || step == DYNAMIC_FLATS || step == METAL || step == EXTEND))
		return cli_text("%s", name);
	if (text[word] == '=')
		return cli_text("%s:%s", name, text);
	return cli_text("%s:%s=%.*s%s%s", name, key, (int)word, text, text[word] ? "," : "", text[word] ? text + word + 1 : "");
}

/* Specs in the order of gt_preparations; all are parsed before anything is read. */
static gt_status collect(const prepare_options *o, const char *air, char **spec, size_t *count)
{
	*count = 0;
	for (const gt_preparation *const *m = gt_preparations; *m; m++) {
		const gt_module *found;
		void *values = NULL;
		char *text = NULL;
		for (int s = 0; s < STEPS; s++)
			if (o->step[s] && !strcmp(step_names[s], (*m)->name))
				text = spec_of(s, o->step[s]);
		if (air && !strcmp((*m)->name, "air")) {
			char left[32] = "", right[32] = "";
			text = sscanf(air, "%31[0-9],%31[0-9]", left, right) == 2 ? cli_text("air:left=%s,right=%s", left, right)
			                                                          : cli_text("air");
		}
		if (!text)
			continue;
		const gt_status st = gt_module_parse("preparation", text, &found, &values);
		gt_free(values);
		spec[(*count)++] = text;
		if (st != GT_OK)
			return st;
	}
	return GT_OK;
}

typedef struct {
	gt_projections *p;
	gt_fields flats, darks;
	gt_scan *whole; /* the measured scan */
	float *part[2]; /* flat and dark fields after a crop */
	char *spec[STEPS + 1];
	size_t specs;
	app_step_pictures pictures;
} state;

static void release(state *s)
{
	for (size_t i = 0; i < s->specs; i++)
		free(s->spec[i]);
	gt_fields_free(&s->flats);
	gt_fields_free(&s->darks);
	gt_free(s->part[0]);
	gt_free(s->part[1]);
	gt_scan_free(s->whole);
	gt_projections_free(s->p);
}

static gt_status read_scan(const cli_call *call, const prepare_options *o, state *s)
{
	gt_frames_options frames;
	gt_read_options r = gt_read_defaults;
	gt_status st = GT_OK;
	cli_frames_apply(&o->frames, &frames, &r);
	GT_TRY(app_read_measured(call, &r, &s->p));
	if (o->step[BAD_PIXELS] || o->step[DYNAMIC_FLATS] || o->automatic)
		GT_TRY(app_read_fields(call, &r, s->p, &s->flats, &s->darks));
done:
	return st;
}

static gt_status after_step(void *self, const char *step, const gt_projections *p) { return app_step_picture(self, step, p); }

/* Crops the fields with the detector; none if pixels have become larger. */
static gt_status crop_fields(state *s, gt_prepare_options *p)
{
	const gt_fields *whole[] = { &s->flats, &s->darks };
	gt_field_images *part[] = { &p->flats, &p->darks };
	for (int f = 0; f < 2; f++) {
		const gt_field_images all = { whole[f]->data, whole[f]->images };
		gt_free(s->part[f]);
		const gt_status st = gt_prepare_crop_fields(s->whole, gt_projections_scan(s->p), &all, &s->part[f]);
		if (st != GT_OK && st != GT_ERR_ARG)
			return st;
		*part[f] = (gt_field_images){ s->part[f], st == GT_OK ? all.images : 0 };
	}
	return GT_OK;
}

static gt_status run_steps(const cli_call *call, const prepare_options *o, state *s)
{
	gt_prepare_options p = gt_prepare_defaults;
	gt_status st = GT_OK;
	p.notes = call->log;
	p.backend = o->backend;
	p.flats = (gt_field_images){ s->flats.data, s->flats.images };
	p.darks = (gt_field_images){ s->darks.data, s->darks.images };
	GT_TRY(gt_scan_clone(gt_projections_scan(s->p), &s->whole));
	GT_TRY(app_step_picture(&s->pictures, "measured", s->p));
	p.after = after_step;
	p.after_self = &s->pictures;
	if (o->automatic)
		GT_TRY(gt_prepare_auto(&s->p, &p, NULL));
	for (size_t i = 0; i < s->specs; i++) {
		GT_TRY(gt_prepare(&s->p, s->spec[i], &p));
		s->spec[i][strcspn(s->spec[i], ":")] = 0;
		GT_TRY(app_step_picture(&s->pictures, s->spec[i], s->p));
		GT_TRY(crop_fields(s, &p));
	}
done:
	return st;
}

/* Returns the bytes of a file, or of the files in a folder. */
static double bytes_of(const char *path)
{
	struct stat about;
	double bytes = 0;
	if (stat(path, &about) != 0 || !S_ISDIR(about.st_mode))
		return stat(path, &about) == 0 ? (double)about.st_size : 0;
	DIR *folder = opendir(path);
	for (struct dirent *d; folder && (d = readdir(folder));) {
		char *name = cli_text("%s/%s", path, d->d_name);
		bytes += name && stat(name, &about) == 0 && S_ISREG(about.st_mode) ? (double)about.st_size : 0;
		free(name);
	}
	if (folder)
		closedir(folder);
	return bytes;
}

/* 16-bit values need twice their size, and a step needs the same amount again: the limit is a quarter of the free
 * memory. */
static int is_large(const char *path)
{
	const double available = gt_host_available();
	return available >= 0 && 2 * bytes_of(path) > available / 4;
}

/* Fields of the whole detector count towards the memory limit. */
static gt_status fields_for_chunks(const cli_call *call, const gt_read_options *r, double *memory, state *s)
{
	gt_read_options geometry = *r;
	gt_status st = GT_OK;
	geometry.geometry_only = 1;
	GT_TRY(gt_read_projections(call->file[0], &geometry, &s->p));
	GT_TRY(app_read_fields(call, r, s->p, &s->flats, &s->darks));
	const gt_scan *scan = gt_projections_scan(s->p);
	*memory = fmax(*memory / 4, *memory - (double)((s->flats.images + s->darks.images) * scan->rows * scan->columns * sizeof(float)));
done:
	return st;
}

/* Ctrl-C is checked between chunks, so that the unfinished file is removed and reported. */
static int chunk_done(void *self, double done)
{
	app_progress_fraction(self, done);
	return cli_asked_to_stop();
}

static gt_status in_chunks(const cli_call *call, const prepare_options *o, state *s)
{
	cli_notes notes = { "" };
	gt_frames_options frames;
	gt_read_options r = gt_read_defaults;
	gt_prepare_options p = gt_prepare_defaults;
	gt_prepare_files f = gt_prepare_files_defaults;
	gt_status st = GT_OK;
	cli_frames_apply(&o->frames, &frames, &r);
	f.memory = o->memory > 0 ? 1e6 * o->memory : f.memory;
	if (o->step[BAD_PIXELS] || o->step[DYNAMIC_FLATS])
		GT_TRY(fields_for_chunks(call, &r, &f.memory, s));
	p.notes = call->log;
	p.backend = o->backend;
	p.flats = (gt_field_images){ s->flats.data, s->flats.images };
	p.darks = (gt_field_images){ s->darks.data, s->darks.images };
	r.notes = cli_collect(&notes);
	f.input = call->file[0];
	f.output = o->output;
	f.read = &r;
	f.spec = (const char *const *)s->spec;
	f.specs = s->specs;
	f.command = call->line;
	app_progress progress = app_progress_start("prepare", call->common.quiet);
	f.progress = chunk_done;
	f.progress_self = &progress;
	cli_begin_iterating(0);
	st = gt_prepare_in_chunks(&f, &p);
	cli_end_iterating();
	app_progress_end(&progress);
	if (st == GT_STOPPED)
		st = gt_fail(GT_STOPPED, "interrupted: %s was not written", o->output);
	GT_TRY(st);
	if (notes.text[0])
		cli_note(call, "%s", notes.text);
done:
	return st;
}

/* *done: chunks were requested, or the projections are large. Unsupported steps run in memory unless chunks were
 * requested. */
static gt_status try_chunks(const cli_call *call, const prepare_options *o, state *s, int *done)
{
	const char *whole = o->automatic ? "--auto" : o->show ? "--show" : o->deflate ? "--deflate" : NULL;
	*done = 0;
	if (whole && o->memory > 0)
		return gt_fail(GT_ERR_ARG, "--memory: %s needs all projections at once", whole);
	if (whole || (!(o->memory > 0) && !is_large(call->file[0])))
		return GT_OK;
	const gt_status st = in_chunks(call, o, s);
	*done = st != GT_ERR_UNSUPPORTED || o->memory > 0;
	if (*done)
		return st;
	cli_note(call, "in memory: %s", gt_error());
	gt_fields_free(&s->flats);
	gt_fields_free(&s->darks);
	gt_projections_free(s->p);
	s->p = NULL;
	return GT_OK;
}

/* Checked before the scan is read, which takes a while. */
static gt_status check_backend(const char *name)
{
	gt_backend *be = NULL;
	const gt_status st = name ? gt_backend_open(name, &be) : GT_OK;
	gt_backend_close(be);
	return st;
}

static int run(const cli_call *call, const void *given)
{
	const prepare_options *o = given;
	const gt_format *format = NULL;
	prepare_options reading = *o;
	state s = { .pictures = { .folder = o->show } };
	const char *air = NULL;
	int projections = 0;
	gt_write_options w = gt_write_defaults;
	gt_status st = GT_OK;
	w.deflate = (int)o->deflate;
	w.notes = call->log;
	GT_TRY(cli_need("--output", o->output));
	GT_TRY(check_backend(o->backend));
	GT_TRY(gt_can_write_projections(o->output, &w));
	GT_TRY(gt_file_kind(call->file[0], &format, &projections));
	if (!projections)
		GT_TRY(gt_fail(GT_ERR_FORMAT, "%s: holds a volume, expected projections", call->file[0]));
	/* Image formats are divided by their air while they are read; other files by the step. */
	if (!cli_is_frames(format) && o->frames.air && strcmp(o->frames.air, "no"))
		air = o->frames.air;
	if (!cli_is_frames(format))
		reading.frames.air = NULL;
	GT_TRY(cli_frames_check(&reading.frames, call->file[0]));
	GT_TRY(collect(o, air, s.spec, &s.specs));
	if (!s.specs && !o->automatic && !cli_is_frames(format))
		GT_TRY(gt_fail(GT_ERR_ARG, "found no step: expected --auto, or steps as --rings gain (gantry help step lists them)"));
	GT_TRY(try_chunks(call, &reading, &s, &projections));
	if (projections)
		goto done;
	GT_TRY(read_scan(call, &reading, &s));
	if (!o->step[VIEWS] && !o->step[CROP] && !o->step[BIN])
		GT_TRY(gt_has_space_for_projections(o->output, &w, gt_projections_scan(s.p)));
	GT_TRY(gt_projections_set_provenance(s.p, call->line, gt_projections_provenance(s.p)->parameters, NULL));
	GT_TRY(run_steps(call, o, &s));
	GT_TRY(cli_write_projections(o->output, &w, s.p));
done:
	release(&s);
	return cli_exit(call, st);
}

static void list(FILE *out)
{
	fprintf(out, "\nsteps in their order of execution (gantry help step NAME lists the parameters):\n");
	for (const gt_preparation *const *m = gt_preparations; *m; m++)
		fprintf(out, "  %-15s %s\n", (*m)->name, (*m)->about);
}

const cli_command cli_prepare = {
	.name = "prepare",
	.about = "correct projections before reconstruction: air, bad pixels, zingers, rings, beam hardening",
	.synopsis = "FILE|FOLDER -o OUTPUT.nc [steps]",
	.notes = "  gantry prepare counts/ -o scan.nc --auto --show pictures\n"
		 "  gantry prepare tooth.h5 -o tooth.nc --air auto --bad-pixels auto --zingers auto --rings gain\n"
		 "  gantry prepare scan.nc -o flat.nc --beam-hardening kv=120,aluminium=3\n"
		 "  gantry prepare scan.nc -o small.nc --views 0:360:2 --bin 2\n",
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.min_files = 1,
	.max_files = 1,
	.run = run,
	.list = list,
};
