#ifndef GT_APPS_STUDY_TUNER_H
#define GT_APPS_STUDY_TUNER_H
/* `gantry study tuner`: searchers on logs of `gantry tune`, and tables II and III of Papenhausen, Zheng, Mueller,
 * "Creating optimal code for GPU-accelerated CT reconstruction using ant colony optimization", Med. Phys. 40 (2013)
 * 031110 beside ours. */
#include <gantry/tune.h>
#include "apps/study/study.h"

/* Its tables. */
enum { TUNER_GAINS = STUDY_OWN, TUNER_STRATEGIES, TUNER_CURVES, TUNER_TABLE_2, TUNER_TABLE_3, TUNER_SUCCESS };
enum { TUNER_SEEDS = 20, TUNER_EVALUATIONS = 600, TUNER_PUBLISHED = 150, TUNER_MAX_LOGS = 200 };
enum { TUNER_PAPER_VIEWS = 364, TUNER_CLAIMS = 4 };      /* of its table III; on each log */

/* Over the best of the log, medians after TUNER_PUBLISHED programs, INFINITY: none was right; how many of TUNER_SEEDS
 * searches are within 3 %, ants after TUNER_PROGRAMS, auto after TUNER_PUBLISHED. */
typedef struct { double published, random, ants, automatic; } tuner_success;
typedef struct {
	gt_tune_log *log;
	char name[96];                  /* of the file, without .txt */
	gt_tune_log_facts facts;
	double published_ms;            /* ants:as-published after TUNER_PUBLISHED programs, the median */
	tuner_success success;
} tuner_log;
typedef struct {
	tuner_log log[TUNER_MAX_LOGS];
	int logs;
	char claim[512];
	int held[TUNER_CLAIMS], all_hold; /* logs */
} tuner_findings;
static inline tuner_findings *tuner_found(const study *s) { return (tuner_findings *)s->own; }

/* Logs of that folder, by name; others are passed over. GT_ERR_ARG: there is none. */
gt_status tuner_read_logs(const char *folder, tuner_findings *f);
/* Searches on the GPU, by this program in processes of their own, into logs of the study's folder. */
gt_status tuner_search(study *s, tuner_findings *f);
/* Whether searchers did what they are held to: the table's head, a row, the report's part. */
void      tuner_success_heads(study_table *t);
void      tuner_add_success(study_table *t, const tuner_log *l, tuner_findings *f);
void      tuner_success_part(const study *s, study_page *p);
gt_status tuner_figures(study *s);
void      tuner_parts(const study *s, study_page *p);
#endif
