/* Compiles a kernel of the library by NVRTC for one architecture, never to PTX, which an older driver could not read.
 * Stubs replace system headers, from which device code needs only the names of integers. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "core/text.h"
#include "core/try.h"
#include "core/variant/sources.h"
#include "core/variant/symbols.h"
#include "core/variant/variant.h"

typedef void *program;
static struct {
	int (*version)(int *major, int *minor);
	int (*create)(program *p, const char *source, const char *name, int headers, const char *const *text, const char *const *names);
	int (*destroy)(program *p);
	int (*compile)(program p, int options, const char *const *option);
	int (*image_size)(program p, size_t *size);
	int (*image)(program p, char *image);
	int (*log_size)(program p, size_t *size);
	int (*log)(program p, char *log);
	int (*add_name)(program p, const char *expression);
	int (*name)(program p, const char *expression, const char **name);
} nvrtc;
static char why[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const gt_symbol symbols[] = {
	{ "nvrtcVersion", &nvrtc.version },
	{ "nvrtcCreateProgram", &nvrtc.create },
	{ "nvrtcDestroyProgram", &nvrtc.destroy },
	{ "nvrtcCompileProgram", &nvrtc.compile },
	{ "nvrtcGetCUBINSize", &nvrtc.image_size },
	{ "nvrtcGetCUBIN", &nvrtc.image },
	{ "nvrtcGetProgramLogSize", &nvrtc.log_size },
	{ "nvrtcGetProgramLog", &nvrtc.log },
	{ "nvrtcAddNameExpression", &nvrtc.add_name },
	{ "nvrtcGetLoweredName", &nvrtc.name },
};

static void open_once(void)
{
	static const char *const libraries[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL };
	const enum gt_symbols_found found = gt_symbols_open(libraries, symbols, sizeof symbols / sizeof *symbols);
	if (found == GT_SYMBOLS_NO_LIBRARY)
		gt_snprintf(why, sizeof why,
		            "NVRTC is not there (libnvrtc.so of CUDA 12 or 13, which compiles kernels): using the built-in kernels");
	else if (found == GT_SYMBOLS_MISSING)
		gt_snprintf(why, sizeof why,
		            "this NVRTC lacks functions that compile kernels (CUDA 12 or 13 has them): using the built-in kernels");
}

const char *gt_variant_no_compiler(void)
{
	pthread_once(&once, open_once);
	return *why ? why : NULL;
}

/* Types that kernels need from system headers. The compiler or the first stub defines size_t and fixed-width
 * integers. */
static const char integers[] =
	"#pragma once\ntypedef signed char int8_t;\ntypedef unsigned char uint8_t;\ntypedef short int16_t;\n"
	"typedef unsigned short uint16_t;\ntypedef int int32_t;\ntypedef unsigned int uint32_t;\ntypedef long long int64_t;\n"
	"typedef unsigned long long uint64_t;\ntypedef unsigned long uintptr_t;\n#define INT32_MAX 2147483647\n"
	"#define UINT64_C(x) x##ull\n";
/* Descriptor of tensor copies, opaque. */
static const char driver[] = "#pragma once\ntypedef struct alignas(64) { unsigned long long opaque[16]; } CUtensorMap;\n";
static const struct {
	const char *name, *text;
} system_headers[] = {
	{ "stdint.h", integers }, { "cuda.h", driver }, { "cuda_runtime.h", "" },
	{ "math.h", "" },         { "stddef.h", "" },   { "stdio.h", "typedef struct gt_no_file FILE;\n" },
	{ "stdlib.h", "" },
};
enum { SYSTEM = sizeof system_headers / sizeof *system_headers, MAX_HEADERS = 128, MAX_OPTIONS = 40 };

/* First line of the log that reports an error. */
static gt_status failed(program p, const gt_variant_code *code)
{
	size_t size = 0;
	char *log = NULL;
	const char *line = "no message";
	if (!nvrtc.log_size(p, &size) && size > 1 && (log = malloc(size + 1)) && !nvrtc.log(p, log)) {
		log[size] = 0;
		char *at = strstr(log, "error");
		while (at && at > log && at[-1] != '\n')
			at--;
		line = at ? at : log;
		log[(line - log) + strcspn(line, "\n")] = 0;
	}
	const gt_status st = gt_fail(GT_ERR_UNSUPPORTED, "%s does not compile: %s", code->instance, line);
	free(log);
	return st;
}

static gt_status take(program p, const gt_variant_code *code, char **name, void **image, size_t *bytes)
{
	const char *lowered = NULL;
	if (nvrtc.name(p, code->instance, &lowered) || nvrtc.image_size(p, bytes) || *bytes == 0)
		return gt_fail(GT_ERR_UNSUPPORTED, "NVRTC gives no code for %s", code->instance);
	*name = strdup(lowered);
	*image = malloc(*bytes);
	if (!*name || !*image || nvrtc.image(p, *image)) {
		free(*name);
		free(*image);
		*name = NULL;
		*image = NULL;
		return gt_fail(GT_ERR_MEMORY, "no memory for compiled code of %zu bytes", *bytes);
	}
	return GT_OK;
}

static const char *source_of(const char *name)
{
	for (const struct gt_kernel_file *f = gt_kernel_files; f->name; f++)
		if (!strcmp(f->name, name))
			return f->text;
	return NULL;
}

static const char *planted_from, *planted_to;

void gt_variant_plant(const char *from, const char *to)
{
	planted_from = from;
	planted_to = to;
}
const char *gt_variant_planted(void) { return planted_from ? planted_to : ""; }

/* The compiled source, with an expression for its shared memory appended; the caller frees it. */
static char *text_of(const char *source, const char *bytes)
{
	const char *at = planted_from ? strstr(source, planted_from) : source, *to = planted_from ? planted_to : "";
	if (!at)
		return NULL;
	return gt_text("%.*s%s%s\n%s%s%s", (int)(at - source), source, to, at + (planted_from ? strlen(planted_from) : 0),
	               bytes ? "extern \"C\" __device__ unsigned " GT_VARIANT_BYTES " = " : "", bytes ? bytes : "", bytes ? ";\n" : "");
}

gt_status gt_variant_compile(const gt_variant_code *code, const char *arch, char **name, void **image, size_t *bytes)
{
	const char *names[MAX_HEADERS], *texts[MAX_HEADERS], *option[MAX_OPTIONS];
	const char *found = source_of(code->source);
	char architecture[40], *source = NULL;
	int headers = 0, options = 0;
	program p = NULL;
	gt_status st = GT_OK;
	*name = NULL;
	*image = NULL;
	if (gt_variant_no_compiler())
		return gt_fail(GT_ERR_UNSUPPORTED, "%s", gt_variant_no_compiler());
	if (!found)
		return gt_fail(GT_ERR_ARG, "no source %s in the library", code->source);
	if (!(source = text_of(found, code->bytes)))
		return gt_fail(GT_ERR_MEMORY, "no memory for the source %s, or the text to replace does not occur in it", code->source);
	for (int i = 0; i < SYSTEM; i++, headers++) {
		names[headers] = system_headers[i].name;
		texts[headers] = system_headers[i].text;
	}
	for (const struct gt_kernel_file *f = gt_kernel_files; f->name && headers < MAX_HEADERS; f++, headers++) {
		names[headers] = f->name;
		texts[headers] = f->text;
	}
	gt_snprintf(architecture, sizeof architecture, "-arch=%s", arch);
	option[options++] = architecture;
	option[options++] = "-default-device";
	option[options++] = "-std=c++17";
	for (const char *const *m = code->macros; *m && options < MAX_OPTIONS; m++)
		option[options++] = *m;
	if (nvrtc.create(&p, source, code->source, headers, texts, names) || nvrtc.add_name(p, code->instance))
		GT_TRY(gt_fail(GT_ERR_UNSUPPORTED, "NVRTC refuses %s", code->instance));
	if (nvrtc.compile(p, options, option))
		GT_TRY(failed(p, code));
	GT_TRY(take(p, code, name, image, bytes));
done:
	if (p)
		nvrtc.destroy(&p);
	free(source);
	return st;
}
