/* Writes DICOM files from a memory buffer. DCMTK ignores failures when it closes its own files, so a full disk left
 * empty files without an error. */
#include <cerrno>
#include <cstring>
#include <vector>
#include <fcntl.h>
#include <unistd.h>
#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dcostrmb.h>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/dcmdata/dcwcache.h>
#include "io/dicom/dicom.h"
#include "io/free_space.h"

static bool all_written(int file, const char *from, size_t bytes)
{
	while (bytes) {
		const ssize_t done = write(file, from, bytes);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		from += done;
		bytes -= (size_t)done;
	}
	return true;
}

static OFCondition write_to(DcmFileFormat &f, int file, bool &whole)
{
	std::vector<char> room(1 << 20);
	DcmOutputBufferStream out(room.data(), (offile_off_t)room.size());
	DcmWriteCache cache;
	OFCondition c = EC_StreamNotifyClient;
	f.transferInit();
	while (whole && c == EC_StreamNotifyClient) {
		void *from = nullptr;
		offile_off_t bytes = 0;
		c = f.write(out, EXS_LittleEndianExplicit, EET_UndefinedLength, &cache, EGL_recalcGL);
		out.flush();
		out.flushBuffer(from, bytes);
		whole = all_written(file, (const char *)from, (size_t)bytes);
	}
	f.transferEnd();
	return c;
}

gt_status gt_dicom_write(void *format, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
	if (file < 0)
		return gt_fail_writing(name, path, errno, NULL);
	bool whole = true;
	const OFCondition c = write_to(*(DcmFileFormat *)format, file, whole);
	const int why = whole ? 0 : errno;
	close(file);
	return whole && c.good() ? GT_OK : gt_fail_writing(name, path, why, c.text());
}
