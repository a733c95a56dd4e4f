# One image for all services. Which one runs is the argument of `node`:
#   docker run … flotilla dist/programs/catalog-poller.js
# or dist/programs/{resolver-worker,applier}.js; without one, the flotilla command.
#
# Needs BuildKit, the builder of Docker 23 and newer. Where npm's registry is a private one or is behind an inspecting proxy:
#   docker build --secret id=npmrc,src=$HOME/.npmrc --secret id=build-ca,src=proxy-ca.crt .
# Neither secret stays in the image. Another base, such as one of a mirror (Debian with Node 24): --build-arg NODE_IMAGE=…

ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /flotilla
COPY package.json package-lock.json ./
# No install scripts: no package here needs them.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=build-ca \
    if [ -s /run/secrets/build-ca ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/build-ca; fi \
 && npm ci --ignore-scripts --no-audit --no-fund --omit=dev

FROM packages AS build
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc --mount=type=secret,id=build-ca \
    if [ -s /run/secrets/build-ca ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/build-ca; fi \
 && npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY libs libs
COPY apps apps
COPY scripts/bundle-programs.ts scripts/
# The commit that `flotilla version` names: docker build --build-arg COMMIT=$(git rev-parse HEAD) .
ARG COMMIT=
RUN node scripts/bundle-programs.ts \
 && if [ -n "$COMMIT" ]; then echo "$COMMIT" > dist/COMMIT; fi

FROM ${NODE_IMAGE}
WORKDIR /flotilla
ENV NODE_ENV=production \
    NODE_OPTIONS=--enable-source-maps \
    FLOTILLA_BIND_ADDRESS=0.0.0.0 \
    FLOTILLA_CONTENT_DIR=/var/lib/flotilla/content
# The user `node` of the base image, by number, so that Kubernetes can see that it is not root.
RUN mkdir -p /var/lib/flotilla/content /var/lib/flotilla-key && chown -R 1000:1000 /var/lib/flotilla /var/lib/flotilla-key
COPY package.json ./
COPY k8s/crds k8s/crds
COPY k8s/joining k8s/joining
COPY k8s/base/managed-cluster k8s/base/managed-cluster
COPY examples examples
COPY --from=packages /flotilla/node_modules node_modules
COPY --from=build /flotilla/dist dist
USER 1000:1000
VOLUME /var/lib/flotilla
EXPOSE 8080 8081 8082
ENTRYPOINT ["node"]
CMD ["dist/programs/flotilla.js", "--help"]
