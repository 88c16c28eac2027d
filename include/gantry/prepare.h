#ifndef GANTRY_PREPARE_H
#define GANTRY_PREPARE_H
/* Faults of measured projections, mended step by step before a reconstruction: the level of the air, bad pixels,
 * zingers, rings, beam hardening, scatter. Every step is a module: a name, a sentence, a table of parameters and a
 * function that works on projections in memory. docs/commands.md (prepare) says what each is for, its source and
 * its figures. */
#include <gantry/data.h>
#include <gantry/io.h>
#include <gantry/message.h>
#include <gantry/module.h>
#include <gantry/threads.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Images of one kind, [image][row][column], without a body or without rays, in finite counts. Borrowed. */
typedef struct { const float *data; size_t images; } gt_field_images;

/* Members are only ever added at the end: who was built when there were fewer has the defaults of the others. */
typedef struct {
	size_t size;                    /* sizeof(gt_prepare_options), as gt_prepare_defaults says */
	int threads;                    /* 0: one per processor */
	gt_listener notes;              /* who is told what a step found and did: GT_ABOUT_DATA */
	gt_field_images flats, darks;   /* of the detector of the projections as they are given; images 0: none */
	const char *backend;            /* of steps that reconstruct: "cpu", "cuda:0"; NULL: "auto"; refused as by
	                                 * gt_backend_open(), whatever the step */
	/* Called by gt_prepare_auto() after each step that was done, with its name; another status than GT_OK ends it
	 * with that. NULL: nobody. */
	gt_status (*after)(void *self, const char *step, const gt_projections *p);
	void *after_self;
} gt_prepare_options;
GT_API extern const gt_prepare_options gt_prepare_defaults;

typedef struct gt_prepare_call gt_prepare_call;
/* What a step can work on: all projections alone; views, each by itself; rows of the detector in all views; both;
 * it takes some of the views. */
enum { GT_WHOLE = 0, GT_BY_VIEWS = 1, GT_BY_ROWS = 2, GT_PICKS_VIEWS = 4 };
/* One step. */
typedef struct {
	GT_MODULE_MEMBERS
	/* Works in place, or replaces the projections where their sizes change. */
	gt_status (*run)(gt_prepare_call *call, const void *options);
	/* Whether the projections need it: spec is then the step with its parameters, and why a sentence; else
	 * spec[0] is 0. NULL: nobody can tell from the projections alone. */
	gt_status (*advise)(gt_prepare_call *call, char *spec, char *why, size_t size);
	int chunks;                     /* GT_BY_VIEWS, ... */
	/* Before all pieces: what must be known of all projections, kept in the call; after them: notes. NULL:
	 * nothing. */
	gt_status (*look)(gt_prepare_call *call, const void *options);
	void      (*tell)(gt_prepare_call *call);
	/* The scan that comes of `in`; view[] is the list of views that are taken. NULL: it stays as it is. */
	gt_status (*reshape)(gt_prepare_call *call, const void *options, const gt_scan *in, size_t *view, gt_scan **out);
	/* Does it give weights, by what is known? NULL: no. */
	int       (*weighs)(const void *known);
} gt_preparation;
GT_API extern const gt_preparation *const gt_preparations[];   /* in the order in which they belong; NULL-terminated */
GT_API extern const gt_module_kind gt_preparation_kind;

/* One step, by its text: "rings:method=gain". *p must own its values, and is replaced where sizes change (crop,
 * bin, views); what pointed into it is then no longer valid. The record of *p gets the step with all of its
 * parameters. o NULL: defaults. GT_ERR_UNKNOWN, GT_ERR_ARG: the text; GT_ERR_UNSUPPORTED: the step cannot do this
 * scan; GT_ERR_FORMAT: values that it cannot be right for; NaN and infinity are refused by every step, as in files,
 * before it begins. After a failure *p is valid, its values are undefined. */
GT_API gt_status gt_prepare(gt_projections **p, const char *spec, const gt_prepare_options *o);
/* What projections need, step by step as gt_preparations has them: each that is needed is told in a note, with its
 * reason, and done. *steps, which may be NULL: how many were. */
GT_API gt_status gt_prepare_auto(gt_projections **p, const gt_prepare_options *o, size_t *steps);

/* Projections from file to file, in pieces, for what is larger than memory: steps that work on views and then steps
 * that work on rows, with the next piece read and the one before written meanwhile. The values are those, to the bit,
 * that gt_prepare() has; a step that marks pixels may give weights of 1 where that has none. */
typedef struct {
	size_t size;                    /* sizeof(gt_prepare_files), as gt_prepare_files_defaults says */
	const char *input, *output;     /* what gt_view_reader_open() and gt_view_writer_create() take */
	const gt_read_options *read;    /* NULL: defaults */
	const char *const *spec;        /* steps, in this order */
	size_t specs;
	const char *command;            /* for the record; may be NULL */
	double memory;                  /* bytes that this may take, about; 0: 900 MB */
	int (*progress)(void *self, double done);       /* non-zero stops; NULL: nobody asks */
	void *progress_self;
} gt_prepare_files;
GT_API extern const gt_prepare_files gt_prepare_files_defaults;
/* GT_ERR_UNSUPPORTED: the input, the output or a step (flatness, the order of the steps) takes all projections at
 * once; nothing was written then. */
GT_API gt_status gt_prepare_in_chunks(const gt_prepare_files *files, const gt_prepare_options *o);

/* Fields of the whole detector -> those of `part` of it, which a crop left: *data has [image][row][column] of the part,
 * for gt_free(); NULL where there are no images. GT_ERR_ARG: it is no part of it, as after a bin. */
GT_API gt_status gt_prepare_crop_fields(const gt_scan *whole, const gt_scan *part, const gt_field_images *fields, float **data);
/* The detector's gain from its fields: counts per photon, from the variance of the differences of successive flat
 * fields, each scaled to their common mean, less that of the dark fields. images of both >= 2; pixels: of an image.
 * photons: mean number in a pixel of a flat field (may be NULL). GT_ERR_ARG: too few images; GT_ERR_FORMAT: no
 * light in them. */
GT_API gt_status gt_detector_gain(const gt_field_images *flats, const gt_field_images *darks, size_t pixels, double *gain, double *photons);
/* Bad pixels by their fields, after the rules of docs/commands.md: bad[row][column] is 1 for hot, dead, weak or
 * noisy ones; NULL fields: images 0. *found: how many (may be NULL). GT_ERR_ARG: neither flat nor dark fields;
 * GT_ERR_MEMORY. */
GT_API gt_status gt_bad_pixels_of_fields(const gt_field_images *flats, const gt_field_images *darks, size_t rows, size_t columns,
                                         unsigned char *bad, size_t *found);

/* What a detector measures of a body of several materials by the rays of a spectrum: line[i] = -ln of the mean over
 * the spectrum of exp(-sum over k of mu_k(E)/density_k integral[k][i]).
 * spectrum: as the step beam-hardening takes it, "kv=120,aluminium=3" or "spectrum=FILE,energy-weighted=no".
 * material[k]: "water", "bone", ... or a file, as there. integral[k]: of the density, relative to water, in mm; of a
 * material from a file, whose density is not known, of 1 where it is. The pool may be NULL. GT_ERR_UNKNOWN,
 * GT_ERR_ARG, GT_ERR_IO, GT_ERR_FORMAT: spectrum or material. */
GT_API gt_status gt_mix_spectrum(const char *spectrum, const char *const *material, size_t materials, const float *const *integral,
                                 size_t n, gt_pool *pool, float *line);

#ifdef __cplusplus
}
#endif
#endif
