# Debian and Ubuntu packages by CPack: `./run package` configures with GANTRY_DEBIAN=ON, builds and calls cpack. One per component:
#   runtime: libgantry0.2, named by the soname   dev: libgantry-dev   command: gantry   doc: gantry-doc
# Address of the packager: DEBFULLNAME, DEBEMAIL, as for Debian's tools.
set(GANTRY_MAINTAINER "The Gantry developers <gantry@localhost>" CACHE STRING "who made the packages: name <address>")
set(soname ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gantry)
set(CPACK_PACKAGE_CONTACT "${GANTRY_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL runtime dev command doc)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
# The shlibs file for dependent packages, and a trigger for ldconfig; by default cpack writes scripts.
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs "libgantry ${soname} libgantry${soname} (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs ${CMAKE_CURRENT_LIST_DIR}/debian/triggers)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/finish.cmake)
set(same "(= ${PROJECT_VERSION}-1)")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libgantry${soname})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Analytic and iterative reconstruction of volumes from X-ray projections,
of cone, fan and parallel beams, on circles, helices and any other orbit.
This package has the shared library.")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libgantry-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libgantry${soname} ${same}")
set(CPACK_COMPONENT_DEV_DESCRIPTION "Analytic and iterative reconstruction of volumes from X-ray projections.
This package has the headers, and the files for CMake and pkg-config.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME gantry)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "libgantry${soname} ${same}")
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "fonts-dejavu-core, gnuplot-nox")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS gantry-doc)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "Turns X-ray projections of clinical, laboratory and synchrotron scanners into
volumes: analytically (FDK, filtered backprojection of parallel and helical
scans) or iteratively with less noise, by projectors whose backprojections
are exactly their transposes. Simulates scans, mends and calibrates measured
ones, shows and compares volumes.")
set(CPACK_DEBIAN_DOC_PACKAGE_NAME gantry-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOC_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DOC_DESCRIPTION "Analytic and iterative reconstruction of volumes from X-ray projections.
This package has the guide and the references of the command, of the C
library and of the Python package, as pages that need no network.")
include(CPack)
