# This image has the service ratings, which keeps ratings and the ladder. deploy/images/README.md
# says how the image is built.
FROM scratch
COPY root/ /
USER 65532:65532
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s \
  CMD ["/tarot-ratings", "--check", "127.0.0.1:7104"]
ENTRYPOINT ["/tarot-ratings"]
