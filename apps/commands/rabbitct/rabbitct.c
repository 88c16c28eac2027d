/* gantry rabbitct: times the backprojection of images in memory and scores the result as the benchmark does. */
#include <stdlib.h>
#include <string.h>
#include <gantry/array.h>
#include <gantry/analytic.h>
#include "apps/cli/progress.h"
#include "apps/cli/try.h"
#include "apps/commands/rabbitct/rabbitct.h"
#include "io/rabbitct/rabbitct.h"

enum { GROUP_BYTES = 1 << 30 /* images held on the host at a time */ };

typedef struct {
	const char *output, *reference, *geometry;
	long long size, batch;
	int add_reference;
} rabbitct_options;
static const rabbitct_options defaults = { .size = 512 };
#define AT(field) offsetof(rabbitct_options, field)
/* clang-format off */
static const cli_option options[] = {
	{ .name = "size", .kind = CLI_INT, .value = "N",
	  .help = "voxels along each edge of the cube of 256 mm (default 512; the benchmark: 128 256 512 1024)",
	  .at = AT(size), .min = 1, .max = 4096 },
	{ .name = "reference", .kind = CLI_INPUT, .value = "FILE",
	  .help = "reference volume of 16-bit HU (default: the one in the data set)", .at = AT(reference) },
	{ .name = "geometry", .kind = CLI_INPUT, .value = "FILE",
	  .help = "file with the matrices of a repackaged set", .at = AT(geometry) },
	{ .name = "output", .letter = 'o', .kind = CLI_OUTPUT, .value = "FILE",
	  .help = "name of the written volume: 16-bit HU (.vol), or mm-1 (.nc, .mha)", .at = AT(output) },
	{ .name = "add-reference", .kind = CLI_FLAG,
	  .help = "append the result to the data set as its reference of this size", .at = AT(add_reference) },
	{ .name = "batch", .kind = CLI_INT, .value = "N",
	  .help = "images per pass over the volume (default 32)", .at = AT(batch), .min = 1, .max = 4096 },
	{ 0 },
};
/* clang-format on */

typedef struct {
	gt_rabbitct *file;
	gt_backend *be;
	gt_array *x;
	gt_backprojector *sum;
	float *images; /* page-locked */
	gt_volume *volume;
	uint16_t *hu, *reference;
} job;

static void end_job(job *j)
{
	gt_backprojector_free(j->sum);
	if (j->images)
		gt_locked_free(j->be, j->images);
	gt_array_free(j->x);
	gt_backend_close(j->be);
	gt_rabbitct_close(j->file);
	gt_volume_free(j->volume);
	free(j->hu);
	free(j->reference);
}

static int is_volume(const char *path)
{
	const size_t n = strlen(path);
	return n > 4 && !strcmp(path + n - 4, ".vol");
}

static gt_status check(const char *path, const rabbitct_options *o, const gt_rabbitct_head *h)
{
	if (!h->has_images)
		return gt_fail(GT_ERR_FORMAT, "%s: holds matrices alone: expected images", path);
	if (o->add_reference) {
		const gt_status st = gt_rabbitct_can_append(path, h, (size_t)o->size);
		if (st != GT_OK)
			return st;
	}
	if (!o->output)
		return GT_OK;
	if (is_volume(o->output))
		return gt_can_write(o->output);
	const gt_status st = gt_can_write_volume(o->output, NULL);
	return st == GT_ERR_ARG ? gt_fail(st, "%s; or .vol, for 16-bit HU", gt_error()) : st;
}

/* The message names the actual format of another file. */
static gt_status open_set(const char *path, const rabbitct_options *o, gt_rabbitct **file)
{
	const gt_format *f;
	int projections;
	const gt_status st = gt_rabbitct_open(path, o->geometry, file);
	char why[512];
	snprintf(why, sizeof why, "%s", st == GT_OK ? "" : gt_error());
	if (st == GT_ERR_FORMAT && gt_file_kind(path, &f, &projections) == GT_OK && strcmp(f->name, "rabbitct"))
		return gt_fail(st, "%s: is a %s file: expected a RabbitCT data set ('gantry simulate -o NAME.rctd' writes one)", path,
		               f->about);
	return st == GT_OK ? st : gt_fail(st, "%s", why);
}

/* Reads and backprojects a group of images; times the backprojection alone. */
static gt_status add_group(const char *path, job *j, size_t first, size_t n, double *seconds)
{
	const gt_rabbitct_head *h = gt_rabbitct_info(j->file);
	const size_t cells = h->rows * h->columns;
	double(*matrix)[12] = malloc(n * sizeof *matrix);
	gt_status st = matrix ? GT_OK : gt_fail(GT_ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < n && st == GT_OK; i++)
		if ((st = gt_rabbitct_matrix(j->file, first + i, matrix[i])) == GT_OK)
			st = gt_rabbitct_image(j->file, first + i, j->images + i * cells);
	const double start = app_seconds();
	for (size_t i = 0; i < n && st == GT_OK; i++)
		st = gt_fail_in(gt_backprojector_add(j->sum, matrix[i], j->images + i * cells), "%s", path);
	gt_backprojector_wait(j->sum);
	*seconds += app_seconds() - start;
	free(matrix);
	return st;
}

static gt_status backproject(const cli_call *call, job *j, const gt_grid *grid, size_t batch, double *seconds, double *finish)
{
	const gt_rabbitct_head *h = gt_rabbitct_info(j->file);
	const size_t bytes = h->rows * h->columns * sizeof(float), max = bytes < GROUP_BYTES ? GROUP_BYTES / bytes : 1;
	const size_t group = h->views < max ? h->views : max;
	gt_status st = GT_OK;
	GT_TRY(gt_array_new(j->be, cli_type(call), gt_grid_voxels(grid), &j->x));
	GT_TRY(gt_backprojector_new(j->be, grid, h->rows, h->columns, batch, j->x, &j->sum));
	if (!(j->images = gt_locked_new(j->be, group * bytes, "images")))
		return GT_ERR_MEMORY;
	gt_backend_wait(j->be);
	app_progress progress = app_progress_start("rabbitct", call->common.quiet);
	for (size_t v = 0; v < h->views && st == GT_OK; v += group) {
		st = add_group(call->file[0], j, v, h->views - v < group ? h->views - v : group, seconds);
		app_progress_fraction(&progress, (double)(v + group < h->views ? v + group : h->views) / (double)h->views);
	}
	app_progress_end(&progress);
	GT_TRY(st);
	const double start = app_seconds();
	GT_TRY(gt_backprojector_finish(j->sum));
	gt_array_get_float(j->x, gt_volume_data(j->volume));
	GT_TRY(gt_backend_status(j->be));
	*finish = app_seconds() - start;
done:
	return st;
}

static gt_status find_reference(const rabbitct_options *o, job *j, int *found)
{
	const size_t size = (size_t)o->size;
	*found = 0;
	if (!o->reference && (gt_rabbitct_info(j->file)->references == 0 || o->add_reference))
		return GT_OK;
	const gt_status st = o->reference ? gt_rabbitct_read_volume(o->reference, size, j->reference)
	                                  : gt_rabbitct_reference(j->file, size, j->reference);
	*found = st == GT_OK;
	return !o->reference && st == GT_ERR_UNSUPPORTED ? GT_OK : st;
}

/* 1000 on the scale of the data set is water, GT_WATER_DEFAULT mm-1. */
static gt_status write_result(const cli_call *call, const rabbitct_options *o, job *j)
{
	const float *scale = gt_rabbitct_info(j->file)->scale;
	gt_status st = GT_OK;
	if (o->add_reference) {
		cli_begin_writing();
		GT_TRY(cli_end_writing(gt_rabbitct_append(call->file[0], (size_t)o->size, j->hu)));
	}
	if (!o->output)
		return GT_OK;
	if (is_volume(o->output)) {
		cli_begin_writing();
		return cli_end_writing(gt_rabbitct_write_volume(o->output, (size_t)o->size, j->hu));
	}
	float *mu = gt_volume_data(j->volume);
	for (size_t i = 0; i < gt_grid_voxels(gt_volume_grid(j->volume)); i++)
		mu[i] = (float)(((double)scale[0] * (double)mu[i] + (double)scale[1]) * GT_WATER_DEFAULT / 1000);
	GT_TRY(gt_volume_set_provenance(j->volume, call->line, "solver=rabbitct", NULL));
	GT_TRY(cli_write_volume(o->output, NULL, j->volume));
done:
	return st;
}

static int run(const cli_call *call, const void *given)
{
	const rabbitct_options *o = given;
	gt_grid grid;
	gt_rabbitct_grid((size_t)o->size, &grid);
	const size_t voxels = gt_grid_voxels(&grid);
	job j = { .file = NULL };
	int has_reference = 0;
	app_rabbitct_report r = { .size = (size_t)o->size };
	gt_rabbitct_score score;
	gt_status st = GT_OK;
	GT_TRY(open_set(call->file[0], o, &j.file));
	const gt_rabbitct_head *h = gt_rabbitct_info(j.file);
	GT_TRY(check(call->file[0], o, h));
	GT_TRY(gt_volume_new(&grid, &j.volume));
	GT_TRY(gt_host_has_memory((double)voxels * 4, "volumes of HU"));
	if (!(j.hu = malloc(voxels * sizeof *j.hu)) || !(j.reference = malloc(voxels * sizeof *j.reference)))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "out of memory for %zu^3 voxels", (size_t)o->size));
	GT_TRY(find_reference(o, &j, &has_reference));
	GT_TRY(cli_open(call, &j.be));
	GT_TRY(backproject(call, &j, &grid, (size_t)o->batch, &r.seconds, &r.finish));
	for (size_t i = 0; i < voxels; i++)
		j.hu[i] = gt_rabbitct_hu(gt_volume_data(j.volume)[i], h->scale);
	if (has_reference) {
		score = gt_rabbitct_judge(j.hu, j.reference, voxels);
		r.score = &score;
	} else if (!o->add_reference) {
		cli_note(call, "no reference of %zu^3 voxels: the result is not scored", (size_t)o->size);
	}
	r.backend = gt_backend_name(j.be);
	r.columns = h->columns;
	r.rows = h->rows;
	r.views = h->views;
	GT_TRY(write_result(call, o, &j));
	app_rabbitct_print(call, &r);
done:
	end_job(&j);
	return cli_exit(call, st);
}

const cli_command cli_rabbitct = {
	.name = "rabbitct",
	.about = "time and score the backprojection of a RabbitCT data set",
	.synopsis = "DATASET [options]",
	.notes = "  gantry simulate --scanner c-arm --shift 2 --tilt 1 --phantom forbild-head -o set.rctd\n"
		 "  gantry rabbitct set.rctd --size 128 --backend cpu --precision double --add-reference\n"
		 "  gantry rabbitct set.rctd --size 128 --backend cuda:0\n",
	.traits = CLI_COMPUTES | CLI_REPORTS,
	.options = options,
	.defaults = &defaults,
	.options_size = sizeof defaults,
	.min_files = 1,
	.max_files = 1,
	.run = run,
};
