#ifndef GT_APPS_STUDY_TUNER_H
#define GT_APPS_STUDY_TUNER_H
/* `gantry study tuner`: search strategies on logs of `gantry tune`. Tables II and III are from Papenhausen, Zheng,
 * Mueller, "Creating optimal code for GPU-accelerated CT reconstruction using ant colony optimization", Med. Phys. 40
 * (2013) 031110. */
#include "apps/study/study.h"
#include "tuner/tuner.h"

/* Tables of the study. */
enum { TUNER_GAINS = STUDY_OWN, TUNER_STRATEGIES, TUNER_CURVES, TUNER_TABLE_2, TUNER_TABLE_3, TUNER_SUCCESS };
enum { TUNER_SEEDS = 20, TUNER_EVALUATIONS = 600, TUNER_PUBLISHED = 150, TUNER_MAX_LOGS = 200 };
enum { TUNER_PAPER_VIEWS = 364, TUNER_CLAIMS = 4 };      /* views of the paper's table III; criteria per log */

/* Medians over the best of the log after TUNER_PUBLISHED evaluations, INFINITY if none was correct. Numbers of
 * searches within 3 %, of TUNER_SEEDS: ants after TUNER_EVALUATIONS, climb after TUNER_PUBLISHED. */
typedef struct { double published, random, ants, climb; } tuner_success;
typedef struct {
	gt_tune_log *log;
	char name[96];                  /* file name without .txt */
	gt_tune_log_facts facts;
	double published_ms;            /* ants:as-published after TUNER_PUBLISHED evaluations, the median */
	tuner_success success;
} tuner_log;
typedef struct {
	tuner_log log[TUNER_MAX_LOGS];
	int logs;
	char claim[512];
	int held[TUNER_CLAIMS], all_hold; /* numbers of logs */
} tuner_findings;
static inline tuner_findings *tuner_found(const study *s) { return (tuner_findings *)s->own; }

/* Reads the logs of that folder in order of their names and ignores other files. GT_ERR_ARG: there is none. */
gt_status tuner_read_logs(const char *folder, tuner_findings *f);
/* Searches on the GPU, by child processes of this program, into logs of the study's folder. */
gt_status tuner_search(study *s, tuner_findings *f);
#endif
