#ifndef GT_CORE_VARIANT_VARIANT_H
#define GT_CORE_VARIANT_VARIANT_H
/* Kernel variants: NVRTC compiles the library's sources with other macro values, and the driver loads them. Both are
 * opened on first use and not linked; without them the built-in kernels, compiled by nvcc, remain. A variant is a text
 * "NAME=value NAME=value". */
#include <stddef.h>
#include <gantry/status.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	const char *kernel;     /* "dd-forward" */
	const char *about;      /* problem class: "NAME=value ..." */
	const char *built_in;   /* the built-in kernel as a variant */
} gt_variant_request;

/* Value of NAME in "NAME=value ..."; `otherwise` if it is missing. */
long gt_variant_value(const char *text, const char *name, long otherwise);

/* Writes the variant for the current CUDA device to text: the one of gt_variant_try(), else the cached one. */
enum { GT_VARIANT_NONE, GT_VARIANT_CACHED, GT_VARIANT_TRIED };
int gt_variant_find(const gt_variant_request *w, char *text, size_t size);
/* Operators that this thread creates later get this variant of the kernel. text NULL: the default; "": the built-in
 * kernel. Texts are not copied. */
void gt_variant_try(const char *kernel, const char *text);
/* Last request for this kernel in this thread; returns 0 if there was none. */
int gt_variant_asked(const char *kernel, char *about, char *built_in, size_t size);
/* "KERNEL[NAME=value,...]" of the last operator of this thread, separated by ";"; "" without a variant. kernel NULL: an
 * operator is about to be created. */
const char *gt_variant_taken(void);
void gt_variant_took(const char *kernel, const char *text);

/* Numeric parameters of a kernel's variants, terminated by NULL. Each is a macro, PREFIX NAME, unless own is set: then
 * only the host or a template uses it. */
typedef struct {
	const char *name;
	int min, max, own;
} gt_variant_number;
typedef struct {
	const char *kernel, *source, *prefix;
	const gt_variant_number *number;
} gt_variant_family;
enum { GT_VARIANT_NUMBERS = 16 };
/* "NAME=value NAME=value" */
void gt_variant_write(const gt_variant_family *f, const int *value, char *text, size_t size);
/* For the creation of an operator. value: numbers of the built-in kernel, replaced by the numbers of the variant for
 * this class. GT_ERR_UNSUPPORTED: a variant under evaluation exceeds the bounds; a cached one is then ignored. *found:
 * GT_VARIANT_NONE ... */
gt_status gt_variant_choose(const gt_variant_family *f, const char *about, int *value, int *found);
/* Call it after compilation with its status st. Records the variant as taken. A cached variant that failed is ignored
 * (GT_OK); one under evaluation is a failure. */
gt_status gt_variant_settle(const gt_variant_family *f, const int *value, int found, gt_status st);
/* Bins of problem sizes: powers of two and the values midway; up to 128 multiples of 8. */
int gt_variant_bin(double n);
int gt_variant_fine_bin(int n);

/* Code to compile: a source of the library and a template instance in it. macros: "-DA=1", terminated by NULL.
 * bytes: dynamic shared memory of a block, as an expression of the source; NULL: none. */
typedef struct {
	const char *source, *instance;
	const char *const *macros;
	const char *bytes;
} gt_variant_code;
typedef struct gt_variant gt_variant;
/* Compiles the code, or loads it from the cache. GT_ERR_UNSUPPORTED: no NVRTC or driver. shared_bytes: of a block, if
 * the code does not state it. */
gt_status gt_variant_new(const gt_variant_code *code, size_t shared_bytes, gt_variant **v);
/* Likewise with the macros of a family; bytes: as in gt_variant_code. */
gt_status gt_variant_build(const gt_variant_family *f, const int *value, const char *instance, const char *bytes, size_t shared_bytes,
                           gt_variant **v);
void gt_variant_free(gt_variant *v);
/* queue: a cudaStream_t. early: the kernel may start before the previous launch has ended. */
typedef struct {
	size_t blocks;
	unsigned threads[2];
	int early;
	void *queue;
} gt_variant_grid;
/* Returns 0, or the driver's error code. */
int gt_variant_launch(const gt_variant *v, const gt_variant_grid *grid, void **arguments);
/* Number of launches by this thread; tests use it. */
size_t gt_variant_launches(void);

/* Symbol with the value of gt_variant_code.bytes. */
#define GT_VARIANT_BYTES "gt_variant_bytes"
/* Only compiles, for example for "sm_90", without a device. *name: the kernel's name in the code. The caller frees
 * both. */
gt_status gt_variant_compile(const gt_variant_code *code, const char *arch, char **name, void **image, size_t *bytes);
/* Likewise, through the cache of compiled code. */
gt_status gt_variant_image(const gt_variant_code *code, const char *arch, char **name, void **image, size_t *bytes);
/* For tests with planted faults: compiles with `to` in place of `from`, which occurs once in the source; NULL:
 * unchanged. Texts are not copied. */
void gt_variant_plant(const char *from, const char *to);
const char *gt_variant_planted(void);
/* NULL if NVRTC can be used; else the reason. */
const char *gt_variant_no_compiler(void);
/* Name, architecture ("sm_90") and driver version of the current device. GT_ERR_UNSUPPORTED: no driver. */
gt_status gt_variant_device(char *name, size_t name_size, char arch[16], int *driver);
/* Maximum shared memory of a block on the current device in bytes; 0: no device. */
int gt_variant_max_shared(void);
#ifdef __cplusplus
}
#endif
#endif
