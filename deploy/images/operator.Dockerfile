# This image has the programs of operators (tarotctl, tarot-apply-queues and tarot-start-season),
# the queues, and the numbers of the ladder.
FROM scratch
COPY root/ /
USER 65532:65532
ENTRYPOINT ["/tarotctl"]
