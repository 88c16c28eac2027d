/* gantry view as a page for a browser: all files in one viewer, written as a file or served to this machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <gantry/io.h>
#include "apps/cli/try.h"
#include "apps/commands/view/view.h"
#include "core/text.h"

typedef struct {
	gt_page_item item[GT_PAGE_ITEMS];
	gt_volume *volume[GT_PAGE_ITEMS];
	gt_projections *projections[GT_PAGE_ITEMS];
	size_t n;
} shown;

static gt_status check(const cli_call *call, const view_options *o)
{
	if (o->plane >= 0 || o->convention >= 0 || o->slice >= 0 || o->montage > 0 || o->sinogram >= 0)
		return gt_fail(GT_ERR_ARG, "--plane, --convention, --slice, --montage and --sinogram apply to pictures alone");
	if (call->files > GT_PAGE_ITEMS)
		return gt_fail(GT_ERR_ARG, "%zu files, expected at most %d on one page", call->files, GT_PAGE_ITEMS);
	if (o->serve && o->output)
		return gt_fail(GT_ERR_ARG, "--serve: cannot be combined with --output");
	return o->serve ? GT_OK : gt_can_write(o->output);
}

/* Adds the number of values stated by the header of a file. Skips folders, which have many headers, and projection
 * files that may hold the geometry alone. */
static gt_status add_values(const char *path, double *values)
{
	const gt_format *format = NULL;
	gt_read_options o = gt_read_defaults;
	gt_projections *p = NULL;
	gt_volume *v = NULL;
	struct stat file;
	int projections = 0;
	gt_status st = GT_OK;
	if (stat(path, &file) != 0 || S_ISDIR(file.st_mode))
		return GT_OK;
	o.geometry_only = 1;
	GT_TRY(gt_file_kind(path, &format, &projections));
	if (cli_is_frames(format))
		return GT_OK;
	if (projections && gt_page_holds((double)file.st_size) != GT_OK) {
		GT_TRY(gt_read_projections(path, &o, &p));
		const gt_scan *s = gt_projections_scan(p);
		*values += (double)s->views * (double)s->rows * (double)s->columns;
	} else if (!projections) {
		GT_TRY(gt_read_volume(path, &o, &v));
		*values += (double)gt_grid_voxels(gt_volume_grid(v));
	}
done:
	gt_projections_free(p);
	gt_volume_free(v);
	return st;
}

/* Refuses an oversized page before the files are read, which may take minutes. */
static gt_status check_size(const cli_call *call)
{
	double values = 0;
	gt_status st = GT_OK;
	for (size_t i = 0; i < call->files; i++)
		GT_TRY(add_values(call->file[i], &values));
	st = gt_page_holds(values);
done:
	return st;
}

static gt_status read_one(const cli_call *call, const view_options *o, const char *path, shown *s)
{
	const gt_format *format = NULL;
	const size_t i = s->n;
	int projections = 0;
	gt_status st = GT_OK;
	GT_TRY(gt_file_kind(path, &format, &projections));
	s->item[i] = (gt_page_item){ .name = path, .unit = (gt_unit)o->unit };
	if (projections) {
		size_t each = 0;
		GT_TRY(cli_read_images(call, path, &o->frames, CLI_IF_ANY, &s->projections[i], &each));
		s->item[i].quantity = each ? "counts" : NULL;
		s->item[i].projections = s->projections[i];
	} else {
		GT_TRY(cli_read_volume(call, path, &s->volume[i]));
		if (!isnan(o->water))
			GT_TRY(gt_volume_set_water(s->volume[i], o->water));
		s->item[i].volume = s->volume[i];
	}
	s->n++;
done:
	return st;
}

typedef struct {
	const cli_call *call;
	int opens;
} server_call;

static void print_address(void *self, const char *address)
{
	const server_call *s = self;
	printf("%s\n", address);
	fflush(stdout);
	cli_note(s->call, "open this address in a browser of this machine; Ctrl-C ends it");
	if (s->opens)
		cli_open_in_browser(address);
}

static int asked_to_stop(void *self)
{
	(void)self;
	return cli_asked_to_stop();
}

static gt_status serve(const cli_call *call, const view_options *o, const gt_page *page)
{
	server_call mine = { call, o->opens };
	const gt_page_server how = {
		.size = sizeof how, .port = (int)o->port, .ready = print_address, .stop = asked_to_stop, .self = &mine
	};
	cli_begin_iterating(1);
	const gt_status st = gt_page_serve(page, &how);
	cli_end_iterating();
	return st;
}

/* Title of a page without --title: the path of one file, else the names without folders; NULL without memory. */
static char *title_of(const cli_call *call)
{
	enum { NAMED = 3 };
	char *text = NULL;
	if (call->files == 1)
		return cli_text("%s", call->file[0]);
	for (size_t i = 0; i < call->files && i < NAMED; i++) {
		const char *slash = strrchr(call->file[i], '/'), *name = slash && slash[1] ? slash + 1 : call->file[i];
		char *more = text ? cli_text("%s, %s", text, name) : cli_text("%s", name);
		free(text);
		text = more;
	}
	if (text && call->files > NAMED) {
		char *more = cli_text("%s and %zu more", text, call->files - NAMED);
		free(text);
		text = more;
	}
	return text;
}

/* A page stores at least eight bits per voxel. */
static void note_size(const cli_call *call, const view_options *o, const gt_page *page)
{
	struct stat file;
	if (o->page_size && stat(o->output, &file) == 0 && (size_t)file.st_size > page->bytes)
		cli_note(call, "%s: larger than --page-size=%s: the files need at least this size", o->output, o->page_size);
}

gt_status view_page(const cli_call *call, const view_options *o)
{
	shown s = { .n = 0 };
	gt_page_part viewer = { .kind = GT_PAGE_VIEWER, .item = s.item };
	char *title = o->title ? NULL : title_of(call);
	gt_page page = { .size = sizeof page, .title = o->title ? o->title : title, .part = &viewer, .parts = 1 };
	gt_status st = GT_OK;
	GT_TRY(check(call, o));
	if (o->page_size)
		GT_TRY(gt_bytes_parse("--page-size", o->page_size, &page.bytes));
	page.low = o->window.low;
	page.high = o->window.high;
	if (!o->serve)
		GT_TRY(check_size(call));
	for (size_t i = 0; i < call->files; i++)
		GT_TRY(read_one(call, o, call->file[i], &s));
	viewer.items = s.n;
	if (o->serve) {
		GT_TRY(serve(call, o, &page));
	} else {
		cli_begin_writing();
		GT_TRY(cli_end_writing(gt_page_write(o->output, &page)));
		note_size(call, o, &page);
		cli_note(call, "%s: open it in a browser", o->output);
	}
done:
	for (size_t i = 0; i < GT_PAGE_ITEMS; i++) {
		gt_volume_free(s.volume[i]);
		gt_projections_free(s.projections[i]);
	}
	free(title);
	return st;
}
