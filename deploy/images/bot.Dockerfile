# The service bot: the decisions of bots. deploy/images/README.md says how the image is built.
FROM scratch
COPY root/ /
USER 65532:65532
ENTRYPOINT ["/tarot-bot"]
