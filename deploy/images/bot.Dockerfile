# This image has the service bot, which makes the decisions of bots. deploy/images/README.md says
# how the image is built.
FROM scratch
COPY root/ /
USER 65532:65532
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s \
  CMD ["/tarot-bot", "--check", "127.0.0.1:7103"]
ENTRYPOINT ["/tarot-bot"]
