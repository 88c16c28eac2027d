#ifndef GT_TESTS_FUZZ_H
#define GT_TESTS_FUZZ_H
/* What the harnesses share. Each reads bytes that a fuzzer invented as a file of one reader, and ends the process
 * where something is wrong that a reader may never do, whatever it is given: crash, hang, fail without a sentence,
 * hand out what its own checks refuse. With clang and GANTRY_FUZZ they are fuzzers (libFuzzer); else programs that
 * read files again, for every compiler. */
#include <stddef.h>
#include <stdint.h>
#include <gantry/io.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* A harness may change inputs itself; LLVMFuzzerMutate() does so as libFuzzer would, and is not there without it. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

/* What is left of the input. */
typedef struct {
	const uint8_t *data;
	size_t size;
} gt_fuzz_input;

/* A folder of this process, in memory where the system has that, empty when the input begins and removed at the end.
 * */
const char *gt_fuzz_folder(void);
void        gt_fuzz_clear(void);
/* The whole of it as a new file of that name in the folder; the path lasts until the fourth call after. */
const char *gt_fuzz_file(const char *name, const void *data, size_t size);
/* The next part of the input, which three bytes with its length precede, as a file; NULL where nothing is left. */
const char *gt_fuzz_part(gt_fuzz_input *in, const char *name);
unsigned    gt_fuzz_byte(gt_fuzz_input *in);            /* the next one; 0 when none is left */
double      gt_fuzz_number(gt_fuzz_input *in);          /* eight bytes as they are, or a number that is often wrong */
char       *gt_fuzz_text(gt_fuzz_input *in);            /* all that is left up to a zero byte; to be freed */

/* Ends the process with that sentence where it is not true. */
void gt_fuzz_must(int is_true, const char *sentence);
/* After a failure: there is a sentence. */
void gt_fuzz_failed(void);
/* Reads it as a volume and as projections, as far as the format can, whole, in pieces and the geometry alone. 1: one
 * of these could be read. */
int  gt_fuzz_read(const gt_format *format, const char *path, const gt_read_options *o);
/* Bytes that reading a volume may ask for at once, where a harness knows. */
extern double gt_fuzz_max_memory;
void gt_fuzz_check_scan(const gt_scan *scan);
void gt_fuzz_check_grid(const gt_grid *grid);
#endif
