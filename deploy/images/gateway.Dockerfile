# This image has the service gateway and the web page. deploy/images/README.md says how the image is
# built.
FROM scratch
COPY root/ /
# The gateway makes its sockets in this folder, which is closed to other users. A new volume at this
# path gets the owner and the mode of this folder.
COPY --chown=65532:65532 run/ /run/
USER 65532:65532
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s \
  CMD ["/tarot-gateway", "--check", "unix:/run/tarot/door/gateway.sock"]
ENTRYPOINT ["/tarot-gateway"]
CMD ["--listen_address=unix:/run/tarot/door/gateway.sock", \
  "--http_address=unix:/run/tarot/door/gateway.sock.http", "--page_dir=/page"]
