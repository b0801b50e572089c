# This image has the probe, which tests the door by playing through it. deploy/images/README.md says
# how the image is built.
FROM scratch
COPY root/ /
USER 65532:65532
ENTRYPOINT ["/tarot-probe"]
