#ifndef GT_TUNER_RULE_H
#define GT_TUNER_RULE_H
/* Rules of a space: integers, + - * / %, comparisons, && ||, parentheses. */
#include "tuner/space.h"
gt_status gt_rule_read(const gt_space *s, const char *text, const char *about, gt_rule *r);
/* Evaluates r for the values of pick; layers after r->last are not read. Division by 0 gives 0. */
long      gt_rule_value(const gt_space *s, const gt_rule *r, const uint8_t *pick);
#endif
