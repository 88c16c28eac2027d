#ifndef GANTRY_PREPARE_H
#define GANTRY_PREPARE_H
/* Corrects measured projections step by step before a reconstruction: air, bad pixels, zingers, rings, beam
 * hardening, scatter. Every step is a module that processes projections in memory. docs/commands.md
 * (prepare) lists their use, sources and figures. */
#include <gantry/data.h>
#include <gantry/io.h>
#include <gantry/message.h>
#include <gantry/module.h>
#include <gantry/threads.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Flat or dark fields, [image][row][column], in finite counts. Borrowed. */
typedef struct { const float *data; size_t images; } gt_field_images;

/* Later versions add members at the end only. Callers with a smaller `size` get the defaults of the others. */
typedef struct {
	size_t size;                    /* sizeof(gt_prepare_options), as gt_prepare_defaults says */
	int threads;                    /* 0: one per processor */
	gt_listener notes;              /* receives the findings and actions of steps: GT_ABOUT_DATA */
	gt_field_images flats, darks;   /* fields of the complete detector; images 0: none */
	/* Backend of steps that reconstruct: "cpu", "cuda:0"; NULL: "auto". Every step refuses names that
	 * gt_backend_open() refuses. */
	const char *backend;
	/* gt_prepare_auto() calls it after each step, with its name. A status other than GT_OK ends the run with that
	 * status. NULL: no callback. */
	gt_status (*after)(void *self, const char *step, const gt_projections *p);
	void *after_self;
} gt_prepare_options;
GT_API extern const gt_prepare_options gt_prepare_defaults;

typedef struct gt_prepare_call gt_prepare_call;
/* Data that a step can process at a time: all projections; single views; detector rows of all views; both. It selects
 * views. */
enum { GT_WHOLE = 0, GT_BY_VIEWS = 1, GT_BY_ROWS = 2, GT_PICKS_VIEWS = 4 };
/* One step. */
typedef struct {
	GT_MODULE_MEMBERS
	/* Works in place, or replaces the projections where their sizes change. */
	gt_status (*run)(gt_prepare_call *call, const void *options);
	/* Reports if the projections need the step: spec is then its text with parameters, else spec[0] is 0; why
	 * gives the reason. NULL: the projections alone do not determine it. */
	gt_status (*advise)(gt_prepare_call *call, char *spec, char *why, size_t size);
	int chunks;                     /* GT_BY_VIEWS, ... */
	/* inspect() runs before all chunks and keeps its findings in the call; report() sends them afterwards. NULL:
	 * nothing to do. */
	gt_status (*inspect)(gt_prepare_call *call, const void *options);
	void      (*report)(gt_prepare_call *call);
	/* Creates the scan that results from `in`; view[] becomes the list of selected views. NULL: the scan does not
	 * change. */
	gt_status (*reshape)(gt_prepare_call *call, const void *options, const gt_scan *in, size_t *view, gt_scan **out);
	/* Reports if the step creates weights, by its findings. NULL: it never does. */
	int       (*weighs)(const void *known);
} gt_preparation;
GT_API extern const gt_preparation *const gt_preparations[];   /* in the order in which they belong; NULL-terminated */

/* Runs one step by its text: "rings:method=gain". *p must own its values. Steps that change sizes (crop, bin, views)
 * replace *p, and pointers into it become invalid. The record of *p gets the step with all parameters. o NULL:
 * defaults. GT_ERR_UNKNOWN, GT_ERR_ARG: the text. GT_ERR_UNSUPPORTED: the step cannot process this scan.
 * GT_ERR_FORMAT: values that the step cannot be right for. Every step refuses NaN and infinity before it begins, as
 * files do. After a failure *p is valid, its values are undefined. */
GT_API gt_status gt_prepare(gt_projections **p, const char *spec, const gt_prepare_options *o);
/* Runs the steps that projections need, in the order of gt_preparations. A note reports each applied or omitted step
 * with its reason. *steps, which may be NULL: number of applied steps. */
GT_API gt_status gt_prepare_auto(gt_projections **p, const gt_prepare_options *o, size_t *steps);

/* Chunked preparation from file to file, for scans larger than memory: first steps on views, then steps on rows.
 * Reading and writing overlap with processing. Results are bit-identical to gt_prepare(); steps that mark pixels may
 * give weights of 1 where gt_prepare() gives none. */
typedef struct {
	size_t size;                    /* sizeof(gt_prepare_files), as gt_prepare_files_defaults says */
	const char *input, *output;     /* names for gt_view_reader_open() and gt_view_writer_create() */
	const gt_read_options *read;    /* NULL: defaults */
	const char *const *spec;        /* steps, in this order */
	size_t specs;
	const char *command;            /* for the record; may be NULL */
	double memory;                  /* approximate limit in bytes; 0: 900 MB */
	int (*progress)(void *self, double done);       /* non-zero stops; NULL: no callback */
	void *progress_self;
} gt_prepare_files;
GT_API extern const gt_prepare_files gt_prepare_files_defaults;
/* GT_ERR_UNSUPPORTED: the input, the output, a step (flatness) or the order of the steps needs all projections at
 * once. Nothing was written then. */
GT_API gt_status gt_prepare_in_chunks(const gt_prepare_files *files, const gt_prepare_options *o);

/* Crops fields of the whole detector to `part`, the result of a crop: *data is [image][row][column] of the part, for
 * gt_free(), or NULL without images. GT_ERR_ARG: not a part, as after a bin. */
GT_API gt_status gt_prepare_crop_fields(const gt_scan *whole, const gt_scan *part, const gt_field_images *fields, float **data);

/* Computes polychromatic line integrals of an object of several materials. <> is the mean over the spectrum:
 *   line[i] = -ln <exp(-sum over k of mu_k(E)/density_k integral[k][i])>
 * spectrum: as for the step beam-hardening, "kv=120,aluminium=3" or "spectrum=FILE,energy-weighted=no". material[k]:
 * "water", "bone", ... or a file. integral[k]: line integral of the density relative to water, mm. For a material from
 * a file the density is 1 inside it. The pool may be NULL. GT_ERR_UNKNOWN, GT_ERR_ARG, GT_ERR_IO, GT_ERR_FORMAT:
 * spectrum or material. */
GT_API gt_status gt_mix_spectrum(const char *spectrum, const char *const *material, size_t materials, const float *const *integral,
                                 size_t n, gt_pool *pool, float *line);

#ifdef __cplusplus
}
#endif
#endif
