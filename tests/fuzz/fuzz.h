#ifndef GT_TESTS_FUZZ_H
#define GT_TESTS_FUZZ_H
/* Common parts of the harnesses. Each passes bytes from a fuzzer to one reader. It ends the process on a crash, a
 * hang, a failure without a message, or results that Gantry's own checks refuse. With clang and GANTRY_FUZZ a
 * harness is a fuzzer (libFuzzer); else a program that reads files again, for every compiler. */
#include <stddef.h>
#include <stdint.h>
#include <gantry/io.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* A harness may mutate inputs itself. LLVMFuzzerMutate() mutates like libFuzzer and is NULL without it. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* The remaining input. */
typedef struct {
	const uint8_t *data;
	size_t size;
} gt_fuzz_input;

/* A temporary folder of this process, if possible in shared memory; removed at the end. */
const char *gt_fuzz_folder(void);
void        gt_fuzz_clear(void);
/* Writes a new file in the folder; the path is valid for four calls. */
const char *gt_fuzz_file(const char *name, const void *data, size_t size);
/* Writes the next part of the input, after its length in three bytes, to a file; NULL if nothing remains. */
const char *gt_fuzz_part(gt_fuzz_input *in, const char *name);
unsigned    gt_fuzz_byte(gt_fuzz_input *in);            /* the next byte, 0 at the end */
double      gt_fuzz_number(gt_fuzz_input *in);          /* eight bytes as they are, or an extreme number */
char       *gt_fuzz_text(gt_fuzz_input *in);            /* the input up to a zero byte; the caller frees it */

/* Ends the process with this message unless is_true. */
void gt_fuzz_must(int is_true, const char *sentence);
/* After a failure: checks that there is a message. */
void gt_fuzz_failed(void);
/* Reads a file as a volume and as projections, if the format has them: whole, in parts, and the geometry alone.
 * Returns 1 if one succeeds. */
int  gt_fuzz_read(const gt_format *format, const char *path, const gt_read_options *o);
/* Largest allocation (bytes) for a volume, if the harness knows it. */
extern double gt_fuzz_max_memory;
void gt_fuzz_check_scan(const gt_scan *scan);
void gt_fuzz_check_grid(const gt_grid *grid);
#endif
