# This image has the service matchmaking, which keeps queues, rooms and friends.
# deploy/images/README.md says how the image is built.
FROM scratch
COPY root/ /
USER 65532:65532
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s \
  CMD ["/tarot-matchmaking", "--check", "127.0.0.1:7102"]
ENTRYPOINT ["/tarot-matchmaking"]
