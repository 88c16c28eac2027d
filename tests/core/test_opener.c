/* User files must be regular files, and opening one never blocks.
 * labels: unit, backend: none */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "core/files/opener.h"
#include "tests/support/support.h"

static char folder[] = "openerXXXXXX";

static void setup(void)
{
	strcpy(folder, "openerXXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void teardown(void)
{
	static const char *const name[] = { "file", "pipe", "socket", "link", "to_pipe", "nowhere" };
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		unlink(name[i]);
	ck_assert_int_eq(chdir(".."), 0);
	rmdir(folder);
}

static void write_file(const char *text) { gt_test_write("file", text); }

static void is_refused(const char *path, const char *why)
{
	int file;
	FILE *f;
	char start[4];
	ck_refused(gt_file_open(path, &file, NULL), GT_ERR_IO, why);
	ck_assert_int_eq(file, -1);
	ck_assert_ptr_nonnull(strstr(gt_error(), path));
	ck_refused(gt_file_check(path), GT_ERR_IO, why);
	ck_refused(gt_file_stream(path, &f, NULL), GT_ERR_IO, why);
	ck_assert_ptr_null(f);
	ck_refused(gt_file_text(path, 100, &f), GT_ERR_IO, why);
	ck_assert_ptr_null(f);
	ck_assert_uint_eq(gt_file_start(path, start, sizeof start), 0);
}

GT_TEST(only_regular_files)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "socket" };
	const int s = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(s, (struct sockaddr *)&at, sizeof at), 0);
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	ck_assert_int_eq(symlink("pipe", "to_pipe"), 0);
	ck_assert_int_eq(symlink("none", "nowhere"), 0);
	is_refused("pipe", ": is not a regular file but a pipe: expected a file");
	is_refused("to_pipe", "not a regular file but a pipe");
	is_refused("socket", "not a regular file but a socket");
	is_refused("/dev/zero", "not a regular file but a device");
	is_refused(".", "not a regular file but a folder");
	is_refused("none", ": No such file");
	is_refused("nowhere", ": No such file");
	close(s);
}

GT_TEST(files_and_links_are_read)
{
	static const char *const name[] = { "file", "link" };
	write_file("0123456789");
	ck_assert_int_eq(symlink("file", "link"), 0);
	for (size_t i = 0; i < 2; i++) {
		char text[16] = "";
		size_t bytes = 0;
		int file;
		FILE *f;
		ck_ok(gt_file_open(name[i], &file, &bytes));
		ck_assert_uint_eq(bytes, 10);
		ck_assert_int_ne(fcntl(file, F_GETFD) & FD_CLOEXEC, 0);
		close(file);
		ck_ok(gt_file_stream(name[i], &f, &bytes));
		ck_assert_uint_eq(fread(text, 1, 16, f), 10);
		fclose(f);
		ck_assert_str_eq(text, "0123456789");
		ck_assert_uint_eq(gt_file_start(name[i], text, 3), 3);
		ck_assert_uint_eq(gt_file_part(name[i], 7, text, 16), 3);
		ck_assert_int_eq(memcmp(text, "789", 3), 0);
		ck_ok(gt_file_text(name[i], 10, &f));
		fclose(f);
		ck_refused(gt_file_text(name[i], 9, &f), GT_ERR_FORMAT, "has 10 bytes: expected a text of at most 9 bytes");
		ck_assert_ptr_null(f);
	}
}

int main(void) { return gt_test_main_with("opener", setup, teardown); }
