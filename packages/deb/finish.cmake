# What the .deb holds beside an installation: what Debian wants to know of a package, and names by
# which man finds the pages. cpack includes this after it has installed into a folder of its own.
set(root ${CPACK_TEMPORARY_DIRECTORY})
set(prefix ${CPACK_PACKAGING_INSTALL_PREFIX})
set(doc ${root}/usr/share/doc/gondwana)

function(write_compressed path text)
  file(WRITE ${path} "${text}")
  execute_process(COMMAND gzip -9nf ${path} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(write_copyright)
  file(READ ${GONDWANA_SOURCE}/LICENSE license)
  string(REGEX MATCH "Copyright[^\n]*" owners "${license}")
  string(REGEX REPLACE "Copyright *(\\(c\\))? *" "" owners "${owners}")
  string(REGEX REPLACE "^.*Copyright[^\n]*\n+" "" license "${license}")
  string(REGEX REPLACE "\n\n" "\n.\n" license "${license}")
  string(STRIP "${license}" license)
  string(REPLACE "\n" "\n " license "${license}")
  file(WRITE ${doc}/copyright
       "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
       "Upstream-Name: Gondwana\n\n"
       "Files: *\nCopyright: ${owners}\nLicense: BSD-3-Clause\n ${license}\n")
endfunction()

# The project's own changes, and those of the package, which is made anew for each version.
function(write_changelogs)
  file(READ ${GONDWANA_SOURCE}/CHANGELOG.md changes)
  write_compressed(${doc}/changelog "${changes}")
  file(TIMESTAMP ${GONDWANA_SOURCE}/CHANGELOG.md day "%a, %d %b %Y %H:%M:%S +0000" UTC)
  set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
  write_compressed(${doc}/changelog.Debian
                   "gondwana (${version}) unstable; urgency=medium

  * Made by ./dev package from the sources of version ${CPACK_PACKAGE_VERSION}.

 -- ${CPACK_PACKAGE_CONTACT}  ${day}
")
endfunction()

# A page that is only a reference to another becomes a link to that one: cpack looks at every file.
function(link_page number page)
  file(STRINGS ${page} first LIMIT_COUNT 1)
  get_filename_component(name ${page} NAME_WLE)
  get_filename_component(target ${page} NAME)
  if(first MATCHES "^\\.so man[0-9]/(.+)$")
    set(target ${CMAKE_MATCH_1})
    file(REMOVE ${page})
  endif()
  file(CREATE_LINK ${prefix}/share/man/man${number}/${target}.gz
       ${root}/usr/share/man/man${number}/${name}.${number}gondwana.gz SYMBOLIC)
endfunction()

# The section 3gondwana, say, keeps the names apart from the pages of other implementations.
function(link_manual)
  foreach(number 1 3 5 7)
    file(GLOB pages ${root}${prefix}/share/man/man${number}/*.${number})
    file(MAKE_DIRECTORY ${root}/usr/share/man/man${number})
    foreach(page IN LISTS pages)
      link_page(${number} ${page})
    endforeach()
    file(GLOB pages ${root}${prefix}/share/man/man${number}/*.${number})
    execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endfunction()

# Shells look below /usr/share for completions.
function(link_completions)
  foreach(names bash-completion/completions/gondwana=bash-completion/completions/gondwana
                zsh/site-functions/_gondwana=zsh/vendor-completions/_gondwana
                fish/vendor_completions.d/gondwana.fish=fish/vendor_completions.d/gondwana.fish)
    string(REGEX MATCH "^(.+)=(.+)$" matched ${names})
    set(link ${root}/usr/share/${CMAKE_MATCH_2})
    set(target ${prefix}/share/${CMAKE_MATCH_1})
    get_filename_component(folder ${link} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK ${target} ${link} SYMBOLIC)
  endforeach()
endfunction()

# Of executables and shared libraries cpack takes the symbols for the second package.
function(strip_archives)
  file(GLOB archives ${root}${prefix}/lib/*.a)
  foreach(archive IN LISTS archives)
    if(NOT IS_SYMLINK ${archive})
      execute_process(COMMAND ${GONDWANA_STRIP} --strip-debug ${archive} COMMAND_ERROR_IS_FATAL ANY)
    endif()
  endforeach()
endfunction()

if(CPACK_GENERATOR STREQUAL DEB)
  write_copyright()
  write_changelogs()
  link_manual()
  link_completions()
  strip_archives()
endif()
