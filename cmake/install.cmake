# Installation. Public headers keep their folders, so that users write #include <gantry/recon.h>.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/gantry DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev FILES_MATCHING PATTERN "*.h")

install(TARGETS libgantry EXPORT gantry
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/gantry)
install(EXPORT gantry NAMESPACE gantry:: FILE gantry-targets.cmake DESTINATION ${package} COMPONENT dev)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/gantry-config.cmake.in gantry-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(gantry-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gantry-config.cmake ${PROJECT_BINARY_DIR}/gantry-config-version.cmake DESTINATION ${package} COMPONENT dev)

if(NOT BUILD_SHARED_LIBS)
	set(pc_requires "netcdf hdf5 fftw3 fftw3f cairo libtiff-4 zlib libcjson expat")
	if(nifti)
		set(pc_libs "${NIFTI_LIBRARY} ${ZNZ_LIBRARY} -lz")
	endif()
	if(mpi)
		string(JOIN " " mpi_libs ${MPI_C_LIBRARIES})
		string(APPEND pc_libs " ${mpi_libs}")
	endif()
	if(cuda)
		string(APPEND pc_libs " -L${CUDAToolkit_LIBRARY_DIR} -lcudart -ldl -lstdc++")
	endif()
	if(dicom)
		string(APPEND pc_libs " ${DCMTK_DATA} ${DCMTK_LOG} ${DCMTK_STD} -lstdc++")
	endif()
endif()
file(RELATIVE_PATH pc_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/gantry.pc.in gantry.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gantry.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE
	DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
# The site of ./run docs, if it was built.
install(DIRECTORY ${PROJECT_BINARY_DIR}/html DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc OPTIONAL PATTERN "*.map" EXCLUDE PATTERN "sitemap.xml*" EXCLUDE)
