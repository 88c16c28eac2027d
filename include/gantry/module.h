#ifndef GANTRY_MODULE_H
#define GANTRY_MODULE_H
/* Modules: projectors, analytic methods, solvers, regularizers, file formats and preparation steps. Each has a name, a
 * description and a table of parameters. */
#include <gantry/author/params.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Every type of module begins with these members, so that a pointer to it is also a pointer to its gt_module.
 * Without parameters params is NULL. The parameters fill a struct of options_size bytes, such as defaults. */
#define GT_MODULE_MEMBERS                                                      \
	const char     *name, *about;                                          \
	const gt_param *params;                                                \
	const void     *defaults;                                              \
	size_t          options_size;
typedef struct {
	GT_MODULE_MEMBERS
} gt_module;

/* Module i of a kind: "projector", "analytic", "solver", "regularizer", "format", or "method" for solvers and analytic
 * methods together. NULL past the last one, and for an unknown kind. */
GT_API const gt_module *gt_modules(const char *kind, size_t i);
/* spec: "NAME" or "NAME:key=value,...". *options is a copy of the defaults with these values, for gt_free(); NULL where
 * the module has no parameters, and after a failure. GT_ERR_UNKNOWN names what was probably meant; GT_ERR_ARG names
 * module, key and value, also of a key that is given twice. */
GT_API gt_status gt_module_parse(const char *kind, const char *spec, const gt_module **module, void **options);
/* "NAME:key=value,..." of all parameters, or "NAME" where there are none; options NULL: the defaults. For gt_free();
 * NULL without memory. */
GT_API char     *gt_module_print(const gt_module *module, const void *options);

/* Frees what the library gave out as new memory: options, texts. NULL is nothing. */
GT_API void gt_free(void *memory);

#ifdef __cplusplus
}
#endif
#endif
