#ifndef GT_CORE_MODULE_H
#define GT_CORE_MODULE_H
/* Lists of modules, and errors that name the nearest of several names. */
#include <stddef.h>
#include <gantry/module.h>
#ifdef __cplusplus
extern "C" {
#endif

/* A list of modules: its name, the word for a module in messages, and its modules; NULL past the last. */
typedef struct {
	const char *name, *word;
	const gt_module *(*nth)(size_t i);
} gt_module_kind;
/* The lists, each defined by its module. */
extern const gt_module_kind gt_projector_kind, gt_analytic_kind, gt_solver_kind, gt_regularizer_kind, gt_format_kind, gt_preparation_kind;

/* As gt_module_parse() and for names, in one list. */
const gt_module *gt_module_find(const gt_module_kind *kind, const char *name);          /* NULL if there is none */
gt_status gt_module_parse_kind(const gt_module_kind *kind, const char *spec, const gt_module **module, void **options);

/* GT_ERR_UNKNOWN "unknown WHAT 'NAME': did you mean ...?" with the nearest of the n names and all of them. */
gt_status gt_unknown_of(const char *what, const char *name, const char *const *names, size_t n);
gt_status gt_unknown(const char *what, const char *name, const char *(*nth)(size_t i), size_t n);
/* Keeps the nearer of *best (NULL at first) and name, if name is within two letters of what was wanted; *distance
 * begins as (size_t)-1. */
void gt_nearer(const char *wanted, const char *name, const char **best, size_t *distance);

#ifdef __cplusplus
}
#endif
#endif
