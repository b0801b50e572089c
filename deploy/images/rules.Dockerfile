# This image has the service rules, which runs live tables. deploy/images/README.md says how the
# image is built.
FROM scratch
COPY root/ /
# The folder of the archive. A new volume at this path gets its owner and mode.
COPY --chown=65532:65532 state/ /
USER 65532:65532
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s \
  CMD ["/tarot-rules", "--check", "127.0.0.1:7101"]
ENTRYPOINT ["/tarot-rules"]
