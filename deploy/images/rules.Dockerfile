# The service rules: live tables. deploy/images/README.md says how the image is built.
FROM scratch
COPY root/ /
USER 65532:65532
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s \
  CMD ["/tarot-rules", "--check", "127.0.0.1:7101"]
ENTRYPOINT ["/tarot-rules"]
