/* Without DCMTK or its data dictionary, DICOM is refused before any work; the message names the missing part.
 * labels: unit, backend: none */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <gantry/io.h>
#include "io/dicom/dicom.h"
#include "tests/support/support.h"

static char folder[64], path[96], made[96];
static const char *missing;

static void setup(void)
{
	gt_test_folder(folder);
	snprintf(path, sizeof path, "%s/000001.dcm", folder);
	snprintf(made, sizeof made, "%s/made/", folder);
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	for (int i = 0; i < 128; i++)
		putc(0, f);
	fputs("DICM", f);
	fclose(f);
}

static void teardown(void)
{
	unlink(path);
	gt_test_folder_remove(folder);
}

GT_TEST(single_files)
{
	gt_dicom *d;
	ck_refused(gt_dicom_ready(), GT_ERR_UNSUPPORTED, missing);
	ck_refused(gt_dicom_new(&d), GT_ERR_UNSUPPORTED, missing);
	ck_assert_ptr_null(d);
	ck_refused(gt_dicom_open(path, &d), GT_ERR_UNSUPPORTED, missing);
	ck_assert_ptr_nonnull(strstr(gt_error(), "000001.dcm: "));
	ck_assert_ptr_null(d);
	ck_assert_int_eq(gt_dicom_is(path), 1);
}

/* The message names the missing part, not the contents. */
GT_TEST(folders)
{
	gt_write_options o = gt_write_defaults;
	gt_projections *p = NULL;
	gt_volume *v = NULL;
	int projections;
	ck_refused(gt_file_kind(folder, NULL, &projections), GT_ERR_UNSUPPORTED, missing);
	ck_refused(gt_read_projections(folder, NULL, &p), GT_ERR_UNSUPPORTED, missing);
	ck_assert_ptr_nonnull(strstr(gt_error(), folder));
	ck_refused(gt_read_volume(folder, NULL, &v), GT_ERR_UNSUPPORTED, missing);
	ck_assert(!p && !v);
	o.format = "dicom-ct-pd";
	ck_refused(gt_can_write_projections(made, &o), GT_ERR_UNSUPPORTED, missing);
	ck_refused(gt_can_write_volume(made, NULL), GT_ERR_UNSUPPORTED, missing);
	ck_assert_int_ne(access(made, F_OK), 0);
}

/* DCMTK reads the dictionary once per process. */
static int tried_with(const char *dictionary, const char *why)
{
	static char text[256];
	int status = 0;
	fflush(NULL);
	const pid_t child = fork();
	if (child == 0) {
		setenv("DCMDICTPATH", dictionary, 1);
		/* some builds of DCMTK contain the dictionary */
		if (gt_dicom_ready() == GT_OK) {
			puts("skipped: this DCMTK always has its data dictionary");
			exit(77);
		}
		snprintf(text, sizeof text, "%s (looked for: %s)", why, dictionary);
		missing = strstr(gt_error(), "built without") ? "install libdcmtk-dev" : text;
		exit(gt_test_main_with("dicom_missing", setup, teardown));
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* A missing dictionary, and two truncated ones: before the first entry and after it. */
int main(void)
{
	static const char *const entries[] = { "# nothing yet\n", "(0002,0001)\tOB\tFileMetaInformationVersion\t1\tDICOM\n" };
	char name[] = "/tmp/gantry-dictionary-XXXXXX";
	const int file = mkstemp(name);
	int code = file < 0 ? 1 : tried_with("/nowhere/dicom.dic", "was not found");
	for (size_t i = 0; i < 2 && code == 0; i++) {
		const size_t n = strlen(entries[i]);
		code = write(file, entries[i], n) == (ssize_t)n ? tried_with(name, "could not be read whole") : 1;
	}
	if (file >= 0) {
		close(file);
		unlink(name);
	}
	return code;
}
