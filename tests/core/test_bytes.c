/* Memory sizes to text and back.
 * labels: unit backend: none */
#include <string.h>
#include "core/text.h"
#include "tests/support/support.h"

GT_TEST(text)
{
	static const struct {
		double bytes;
		const char *text;
	} all[] = {
		{ 0, "0 bytes" },        { 1, "1 bytes" },        { 999, "999 bytes" }, { 1023, "1023 bytes" },
		{ 1023.5, "1 KiB" },     { 1024, "1 KiB" },       { 1536, "1.5 KiB" },  { 618496, "604 KiB" },
		{ 1048064, "1 MiB" },    { 1048063, "1023 KiB" }, { 1048576, "1 MiB" }, { 12.34 * 1048576, "12.3 MiB" },
		{ 1073741824, "1 GiB" }, { 1e12, "931 GiB" },     { 1e13, "9313 GiB" }, { 99.96 * 1024, "100 KiB" },
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char out[GT_BYTES_TEXT];
		const char *got = gt_bytes_text(all[i].bytes, out);
		ck_assert_ptr_eq(got, out);
		ck_assert_msg(!strcmp(got, all[i].text), "%.17g: '%s', expected '%s'", all[i].bytes, got, all[i].text);
	}
}

GT_TEST(parse)
{
	static const struct {
		const char *text;
		double bytes;
	} all[] = {
		{ "17", 17 },      { "17B", 17 },       { "1e9", 1e9 },          { "500MB", 5e8 },         { "2kB", 2e3 },
		{ "3GB", 3e9 },    { "4TB", 4e12 },     { "4GiB", 4294967296. }, { "1.5K", 1536 },         { "1KiB", 1024 },
		{ "2M", 2097152 }, { "2mib", 2097152 }, { "1G", 1073741824 },    { "1T", 1099511627776. }, { "1TiB", 1099511627776. },
	};
	static const char *const bad[] = { "", "GiB", "-1", "0", "nan", "inf", "4GiBB", "4 GiB", "4X" };
	double bytes;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		ck_ok(gt_bytes_parse("memory", all[i].text, &bytes));
		ck_assert_msg(bytes == all[i].bytes, "%s: %.17g, expected %.17g", all[i].text, bytes, all[i].bytes);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		bytes = -5;
		ck_refused(gt_bytes_parse("memory", bad[i], &bytes), GT_ERR_ARG, "memory=");
		ck_assert(bytes == -5);
	}
}

int main(void) { return gt_test_main("bytes", NULL); }
