#ifndef GANTRY_MODULE_H
#define GANTRY_MODULE_H
/* What projectors, analytic methods, solvers, regularizers and file formats have in common: a name, a line about it and
 * a table of parameters. */
#include <gantry/params.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Every type of module begins with these members, so that a pointer to one is a pointer to its gt_module too. params is
 * NULL where there are none; defaults is a struct of options_size bytes, which the parameters fill. */
#define GT_MODULE_MEMBERS                                                      \
	const char     *name, *about;                                          \
	const gt_param *params;                                                \
	const void     *defaults;                                              \
	size_t          options_size;
typedef struct {
	GT_MODULE_MEMBERS
} gt_module;

/* One list of modules of the library: its name, the word for one of them in messages and the modules, NULL after the
 * last. */
typedef struct {
	const char *name, *word;
	const gt_module *(*nth)(size_t i);
} gt_module_kind;

/* Module i of a kind: "projector", "analytic", "solver", "regularizer", "format", or "method" for solvers and analytic
 * methods together. NULL behind the last one, and of a kind that there is not. */
GT_API const gt_module *gt_modules(const char *kind, size_t i);
/* spec: "NAME" or "NAME:key=value,...". *options is a copy of the defaults with these values, for gt_free(); NULL where
 * the module has no parameters, and after a failure. GT_ERR_UNKNOWN names what was probably meant; GT_ERR_ARG names
 * module, key and value, also of a key that is given twice. */
GT_API gt_status gt_module_parse(const char *kind, const char *spec, const gt_module **module, void **options);
/* "NAME:key=value,..." of all parameters, or "NAME" where there are none; options NULL: the defaults. For gt_free();
 * NULL without memory. */
GT_API char     *gt_module_print(const gt_module *module, const void *options);

/* The same in one list, for rooms that hold it. */
GT_API const gt_module *gt_module_find(const gt_module_kind *kind, const char *name);          /* NULL if there is none */
GT_API gt_status gt_module_parse_kind(const gt_module_kind *kind, const char *spec, const gt_module **module, void **options);

/* Frees what the library gave out as new memory: options, texts. NULL is nothing. */
GT_API void gt_free(void *memory);

/* GT_ERR_UNKNOWN "unknown WHAT 'NAME': did you mean ...?" with the nearest of the n names and all of them. */
GT_API gt_status gt_unknown_of(const char *what, const char *name, const char *const *names, size_t n);
GT_API gt_status gt_unknown(const char *what, const char *name, const char *(*nth)(size_t i), size_t n);
/* Keeps the nearer of *best (NULL at first) and name, if name is within two letters of what was wanted; *distance
 * begins as (size_t)-1. */
GT_API void gt_nearer(const char *wanted, const char *name, const char **best, size_t *distance);

#ifdef __cplusplus
}
#endif
#endif
