/* File texts are shown as valid UTF-8, truncated between characters.
 * labels: unit, backend: none */
#include <string.h>
#include "core/text.h"
#include "tests/support/support.h"

GT_TEST(only_utf8_is_shown)
{
	static const struct {
		const char *text, *shown;
		size_t size;
	} all[] = {
		{ "plain\ttext\n", "plain\ttext\n", 64 },
		{ "a\x01\x1b[2J\x7f z", "a??[2J? z", 64 },
		{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10 },
		{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac", 9 },
		{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9", 5 },
		{ "\xc3\xa9", "", 2 },
		{ "\xc3", "?", 64 },
		{ "\xe2\x82", "??", 64 },
		{ "\xe2\x82x", "??x", 64 },
		{ "\x80\xff", "??", 64 },
		{ "\xc0\xaf \xe0\x80\xaf \xf0\x80\x80\xaf", "?? ??? ????", 64 },
		{ "\xed\xa0\x80 \xf4\x90\x80\x80", "??? ????", 64 },
		{ "\xc2\x9b\xc2\xa0", "?\xc2\xa0", 64 },
		/* the right-to-left override, an isolate, a mark; right-to-left letters remain */
		{ "a\xe2\x80\xae"
		  "b\xe2\x81\xa6"
		  "c\xe2\x80\x8f"
		  "d\xd8\x9c",
		  "a?b?c?d?", 64 },
		{ "\xd7\x90\xe2\x80\x93", "\xd7\x90\xe2\x80\x93", 64 },
		{ "", "", 1 },
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char out[64];
		memset(out, 'x', sizeof out);
		gt_utf8_shown(all[i].text, strlen(all[i].text), out, all[i].size);
		ck_assert_msg(!strcmp(out, all[i].shown), "text %zu is shown as '%s'", i, out);
	}
}

GT_TEST(one_word_of_a_command)
{
	static const struct {
		const char *text, *word;
		size_t size;
	} all[] = {
		{ "scans/a-1_2.nc", "scans/a-1_2.nc", 2 }, { "my scan", "'my scan'", 64 },   { "", "''", 64 },
		{ "it's; $x", "'it'\\''s; $x'", 64 },      { "\xc3\xa9", "'\xc3\xa9'", 64 }, { "too long for it", "too long for it", 12 },
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char out[64];
		const char *word = gt_shell_word(all[i].text, out, all[i].size);
		ck_assert_msg(!strcmp(word, all[i].word), "'%s' becomes %s", all[i].text, word);
	}
}

int main(void) { return gt_test_main("utf8", NULL); }
