/* DICOM-CT-PD as a format: folders and files of projections of clinical scanners. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "core/try.h"
#include "geometry/patient_position.h"
#include "geometry/projections.h"
#include "io/dicom/dicom_ct_pd.h"
#include "io/write_kit/volume_units.h"
#include "io/table.h"

static int is_projections(const char *path)
{
	gt_dicom *d;
	if (!gt_dicom_is(path) || gt_dicom_open(path, &d) != GT_OK)
		return 0;
	const int is = gt_ctpd_is(d);
	gt_dicom_close(d);
	return is;
}

/* Probes 1, 2, 4, ... files in each process: usually the first file decides; a folder without projections needs all. */
static int probe(const char *path)
{
	gt_ctpd_set s = { .path = path };
	struct stat at;
	int is = 0;
	if (stat(path, &at) == 0 && S_ISDIR(at.st_mode) && !gt_dicom_in_folder(path))
		return 0;
	if (gt_ctpd_names(&s) == GT_OK)
		for (size_t i = 0, end = 0; i < s.files && !is; i++) {
			if (i == end) {
				end = 2 * end + 1 < s.files ? 2 * end + 1 : s.files;
				gt_ctpd_expect(&s, i, end);
			}
			is = is_projections(s.file[i].path);
		}
	gt_ctpd_set_clear(&s);
	return is;
}

static const struct {
	int text;
	const char *name;
} corrections[] = {
	{ PD_HARDENING, "beam hardening" }, { PD_GAIN, "gain" },      { PD_DARK, "dark field" },
	{ PD_FLAT, "flat field" },          { PD_BAD, "bad pixels" }, { PD_SCATTER, "scatter" },
};

/* Older files store a factor of unclear meaning: used only if it is plausible as an attenuation. */
static double water_of(const gt_ctpd_head *h)
{
	const double water = h->number[PD_WATER], factor = h->number[PD_OLD_WATER];
	return water > 0 ? water : factor > 0.01 && factor < 0.1 ? factor : 0;
}

/* Notes the decisions, and facts in the files that no array shows. */
static void note_head(const gt_ctpd_set *s)
{
	const gt_ctpd_head *h = &s->head;
	char missing[160] = "";
	double center[2];
	gt_ctpd_center_index(&s->o->dicom, h, center);
	gt_read_note(s->o, "DICOM-CT-PD of %s: central column %.9g of %g, counted from %s%s",
	             *h->text[PD_MAKER] ? h->text[PD_MAKER] : "no manufacturer", h->center[0], h->number[PD_COLUMNS],
	             gt_ctpd_counts_from_last(&s->o->dicom, h->text[PD_MAKER]) ? "0 and the last" : "1 and the first",
	             s->o->dicom.central == GT_CENTRAL_AUTO ? " as files of this manufacturer do" : "");
	for (size_t i = 0; i < sizeof corrections / sizeof *corrections; i++)
		if (!strcmp(h->text[corrections[i].text], "NO"))
			snprintf(missing + strlen(missing), sizeof missing - strlen(missing), "%s%s", *missing ? ", " : "",
			         corrections[i].name);
	if (*missing)
		gt_read_note(s->o, "not corrected for %s, according to the files", missing);
	if (*h->text[PD_POSITION] && gt_position_find(h->text[PD_POSITION]) == GT_POSITION_AUTO)
		gt_read_note(s->o, "Patient Position '%s' taken as HFS", h->text[PD_POSITION]);
	if (water_of(h) > 0)
		gt_read_note(s->o, "water %.6g mm-1", water_of(h));
}

static gt_status read_projections(const char *path, const gt_read_options *o, gt_projections **out)
{
	gt_ctpd_set s = { .path = path, .o = o, .work = { .progress = o->progress, .self = o->progress_self } };
	gt_projections *p = gt_projections_blank();
	gt_status st = GT_OK;
	if (!p)
		GT_TRY(gt_fail(GT_ERR_MEMORY, "%s: out of memory", path));
	s.work.to = o->geometry_only ? 1 : 0.4;
	GT_TRY(gt_ctpd_list(&s));
	note_head(&s);
	GT_TRY(gt_ctpd_order(&s));
	GT_TRY(gt_ctpd_scan(&s, &p->scan));
	p->water = water_of(&s.head);
	p->position = gt_position_find(s.head.text[PD_POSITION]);
	p->positioned = p->position != GT_POSITION_AUTO;
	if (!p->positioned)
		p->position = GT_HFS;
	s.work.from = s.work.to;
	s.work.to = 1;
	if (!o->geometry_only)
		GT_TRY(gt_ctpd_read_samples(&s, p));
	*out = p;
	p = NULL;
done:
	gt_projections_free(p);
	gt_ctpd_set_clear(&s);
	gt_pool_free(s.pool);
	return st;
}

const gt_format gt_format_dicom_ct_pd = {
	.name = "dicom-ct-pd",
	.about = "DICOM-CT-PD",
	.extensions = "",
	.folders = 1,
	.probe = probe,
	.ready = gt_dicom_ready,
	.read_projections = read_projections,
	.write_projections = gt_dicom_ct_pd_write,
};
