# The probe: a player from outside who tries the door. deploy/images/README.md says how the image is
# built.
FROM scratch
COPY root/ /
USER 65532:65532
ENTRYPOINT ["/tarot-probe"]
