# Checks the required libraries before any is used: one message names all that are missing, with the packages that contain them.
# Columns: module of pkg-config, then packages of Debian and Ubuntu, of Fedora, of conda-forge.
set(required_libraries
	"netcdf libnetcdf-dev netcdf-devel libnetcdf"
	"hdf5 libhdf5-dev hdf5-devel hdf5"
	"fftw3f libfftw3-dev fftw-devel fftw"
	"cairo libcairo2-dev cairo-devel cairo"
	"libtiff-4>=4.5 libtiff-dev libtiff-devel libtiff"
	"libcjson libcjson-dev cjson-devel cjson"
	"zlib zlib1g-dev zlib-devel zlib"
	"expat libexpat1-dev expat-devel expat")

function(gantry_check_libraries)
	find_package(ZLIB QUIET)
	find_package(HDF5 QUIET COMPONENTS C)
	foreach(row IN LISTS required_libraries)
		separate_arguments(row)
		list(GET row 0 module)
		if(module STREQUAL "hdf5")
			set(GANTRY_LIBRARY_FOUND ${HDF5_FOUND})
		else()
			pkg_check_modules(GANTRY_LIBRARY QUIET ${module})
		endif()
		if(NOT GANTRY_LIBRARY_FOUND)
			list(GET row 1 2 3 packages)
			list(APPEND missing ${module})
			foreach(system IN ITEMS debian fedora conda)
				list(POP_FRONT packages package)
				string(APPEND ${system} " ${package}")
			endforeach()
		endif()
		unset(GANTRY_LIBRARY_FOUND CACHE)
	endforeach()
	if(GANTRY_PYTHON)
		if(NOT SKBUILD AND CMAKE_VERSION VERSION_LESS 3.26)
			list(APPEND missing "CMake 3.26 ('pip install .' or 'pip install cmake' brings it)")
		endif()
		find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.SABIModule)
		if(NOT Python_FOUND)
			list(APPEND missing "Python.h (Python 3.10 or later)")
			string(APPEND debian " python3-dev")
			string(APPEND fedora " python3-devel")
			string(APPEND conda " python")
		endif()
	endif()
	if(NOT PKG_CONFIG_FOUND)
		list(PREPEND missing pkg-config)
	endif()
	if(missing)
		list(JOIN missing ", " missing)
		message(FATAL_ERROR "Required libraries not found: ${missing}. Install them with one of:\n"
			"  apt-get install pkg-config${debian}        (Debian, Ubuntu)\n"
			"  dnf install pkgconf-pkg-config${fedora}        (Fedora)\n"
			"  conda install -c conda-forge pkg-config${conda}\n"
			"If they are in another prefix, set PKG_CONFIG_PATH to its lib/pkgconfig and CMAKE_PREFIX_PATH to the prefix.")
	endif()
endfunction()
