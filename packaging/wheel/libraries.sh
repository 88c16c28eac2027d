#!/bin/bash
# libraries.sh SOURCES FOLDER: builds what a wheel brings along, without network, X11 or programs, into FOLDER/prefix, for glibc 2.28 and later.
# As archives: they become part of libgantry, where nobody else's version of them is in the way, and nothing is searched for when it is loaded. FFTW alone
# stays a library beside it, which is under other terms.
# SOURCES holds the archives of sources.txt, which fetch.sh brings. FOLDER/bin holds the compilers that make_compilers.sh makes.
# Called again it goes on where it stopped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 2 ] || { echo "usage: $0 SOURCES FOLDER" >&2; exit 2; }
sources=$(cd "$1" && pwd)
folder=$(cd "$2" && pwd)
prefix=$folder/prefix
export CC=$folder/bin/cc CXX=$folder/bin/c++ AR=$folder/bin/ar RANLIB=$folder/bin/ranlib PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig
# Lists of symbols name some that not every system has.
export LDFLAGS=-Wl,--undefined-version
mkdir -p "$prefix" "$folder/source" "$folder/build"

# Unpacked anew each time that it is built: what was half done is of no use.
unpack() { # NAME
	local file
	file=$(awk -v name="$1" '$1 == name { print $2 }' "$here/sources.txt")
	rm -rf "$folder/source/$1" "$folder/build/$1"
	mkdir -p "$folder/source/$1"
	tar -xf "$sources/$file" -C "$folder/source/$1" --strip-components=1
}

by_cmake() { # NAME [OPTION ...]
	local name=$1
	shift
	# Some archives hold the library in a folder of its name.
	local from=$folder/source/$name
	[ -f "$from/CMakeLists.txt" ] || from=$from/$name
	cmake -G Ninja -S "$from" -B "$folder/build/$name" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" \
		-DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_FIND_ROOT_PATH="$prefix" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY \
		-DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=ONLY -DCMAKE_INSTALL_LIBDIR:STRING=lib -DCMAKE_AR="$AR" -DCMAKE_RANLIB="$RANLIB" \
		-DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF "$@"
	cmake --build "$folder/build/$name"
	cmake --install "$folder/build/$name"
}

by_meson() { # NAME [OPTION ...]
	local name=$1
	shift
	meson setup "$folder/source/$name" "$folder/build/$name" --prefix "$prefix" --libdir lib --default-library static --buildtype release --wrap-mode nodownload -Dtests=disabled "$@"
	ninja -C "$folder/build/$name" install
}

build() { # NAME
	case $1 in
	# Its files for CMake name one for Windows that Debian's archive leaves out; it makes a shared library as well.
	zlib) mkdir -p "$folder/source/zlib/win32" && : >"$folder/source/zlib/win32/zlib1.rc" && by_cmake zlib -DZLIB_BUILD_EXAMPLES=OFF -DINSTALL_PKGCONFIG_DIR="$prefix/lib/pkgconfig" && rm "$prefix"/lib/libz.so* ;;
	libpng1.6) by_cmake libpng1.6 -DPNG_TESTS=OFF -DPNG_TOOLS=OFF -DPNG_SHARED=OFF ;;
	pixman) by_meson pixman -Ddemos=disabled -Dgtk=disabled -Dlibpng=disabled -Dopenmp=disabled ;;
	cairo) by_meson cairo -Dpng=enabled -Dzlib=disabled -Dfontconfig=disabled -Dfreetype=disabled -Dglib=disabled -Dxlib=disabled -Dxcb=disabled \
		-Dxlib-xcb=disabled -Dspectre=disabled -Dsymbol-lookup=disabled -Dtee=disabled -Dlzo=disabled -Dgtk_doc=false -Dgtk2-utils=disabled -Dquartz=disabled ;;
	cjson) by_cmake cjson -DENABLE_CJSON_TEST=OFF -DENABLE_CJSON_UTILS=OFF ;;
	expat) by_cmake expat -DEXPAT_SHARED_LIBS=OFF -DEXPAT_BUILD_TESTS=OFF -DEXPAT_BUILD_EXAMPLES=OFF -DEXPAT_BUILD_TOOLS=OFF -DEXPAT_BUILD_DOCS=OFF ;;
	libjpeg-turbo) by_cmake libjpeg-turbo -DENABLE_SHARED=OFF -DWITH_TURBOJPEG=OFF -DWITH_SIMD=OFF ;;
	tiff) by_cmake tiff -Dtiff-tools=OFF -Dtiff-tests=OFF -Dtiff-contrib=OFF -Dtiff-docs=OFF -Dtiff-opengl=OFF -Dcxx=OFF -Dlzma=OFF -Dzstd=OFF -Dwebp=OFF -Djbig=OFF \
		-Dlerc=OFF -Dlibdeflate=OFF ;;
	# A filter's transforms take little of any method: its hundreds of pieces are not made for every kind of processor.
	fftw3)
		by_cmake fftw3 -DBUILD_SHARED_LIBS=ON -DENABLE_SSE2=ON -DBUILD_TESTS=OFF -DDISABLE_FORTRAN=ON
		rm -rf "$folder/build/fftw3"
		by_cmake fftw3 -DBUILD_SHARED_LIBS=ON -DENABLE_FLOAT=ON -DENABLE_SSE2=ON -DBUILD_TESTS=OFF -DDISABLE_FORTRAN=ON
		;;
	hdf5) by_cmake hdf5 -DHDF5_BUILD_EXAMPLES=OFF -DHDF5_BUILD_TOOLS=OFF -DHDF5_BUILD_CPP_LIB=OFF -DHDF5_BUILD_HL_LIB=ON -DHDF5_ENABLE_SZIP_SUPPORT=OFF \
		-DHDF5_ENABLE_Z_LIB_SUPPORT=ON -DHDF5_ENABLE_NONSTANDARD_FEATURE_FLOAT16=OFF ;;
	netcdf)
		by_cmake netcdf -DNETCDF_ENABLE_DAP=OFF -DNETCDF_ENABLE_BYTERANGE=OFF -DNETCDF_ENABLE_NCZARR=OFF -DNETCDF_BUILD_UTILITIES=OFF -DNETCDF_ENABLE_TESTS=OFF \
		-DNETCDF_ENABLE_PLUGINS=OFF -DNETCDF_ENABLE_FILTER_TESTING=OFF -DNETCDF_ENABLE_FILTER_SZIP=OFF -DNETCDF_ENABLE_LIBXML2=OFF -DNETCDF_ENABLE_EXAMPLES=OFF
		# Its file for pkg-config names targets of CMake.
		sed -i 's/-lHDF5::HDF5 -lhdf5::hdf5_hl/-lhdf5_hl -lhdf5/' "$prefix/lib/pkgconfig/netcdf.pc"
		# DCMTK brings a function of that name as well.
		objcopy --redefine-sym strlcpy=netcdf_strlcpy "$prefix/lib/libnetcdf.a"
		;;
	nifticlib) by_cmake nifticlib -DNIFTI_BUILD_APPLICATIONS=OFF -DUSE_NIFTICDF_CODE=OFF -DNIFTI_BUILD_TESTING=OFF -DNIFTI_SYSTEM_MATH_LIB=m -DCMAKE_C_FLAGS="-I$prefix/include" ;;
	dcmtk)
		# Its libraries that read and write; its dictionary lies within.
		by_cmake dcmtk -DDCMTK_MODULES='ofstd;oflog;oficonv;dcmdata' -DBUILD_APPS=OFF -DDCMTK_WITH_OPENSSL=OFF -DDCMTK_WITH_XML=OFF \
			-DDCMTK_WITH_ICONV=OFF -DDCMTK_WITH_TIFF=OFF -DDCMTK_WITH_PNG=OFF -DDCMTK_WITH_OPENJPEG=OFF -DDCMTK_WITH_SNDFILE=OFF -DDCMTK_WITH_WRAP=OFF \
			-DDCMTK_WITH_ZLIB=ON -DDCMTK_DEFAULT_DICT=builtin -DDCMTK_ENABLE_BUILTIN_OFICONV_DATA=ON -DDCMTK_ENABLE_CXX11=ON
		;;
	*) echo "libraries.sh: sources.txt names $1, which it cannot build" >&2; exit 1 ;;
	esac
}

for name in $(awk '!/^#/ { print $1 }' "$here/sources.txt"); do
	[ ! -e "$folder/done-$name" ] || continue
	echo "libraries.sh: $name"
	unpack "$name"
	# In the background, where the first step that fails ends it.
	build "$name" >"$folder/log-$name" 2>&1 &
	wait $! || { tail -30 "$folder/log-$name" >&2; echo "libraries.sh: $name cannot be built: see $folder/log-$name" >&2; exit 1; }
	touch "$folder/done-$name"
done
