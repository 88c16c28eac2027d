/* DICOM-CT-PD -> projections: geometry in Gantry's coordinates, samples, photons. The focal centre is at (-rho sin phi,
 * rho cos phi, z). Seen from it, with z upwards, columns run counter-clockwise and rows downwards, according to the
 * format's manual and two readers (FreeCT; helix2fan). So phi is the gantry angle, and rows are reversed here. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <gantry/author/constants.h>
#include "core/text.h"
#include "core/try.h"
#include "geometry/projections.h"
#include "io/dicom/dicom_ct_pd.h"
#include "io/write_kit/volume_units.h"

enum { GRAIN = 8 };

static void set_view(const gt_ctpd_view *v, double radius, double distance, gt_view *w)
{
	const double c = cos(v->angle), s = sin(v->angle);
	const double spot = radius + v->shift[1], turned = v->angle + v->shift[0];
	memcpy(w->arc_center, (double[3]){ -radius * s, radius * c, v->z }, sizeof w->arc_center);
	memcpy(w->source, (double[3]){ -spot * sin(turned), spot * cos(turned), v->z + v->shift[2] }, sizeof w->source);
	memcpy(w->detector, (double[3]){ (distance - radius) * s, -(distance - radius) * c, v->z }, sizeof w->detector);
	memcpy(w->column_axis, (double[3]){ c, s, 0 }, sizeof w->column_axis);
	memcpy(w->row_axis, (double[3]){ 0, 0, 1 }, sizeof w->row_axis);
	w->angle = v->angle;
}

gt_status gt_ctpd_scan(const gt_ctpd_set *set, gt_scan **out)
{
	const double *x = set->head.number;
	const gt_ctpd_view *first = &set->view[0], *last = &set->view[set->views - 1];
	gt_scan *scan = NULL;
	gt_status st = GT_OK;
	double center[2];
	GT_TRY(gt_fail_in(gt_host_has_memory((double)set->views * sizeof(gt_view), "table of views"), "%s", set->path));
	GT_TRY(gt_scan_new(strcmp(set->head.text[PD_SHAPE], "FLAT") ? GT_ARC : GT_FLAT, set->views, (size_t)x[PD_ROWS],
	                   (size_t)x[PD_COLUMNS], &scan));
	gt_ctpd_center_index(&set->o->dicom, &set->head, center);
	scan->column_pitch = x[PD_TRANSVERSE];
	scan->row_pitch = x[PD_AXIAL];
	scan->column_center = center[0];
	scan->row_center = x[PD_ROWS] - 1 - center[1];
	scan->source_to_axis = x[PD_RADIUS];
	scan->source_to_detector = x[PD_DISTANCE];
	for (size_t v = 0; v < set->views; v++)
		set_view(&set->view[v], x[PD_RADIUS], x[PD_DISTANCE], &scan->view[v]);
	if (last->angle != first->angle)
		scan->pitch_per_turn = fabs((last->z - first->z) / (last->angle - first->angle)) * 2 * GT_PI;
	/* An axial scan with small table vibrations. */
	if (!gt_scan_is_helical(scan))
		scan->pitch_per_turn = 0;
	GT_TRY(gt_fail_in(gt_scan_check(scan), "%s", set->path));
	*out = scan;
	scan = NULL;
done:
	gt_scan_free(scan);
	return st;
}

/* Samples ------------------------------------------------------------- */

typedef struct {
	gt_ctpd_set *set;
	gt_projections *p;
	size_t stride[2], *place; /* place: scan index of each view, in file order */
	size_t *first;            /* each file's first index there */
	int is_signed;
} reading;

static float value_of(const reading *r, const gt_ctpd_view *v, uint16_t bits)
{
	const double stored = r->is_signed ? (int16_t)bits : bits;
	return (float)(v->slope * stored + v->intercept);
}

static void take_samples(const reading *r, size_t view, const uint16_t *sample)
{
	const gt_scan *s = r->p->scan;
	const gt_ctpd_view *v = &r->set->view[view];
	float *to = r->p->data + view * s->rows * s->columns;
	for (size_t l = 0; l < s->rows; l++)
		for (size_t k = 0; k < s->columns; k++)
			to[l * s->columns + k] = value_of(r, v, sample[k * r->stride[0] + (s->rows - 1 - l) * r->stride[1]]);
}

static gt_status take_photons(const reading *r, const char *path, gt_dicom *d, size_t view, double *count)
{
	const gt_scan *s = r->p->scan;
	const size_t n = r->set->head.photons;
	float *to = r->p->photons + view * s->rows * s->columns;
	gt_status st = gt_dicom_numbers(d, &gt_ctpd_photons, n, count);
	for (size_t i = 0; i < n && st == GT_OK; i++)
		if (!(count[i] > 0))
			st = gt_fail(GT_ERR_FORMAT,
			             "%s: (7033,1065) photon statistics: value %zu is %g: expected counts above 0, or to be left out "
			             "(gantry import --without-photons)",
			             path, i + 1, count[i]);
	for (size_t l = 0; l < s->rows && st == GT_OK; l++)
		for (size_t k = 0; k < s->columns; k++)
			to[l * s->columns + k] = (float)count[n == 1 ? 0 : k];
	return st;
}

static gt_status read_file(const reading *r, size_t file)
{
	const gt_ctpd_file *f = &r->set->file[file];
	const gt_scan *s = r->p->scan;
	const size_t cells = s->rows * s->columns;
	uint16_t *sample = malloc(cells * sizeof *sample);
	double *count = malloc((r->set->head.photons + 1) * sizeof *count);
	gt_dicom *d = NULL;
	gt_status st = GT_OK;
	if (!sample || !count)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", f->path));
	GT_TRY(gt_dicom_open(f->path, &d));
	for (size_t i = 0; i < f->frames; i++) {
		const size_t view = r->place[r->first[file] + i];
		GT_TRY(gt_dicom_pixels_of(d, f->frames, i, cells, sample));
		take_samples(r, view, sample);
		if (!r->p->photons)
			continue;
		GT_TRY(gt_dicom_frame(d, i));
		GT_TRY(take_photons(r, f->path, d, view, count));
	}
done:
	gt_dicom_close(d);
	free(sample);
	free(count);
	return st;
}

static void read_files(void *self, size_t begin, size_t end, int worker)
{
	const reading *r = self;
	for (size_t i = begin; i < end; i++)
		if (r->set->file[i].frames && gt_ctpd_work_wants(&r->set->work, i))
			gt_ctpd_work_did(&r->set->work, i, read_file(r, i), worker);
}

static gt_status find_places(reading *r)
{
	gt_ctpd_set *s = r->set;
	r->place = malloc(s->views * sizeof *r->place);
	r->first = malloc(s->files * sizeof *r->first);
	if (!r->place || !r->first)
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory for %zu views", s->path, s->views);
	for (size_t i = 0, at = 0; i < s->files; at += s->file[i].frames, i++)
		r->first[i] = at;
	for (size_t v = 0; v < s->views; v++)
		r->place[r->first[s->view[v].file] + s->view[v].frame] = v;
	return GT_OK;
}

/* GT_ERR_MEMORY suggests how to save memory: photons can be left out, and fdk reads axial scans in chunks from
 * NetCDF. */
static gt_status room_for(const gt_scan *scan, int with_photons, const char *path)
{
	const double bytes = (double)gt_scan_size(scan) * sizeof(float) * (with_photons ? 2 : 1);
	const gt_status st = gt_fail_in(gt_host_has_memory(bytes, with_photons ? "projections and photon statistics" : "projections"), "%s",
	                                path);
	char why[512], word[512];
	if (st == GT_OK)
		return GT_OK;
	snprintf(why, sizeof why, "%s", gt_error());
	const char *name = gt_shell_word(path, word, sizeof word);
	if (with_photons)
		return gt_fail(
			st, "%s; without its photons it needs half of that: import it first: gantry import %s -o scan.nc --without-photons",
			why, name);
	if (gt_scan_is_helical(scan))
		return gt_fail(st, "%s; a helical scan is read as a whole", why);
	return gt_fail(st, "%s; fdk reads NetCDF in chunks: import it first on a machine with more memory: gantry import %s -o scan.nc",
	               why, name);
}

gt_status gt_ctpd_read_samples(gt_ctpd_set *s, gt_projections *p)
{
	reading r = { .set = s, .p = p, .is_signed = s->head.number[PD_SIGNED] == 1 };
	const size_t n = gt_scan_size(p->scan);
	const int with_photons = s->head.photons && !s->o->dicom.without_photons && !s->o->without_statistics;
	gt_status st = GT_OK;
	int square = 0;
	GT_TRY(gt_ctpd_strides(s->head_path, &s->head, r.stride, &square));
	if (square)
		gt_read_note(s->o, "the numbers of rows and columns are equal: image lines are taken as detector columns");
	GT_TRY(room_for(p->scan, with_photons, s->path));
	p->data = malloc(n * sizeof *p->data);
	p->photons = with_photons ? malloc(n * sizeof *p->photons) : NULL;
	if (!p->data || (with_photons && !p->photons))
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", s->path));
	GT_TRY(find_places(&r));
	gt_ctpd_work_start(&s->work, s->files);
	gt_parallel(s->pool, s->files, GRAIN, read_files, &r);
	st = gt_ctpd_work_end(&s->work);
done:
	free(r.place);
	free(r.first);
	return st;
}
