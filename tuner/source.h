#ifndef GT_TUNER_SOURCE_H
#define GT_TUNER_SOURCE_H
/* A user's source file as a search space: the super source file of Papenhausen, Zheng, Mueller, Med. Phys. 40 (2013)
 * 031110, section V. Lines that begin with "// tune" describe the graph (docs/guide/tuning.md); all other lines are
 * code. A choice becomes a layer whose values are the indices of its alternatives, and edges become rules. */
#include "tuner/space.h"
#include "tuner/tuner.h"
#ifdef __cplusplus
extern "C" {
#endif
typedef struct gt_source gt_source;
/* GT_ERR_IO, or GT_ERR_FORMAT with the line. */
gt_status gt_source_read(const char *path, gt_source **s);
void      gt_source_free(gt_source *s);
/* Candidates; the first one is the baseline: the first valid alternatives and values. */
gt_space *gt_source_space(gt_source *s);
/* Writes the program of a candidate. GT_ERR_IO. */
gt_status gt_source_write(const gt_source *s, size_t candidate, const char *path);
/* Writes "BLOCK=128 LOAD=shared" for a text of gt_space_text(). */
void      gt_source_words(const gt_source *s, const char *variant, char *words, size_t size);

/* Evaluates candidates by a command of the user: exit code 0 means correct; the last line is a time in ms. */
typedef struct gt_source_check gt_source_check;
/* source is not owned. o: check, limit, and source for the name of the file. */
gt_status gt_source_check_new(const gt_tune_options *o, gt_source *source, gt_source_check **c);
void      gt_source_check_free(gt_source_check *c);
/* A gt_try (tuner/child.h). built_in_ms is 0 without pairs. */
void      gt_source_check_try(void *self, const char *variant, gt_tune_evaluation *t);
/* Number of alternating measurements with the baseline; 0: times the variant alone, once. */
void      gt_source_check_pairs(gt_source_check *c, int pairs);
#ifdef __cplusplus
}
#endif
#endif
