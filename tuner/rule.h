#ifndef GT_TUNER_RULE_H
#define GT_TUNER_RULE_H
/* Rules of a space: whole numbers, + - * / %, comparisons, && ||, parentheses. */
#include "tuner/space.h"
gt_status gt_rule_read(const gt_space *s, const char *text, const char *about, gt_rule *r);
/* Of the values that a pick has; layers after r->last are not looked at. A division by 0 is 0. */
long      gt_rule_value(const gt_space *s, const gt_rule *r, const uint8_t *pick);
#endif
