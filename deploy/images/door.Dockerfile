# This image has HAProxy with deploy/haproxy/haproxy.cfg. It is the only program that players reach.
FROM scratch
COPY root/ /
USER 65532:65532
ENTRYPOINT ["/haproxy", "-W", "-f", "/etc/haproxy/haproxy.cfg"]
