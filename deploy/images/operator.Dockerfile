# The programs of operators: tarotctl, tarot-apply-queues and tarot-start-season, with the queues
# and the numbers of the ladder.
FROM scratch
COPY root/ /
USER 65532:65532
ENTRYPOINT ["/tarotctl"]
