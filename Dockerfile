# One image for all services and the command:
#   docker run … flotilla up                                   the flotilla command, in any working directory
#   docker run … flotilla dist/programs/catalog-poller.js      a service; or dist/programs/{resolver-worker,applier,fleet-controller,notifier}.js
#
# Needs BuildKit, the builder of Docker 23 and newer. Where npm's registry is a private one or is behind an inspecting proxy:
#   docker build --secret id=npmrc,src=$HOME/.npmrc --secret id=build-ca,src=proxy-ca.crt .
# Neither secret stays in the image. Another base, such as one of a mirror (Debian with Node 24): --build-arg NODE_IMAGE=…
#
# For several processors, with buildx: --platform linux/amd64,linux/arm64. What is built is the same for all of them, so it is
# built once, and the last stage runs nothing.

ARG NODE_IMAGE=node:24-slim

# For the processor of the image; nothing in it is run here.
FROM ${NODE_IMAGE} AS base

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /flotilla
COPY package.json package-lock.json ./
# No install scripts: no package here needs them.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=build-ca \
    if [ -s /run/secrets/build-ca ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/build-ca; fi \
 && npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.web.json ./
COPY libs libs
COPY apps apps
COPY scripts/bundle-programs.ts scripts/program-entries.ts scripts/build-pages.ts scripts/image-contents.ts scripts/
COPY scripts/supply-chain scripts/supply-chain
COPY scripts/image scripts/image
# Node and what it loads, without the shell and the programs of the base.
RUN --mount=type=bind,from=base,target=/base node scripts/image/image-root.ts /base /image-root
# The commit that `flotilla version` names: docker build --build-arg COMMIT=$(git rev-parse HEAD) .
ARG COMMIT=
RUN node scripts/bundle-programs.ts \
 && node scripts/build-pages.ts \
 && node scripts/image-contents.ts \
 && if [ -n "$COMMIT" ]; then echo "$COMMIT" > dist/COMMIT; fi \
 && mkdir -p /state/flotilla/content /state/flotilla-key /state/flotilla-console /state/home /state/flotilla-proof-keys

FROM scratch
ARG COMMIT=
# Where a build of yours is published: docker build --build-arg SOURCE=https://git.example/flotilla --build-arg URL=… --build-arg DOCUMENTATION=… .
ARG SOURCE=
ARG URL=
ARG DOCUMENTATION=
LABEL org.opencontainers.image.title="Flotilla" \
      org.opencontainers.image.description="Operator lifecycle management for fleets of Kubernetes clusters, from one hub" \
      org.opencontainers.image.version="0.2.0" \
      org.opencontainers.image.revision="$COMMIT" \
      org.opencontainers.image.source="$SOURCE" \
      org.opencontainers.image.url="$URL" \
      org.opencontainers.image.documentation="$DOCUMENTATION" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /flotilla
# The memory settings of services (docs/decisions/0194). Without source maps, which would take 40 MiB of each service.
ENV PATH=/usr/local/bin \
    NODE_ENV=production \
    NODE_OPTIONS=--max-semi-space-size=8 \
    MALLOC_ARENA_MAX=1 \
    MALLOC_TRIM_THRESHOLD_=131072 \
    FLOTILLA_BIND_ADDRESS=0.0.0.0 \
    FLOTILLA_CONTENT_DIR=/var/lib/flotilla/content
COPY --from=build /image-root/ /
# The user `node`, by number, so that Kubernetes can see that it is not root.
COPY --from=build --chown=1000:1000 /state/home /home/node
COPY --from=build --chown=1000:1000 /state/flotilla /var/lib/flotilla
COPY --from=build --chown=1000:1000 /state/flotilla-key /var/lib/flotilla-key
COPY --from=build --chown=1000:1000 /state/flotilla-console /var/lib/flotilla-console
COPY --from=build --chown=1000:1000 /state/flotilla-proof-keys /var/lib/flotilla-proof-keys
COPY package.json ./
COPY bin/flotilla-in-image /usr/local/bin/flotilla
COPY bin/ready-in-image /usr/local/bin/ready
COPY k8s/crds k8s/crds
COPY k8s/joining k8s/joining
COPY k8s/base/managed-cluster k8s/base/managed-cluster
COPY k8s/overlays/fleet k8s/overlays/fleet
COPY examples examples
# The programs; dist/node_modules, the packages that they import; dist/sbom.cdx.json, which packages are in all of it (CycloneDX).
COPY --from=build /flotilla/dist dist
USER 1000:1000
VOLUME /var/lib/flotilla
EXPOSE 8080 8081 8082 8083 8085 8086
ENTRYPOINT ["flotilla"]
CMD ["--help"]
