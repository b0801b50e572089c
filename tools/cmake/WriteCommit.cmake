# Writes FILE, which defines the commit of SOURCE, unless FILE has this content already. A package that is
# built without git sets the environment variable TAROT_COMMIT.
set(commit "$ENV{TAROT_COMMIT}")
if(commit STREQUAL "")
  execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(commit STREQUAL "")
  set(commit unknown)
endif()
set(text "extern \"C\" {\nextern const char tarot_commit[];\nconst char tarot_commit[] = \"${commit}\";\n}\n")
set(before "")
if(EXISTS ${FILE})
  file(READ ${FILE} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${FILE} "${text}")
endif()
