/* DICOM files through DCMTK's dcmdata (Eichelberg et al., "Ten years of medical imaging standardization and
 * prototypical implementation", Proc. SPIE 5371, 2004). */
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>
#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dcfcache.h>
#include <dcmtk/dcmdata/dcspchrs.h>
#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/oflog/oflog.h>
#include "core/text.h"
#include "io/dicom/dicom.h"

/* Bytes; longer values are read on request: the samples, but not the photons of the columns. */
#define READ_AT_ONCE 65536

/* Functional groups of multi-frame files: per frame, and shared. */
static const DcmTagKey of_frames(0x5200, 0x9230), of_all_frames(0x5200, 0x9229);

struct gt_dicom {
	std::string path;
	DcmFileFormat file;
	DcmFileCache cache;
	std::vector<DcmItem *> frames;
	DcmItem *frame = nullptr, *all_frames = nullptr;
	DcmDataset &data() { return *file.getDataset(); }
};

static void hush(void)
{
	static std::once_flag once;
	std::call_once(once, [] { OFLog::configure(OFLogger::OFF_LOG_LEVEL); });
}

static const char *dictionary_path(void)
{
	const char *path = getenv("DCMDICTPATH");
	if (path && *path)
		return path;
#ifdef DCM_DICT_DEFAULT_PATH
	return DCM_DICT_DEFAULT_PATH;
#else
	return "the folders of DCMTK";
#endif
}

/* Converts exceptions to a status, since the callers are C. */
template <typename F> static gt_status guarded(const char *path, F body)
{
	try {
		return body();
	} catch (const std::bad_alloc &) {
		return gt_fail(GT_ERR_MEMORY, "%s: out of memory", path);
	} catch (const std::exception &e) {
		return gt_fail(GT_ERR_IO, "%s: %s", path, e.what());
	}
}

/* Without its complete, sorted dictionary DCMTK silently takes header elements for data. */
gt_status gt_dicom_ready(void)
{
	return guarded("DICOM", [] {
		hush();
		const bool loaded = dcmDataDict.isDictionaryLoaded(), head = DcmTag(DCM_FileMetaInformationVersion).error().good();
		if (loaded && head && DcmTag(DCM_PixelData).error().good())
			return GT_OK;
		return gt_fail(
			GT_ERR_UNSUPPORTED,
			"DCMTK's data dictionary, which DICOM needs, %s (looked for: %s): it comes with DCMTK's library (Debian, Ubuntu: "
			"the package libdcmtk17 or the like); if it is elsewhere, set DCMDICTPATH to the path of dicom.dic",
			loaded ? "could not be read whole" : "was not found", dictionary_path());
	});
}

static gt_status bad(gt_status st, const gt_dicom *d, const gt_dicom_tag *tag, const char *why)
{
	return gt_fail(st, "%s: (%04X,%04X) %s: %s", d->path.c_str(), tag->group, tag->element, tag->name, why);
}

static gt_status checked(const gt_dicom *d, const gt_dicom_tag *tag, const OFCondition &c)
{
	return c.good() ? GT_OK : bad(GT_ERR_FORMAT, d, tag, c.text());
}

static DcmElement *find(gt_dicom *d, const gt_dicom_tag *tag)
{
	const DcmTagKey key(Uint16(tag->group), Uint16(tag->element));
	DcmElement *e = nullptr;
	if (d->frame && d->frame->findAndGetElement(key, e, OFTrue).good())
		return e;
	if (d->all_frames && d->all_frames->findAndGetElement(key, e, OFTrue).good())
		return e;
	return d->data().findAndGetElement(key, e).good() ? e : nullptr;
}

/* Private values of files with implicit VR are bytes, interpreted by the tag's own VR. */
static bool is_unknown(DcmElement *e)
{
	const DcmEVR vr = e->getVR();
	return vr == EVR_UN || vr == EVR_UNKNOWN || vr == EVR_UNKNOWN2B || vr == EVR_OB;
}

static bool is(const gt_dicom_tag *tag, const char *vr) { return !strcmp(tag->vr, vr); }

/* Bytes of one number; 0: a text VR. */
static size_t size_of(const gt_dicom_tag *tag)
{
	if (is(tag, "US") || is(tag, "SS"))
		return 2;
	if (is(tag, "FL") || is(tag, "UL") || is(tag, "SL"))
		return 4;
	return is(tag, "FD") ? 8 : 0;
}

/* A failed read is an error, not an empty text. */
static std::string text_of(DcmElement *e)
{
	std::string text;
	if (is_unknown(e)) {
		Uint8 *bytes = nullptr;
		if (e->getUint8Array(bytes).bad())
			throw std::runtime_error("a text cannot be read");
		if (bytes)
			text.assign(reinterpret_cast<const char *>(bytes), e->getLength());
	} else {
		OFString s;
		if (e->getOFStringArray(s).bad())
			throw std::runtime_error("a text cannot be read");
		text.assign(s.c_str(), s.length());
	}
	const std::string blank(" \t\0", 3);
	text.erase(text.find_last_not_of(blank) + 1);
	text.erase(0, text.find_first_not_of(blank));
	return text;
}

static bool number_in_text(const std::string &text, size_t i, double *value)
{
	size_t at = 0;
	for (; i; i--, at++)
		if ((at = text.find('\\', at)) == std::string::npos)
			return false;
	const std::string part = text.substr(at, text.find('\\', at) - at);
	char *end;
	*value = gt_strtod(part.c_str(), &end);
	return end != part.c_str() && end[strspn(end, " ")] == 0;
}

template <typename T> static bool number_in_bits(uint64_t bits, double *value)
{
	T x;
	unsigned char bytes[sizeof x];
	for (size_t b = 0; b < sizeof x; b++)
		bytes[b] = (unsigned char)(bits >> (8 * (gLocalByteOrder == EBO_LittleEndian ? b : sizeof x - 1 - b)));
	memcpy(&x, bytes, sizeof x);
	*value = double(x);
	return true;
}

/* Little-endian bytes. */
static bool number_in_bytes(DcmElement *e, const gt_dicom_tag *tag, size_t i, double *value)
{
	Uint8 *bytes = nullptr;
	const size_t size = size_of(tag);
	if (!e->getUint8Array(bytes).good() || !bytes || (i + 1) * size > e->getLength())
		return false;
	uint64_t bits = 0;
	for (size_t b = size; b-- > 0;)
		bits = bits << 8 | bytes[i * size + b];
	if (is(tag, "FL"))
		return number_in_bits<float>(bits, value);
	if (is(tag, "FD"))
		return number_in_bits<double>(bits, value);
	if (is(tag, "SS"))
		return number_in_bits<int16_t>(bits, value);
	if (is(tag, "SL"))
		return number_in_bits<int32_t>(bits, value);
	*value = double(bits);
	return true;
}

template <typename T> static bool got(DcmElement *e, OFCondition (DcmElement::*get)(T &, const unsigned long), size_t i, double *value)
{
	T x = 0;
	const bool good = (e->*get)(x, (unsigned long)i).good();
	*value = double(x);
	return good;
}

static bool number_at(DcmElement *e, const gt_dicom_tag *tag, size_t i, double *value)
{
	if (is_unknown(e))
		return size_of(tag) ? number_in_bytes(e, tag, i, value) : number_in_text(text_of(e), i, value);
	switch (e->getVR()) {
	case EVR_FL:
		return got(e, &DcmElement::getFloat32, i, value);
	case EVR_FD:
		return got(e, &DcmElement::getFloat64, i, value);
	case EVR_US:
		return got(e, &DcmElement::getUint16, i, value);
	case EVR_SS:
		return got(e, &DcmElement::getSint16, i, value);
	case EVR_UL:
		return got(e, &DcmElement::getUint32, i, value);
	case EVR_SL:
		return got(e, &DcmElement::getSint32, i, value);
	default:
		return number_in_text(text_of(e), i, value);
	}
}

static bool is_compressed(const DcmXfer &syntax)
{
#if PACKAGE_VERSION_NUMBER >= 368
	return syntax.isPixelDataCompressed();
#else
	return syntax.isEncapsulated();
#endif
}

gt_status gt_dicom_load(const char *path, gt_dicom **out)
{
	*out = nullptr;
	return guarded(path, [&] {
		if (gt_dicom_ready() != GT_OK)
			return gt_fail_in(GT_ERR_UNSUPPORTED, "%s", path);
		gt_dicom *d = new gt_dicom;
		d->path = path;
		const OFCondition c = d->file.loadFile(path, EXS_Unknown, EGL_noChange, READ_AT_ONCE, ERM_fileOnly);
		const gt_status st = c.good() ? gt_dicom_check_nesting(&d->file, path)
		                              : gt_fail(GT_ERR_FORMAT, "%s: cannot be read as DICOM, damaged or truncated: %s", path,
		                                        c.text());
		if (st != GT_OK)
			delete d;
		else
			*out = d;
		return st;
	});
}

void gt_dicom_close(gt_dicom *d) { delete d; }

gt_status gt_dicom_frame(gt_dicom *d, size_t frame)
{
	return guarded(d->path.c_str(), [&] {
		DcmSequenceOfItems *groups = nullptr;
		if (d->frames.empty() && d->data().findAndGetSequence(of_frames, groups).good())
			for (DcmObject *o = groups->nextInContainer(nullptr); o; o = groups->nextInContainer(o))
				d->frames.push_back(static_cast<DcmItem *>(o));
		if (d->frames.empty())
			return GT_OK;
		if (frame >= d->frames.size())
			return gt_fail(GT_ERR_FORMAT, "%s: (5200,9230) functional groups of %zu frames, expected those of frame %zu",
			               d->path.c_str(), d->frames.size(), frame + 1);
		d->frame = d->frames[frame];
		if (!d->all_frames && d->data().findAndGetSequenceItem(of_all_frames, d->all_frames).bad())
			d->all_frames = nullptr;
		return GT_OK;
	});
}

size_t gt_dicom_count(gt_dicom *d, const gt_dicom_tag *tag)
{
	DcmElement *e = find(d, tag);
	if (!e || e->getLength() == 0)
		return 0;
	return is_unknown(e) && size_of(tag) ? e->getLength() / size_of(tag) : e->getVM();
}

static gt_status numbers(gt_dicom *d, const gt_dicom_tag *tag, size_t first, size_t n, double *value)
{
	const size_t count = gt_dicom_count(d, tag);
	DcmElement *e = find(d, tag);
	char why[64];
	if (count == 0)
		return bad(GT_ERR_FORMAT, d, tag, "missing");
	snprintf(why, sizeof why, "%zu numbers, expected %zu", count, first + n);
	if (count < first + n)
		return bad(GT_ERR_FORMAT, d, tag, why);
	for (size_t i = first; i < first + n; i++)
		if (!number_at(e, tag, i, &value[i - first]) || !std::isfinite(value[i - first])) {
			snprintf(why, sizeof why, "value %zu is no finite number", i + 1);
			return bad(GT_ERR_FORMAT, d, tag, why);
		}
	return GT_OK;
}

gt_status gt_dicom_numbers(gt_dicom *d, const gt_dicom_tag *tag, size_t n, double *value)
{
	return guarded(d->path.c_str(), [&] { return numbers(d, tag, 0, n, value); });
}

gt_status gt_dicom_number(gt_dicom *d, const gt_dicom_tag *tag, size_t i, double *value)
{
	return guarded(d->path.c_str(), [&] { return numbers(d, tag, i, 1, value); });
}

/* Returns the text unchanged if conversion is unnecessary or impossible. */
static std::string in_utf8(gt_dicom *d, const std::string &text)
{
	DcmSpecificCharacterSet set;
	OFString converted;
	bool plain = true;
	for (const char c : text)
		plain = plain && c != '\033' && (unsigned char)c < 0x80;
	if (plain || set.selectCharacterSet(d->data()).bad() || set.convertString(text.data(), text.length(), converted, "\\^=").bad())
		return text;
	return std::string(converted.data(), converted.length());
}

gt_status gt_dicom_text(gt_dicom *d, const gt_dicom_tag *tag, char *text, size_t size)
{
	return guarded(d->path.c_str(), [&] {
		DcmElement *e = find(d, tag);
		if (!e)
			return bad(GT_ERR_FORMAT, d, tag, "missing");
		const std::string value = in_utf8(d, text_of(e));
		gt_utf8_shown(value.data(), value.length(), text, size);
		return GT_OK;
	});
}

gt_status gt_dicom_pixels(gt_dicom *d, size_t n, uint16_t *sample) { return gt_dicom_pixels_of(d, 1, 0, n, sample); }

gt_status gt_dicom_pixels_of(gt_dicom *d, size_t frames, size_t frame, size_t n, uint16_t *sample)
{
	static const gt_dicom_tag tag = { 0x7FE0, 0x0010, "OW", "samples" };
	return guarded(d->path.c_str(), [&] {
		DcmElement *e = nullptr;
		char why[64];
		if (d->data().findAndGetElement(DCM_PixelData, e).bad())
			return bad(GT_ERR_FORMAT, d, &tag, "missing");
		const DcmXfer syntax(d->data().getOriginalXfer());
		if (is_compressed(syntax))
			return gt_fail(GT_ERR_UNSUPPORTED, "%s: compressed as transfer syntax %s (%s): decompress it by gdcmconv --raw",
			               d->path.c_str(), syntax.getXferID(), syntax.getXferName());
		const size_t bytes = e->getLength();
		snprintf(why, sizeof why, "%zu found, expected %zu", bytes / 2, frames * n);
		if (bytes != 2 * frames * n)
			return bad(GT_ERR_FORMAT, d, &tag, why);
		if (!sample)
			return GT_OK;
		const OFCondition c = e->getPartialValue(sample, Uint32(2 * n * frame), Uint32(2 * n), &d->cache, gLocalByteOrder);
		return c.good() ? GT_OK : bad(GT_ERR_FORMAT, d, &tag, c.text());
	});
}

gt_status gt_dicom_new(gt_dicom **d)
{
	*d = nullptr;
	return guarded("DICOM", [&] {
		if (gt_dicom_ready() != GT_OK)
			return GT_ERR_UNSUPPORTED;
		*d = new gt_dicom;
		(*d)->path = "DICOM";
		return GT_OK;
	});
}

static DcmTag made(const gt_dicom_tag *tag) { return DcmTag(Uint16(tag->group), Uint16(tag->element), DcmVR(tag->vr)); }

template <typename T>
static gt_status put(gt_dicom *d, const gt_dicom_tag *tag, size_t n, const double *value,
                     OFCondition (DcmElement::*put_array)(const T *, const unsigned long))
{
	std::vector<T> x(n);
	DcmElement *e = nullptr;
	for (size_t i = 0; i < n; i++) {
		const double v = std::is_integral<T>::value ? std::floor(value[i] + 0.5) : value[i];
		if (!(v >= double(std::numeric_limits<T>::lowest()) && v <= double(std::numeric_limits<T>::max())))
			return bad(GT_ERR_ARG, d, tag, "a value is outside of the range of its representation");
		x[i] = T(v);
	}
	OFCondition c = d->data().insertEmptyElement(made(tag));
	if (c.good() && (e = find(d, tag)))
		c = (e->*put_array)(x.data(), (unsigned long)n);
	return checked(d, tag, c);
}

/* Uses the largest number of digits that fits into the 16 bytes of a decimal string. */
static std::string decimal(double x)
{
	char text[64];
	for (int digits = 15; digits > 0 && gt_snprintf(text, sizeof text, "%.*g", digits, x) > 16; digits--)
		;
	return text;
}

gt_status gt_dicom_put_numbers(gt_dicom *d, const gt_dicom_tag *tag, size_t n, const double *value)
{
	return guarded(d->path.c_str(), [&] {
		for (size_t i = 0; i < n; i++)
			if (!std::isfinite(value[i]))
				return bad(GT_ERR_ARG, d, tag, "a value is not finite");
		if (is(tag, "FL"))
			return put(d, tag, n, value, &DcmElement::putFloat32Array);
		if (is(tag, "FD"))
			return put(d, tag, n, value, &DcmElement::putFloat64Array);
		if (is(tag, "US"))
			return put(d, tag, n, value, &DcmElement::putUint16Array);
		if (is(tag, "SS"))
			return put(d, tag, n, value, &DcmElement::putSint16Array);
		if (is(tag, "UL"))
			return put(d, tag, n, value, &DcmElement::putUint32Array);
		if (is(tag, "SL"))
			return put(d, tag, n, value, &DcmElement::putSint32Array);
		std::string text;
		for (size_t i = 0; i < n; i++)
			text += (i ? "\\" : "") + decimal(value[i]);
		return checked(d, tag, d->data().putAndInsertString(made(tag), text.c_str()));
	});
}

gt_status gt_dicom_put_text(gt_dicom *d, const gt_dicom_tag *tag, const char *text)
{
	return guarded(d->path.c_str(), [&] { return checked(d, tag, d->data().putAndInsertString(made(tag), text)); });
}

gt_status gt_dicom_put_pixels(gt_dicom *d, size_t n, const uint16_t *sample)
{
	static const gt_dicom_tag tag = { 0x7FE0, 0x0010, "OW", "samples" };
	return guarded(d->path.c_str(),
	               [&] { return checked(d, &tag, d->data().putAndInsertUint16Array(made(&tag), sample, (unsigned long)n)); });
}

gt_status gt_dicom_save(gt_dicom *d, const char *path)
{
	return guarded(path, [&] { return gt_dicom_write(&d->file, path); });
}

gt_status gt_dicom_uid(char uid[GT_DICOM_UID])
{
	return guarded("DICOM", [&] {
		static std::mutex one_at_a_time;
		const std::lock_guard<std::mutex> lock(one_at_a_time);
		hush();
		dcmGenerateUniqueIdentifier(uid);
		return GT_OK;
	});
}
