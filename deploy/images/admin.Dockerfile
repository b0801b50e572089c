# This image has the service admin, which operators call. deploy/images/README.md says how the image
# is built.
FROM scratch
COPY root/ /
USER 65532:65532
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s \
  CMD ["/tarot-admin", "--check", "127.0.0.1:7107"]
ENTRYPOINT ["/tarot-admin"]
