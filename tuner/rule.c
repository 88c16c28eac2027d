/* Rules of spaces: a recursive-descent parser that produces steps for a stack machine. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "core/variant/variant.h"
#include "tuner/rule.h"

enum { NUMBER, LAYER, OPERATION, DEEP = 32 };
/* Lowest precedence first; all levels are left-associative. */
static const char *const levels[][5] = { { "||" }, { "&&" }, { "<=", ">=", "==", "!=" }, { "<", ">" }, { "+", "-" }, { "*", "/", "%" } };
enum { LEVELS = sizeof levels / sizeof *levels };

struct reader {
	const gt_space *space;
	const char *at, *about;
	gt_rule *rule;
	int depth;
	const char *wrong;
};

static void put(struct reader *r, int kind, long value)
{
	if (r->rule->n == GT_MAX_CODE)
		r->wrong = "the rule is too long";
	else
		r->rule->step[r->rule->n++] = (gt_rule_step){ kind, value };
}

static void skip(struct reader *r)
{
	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
}

static void read_name(struct reader *r)
{
	char name[32];
	size_t n = 0;
	for (; (isalnum((unsigned char)*r->at) || *r->at == '_') && n < sizeof name - 1; r->at++)
		name[n++] = *r->at;
	name[n] = 0;
	for (int i = 0; i < r->space->layers; i++)
		if (!strcmp(r->space->layer[i].name, name)) {
			r->rule->last = i > r->rule->last ? i : r->rule->last;
			put(r, LAYER, i);
			return;
		}
	const long none = -987654321, value = gt_variant_value(r->about, name, none);
	if (value == none)
		r->wrong = "unknown name: expected an earlier layer or a number of the problem";
	put(r, NUMBER, value);
}

static void read_level(struct reader *r, int level);

static void read_value(struct reader *r)
{
	skip(r);
	if (*r->at == '(' && r->depth < DEEP) {
		r->at++;
		r->depth++;
		read_level(r, 0);
		r->depth--;
		skip(r);
		if (*r->at != ')')
			r->wrong = "expected )";
		else
			r->at++;
	} else if (isdigit((unsigned char)*r->at)) {
		put(r, NUMBER, strtol(r->at, (char **)&r->at, 10));
	} else if (isalpha((unsigned char)*r->at)) {
		read_name(r);
	} else {
		r->wrong = "expected a number, a name or (";
	}
}

/* Returns 0 if no operator of this level follows. */
static int operation_at(const struct reader *r, int level)
{
	for (int i = 0; i < 5 && levels[level][i]; i++) {
		const size_t n = strlen(levels[level][i]);
		if (!strncmp(r->at, levels[level][i], n) && !(n == 1 && strchr("<>", *r->at) && r->at[1] == '='))
			return level * 5 + i + 1;
	}
	return 0;
}

static void read_level(struct reader *r, int level)
{
	if (level == LEVELS) {
		read_value(r);
		return;
	}
	read_level(r, level + 1);
	for (skip(r); !r->wrong; skip(r)) {
		const int operation = operation_at(r, level);
		if (!operation)
			return;
		r->at += strlen(levels[level][(operation - 1) % 5]);
		read_level(r, level + 1);
		put(r, OPERATION, operation - 1);
	}
}

gt_status gt_rule_read(const gt_space *s, const char *text, const char *about, gt_rule *rule)
{
	struct reader r = { s, text, about, rule, 0, NULL };
	rule->n = rule->last = 0;
	gt_snprintf(rule->text, sizeof rule->text, "%s", text);
	read_level(&r, 0);
	skip(&r);
	if (!r.wrong && *r.at)
		r.wrong = "expected its end";
	return r.wrong ? gt_fail(GT_ERR_FORMAT, "space of %s: rule \"%s\": %s, at \"%s\"", s->kernel, text, r.wrong, r.at) : GT_OK;
}

static long compute(const char *operation, long a, long b)
{
	switch (operation[0]) {
	case '|':
		return a || b;
	case '&':
		return a && b;
	case '<':
		return operation[1] ? a <= b : a < b;
	case '>':
		return operation[1] ? a >= b : a > b;
	case '=':
		return a == b;
	case '!':
		return a != b;
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '/':
		return b ? a / b : 0;
	default:
		return b ? a % b : 0;
	}
}

long gt_rule_value(const gt_space *s, const gt_rule *r, const uint8_t *pick)
{
	long stack[GT_MAX_CODE];
	int n = 0;
	for (int i = 0; i < r->n; i++) {
		const gt_rule_step *t = &r->step[i];
		if (t->kind == NUMBER) {
			stack[n++] = t->value;
		} else if (t->kind == LAYER) {
			stack[n++] = s->layer[t->value].value[pick[t->value]];
		} else {
			n--;
			stack[n - 1] = compute(levels[t->value / 5][t->value % 5], stack[n - 1], stack[n]);
		}
	}
	return stack[0];
}
