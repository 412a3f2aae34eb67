# The packed service (npm run package) on Node alone: nothing that only builds or tests it.
# The packed file is the same for all processors, so it is made on the one at hand.
FROM --platform=$BUILDPLATFORM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY patches patches
RUN npm install --no-save --no-audit --no-fund
COPY . .
# The public URL of the API, if it has a path: the pages are built for it.
ARG BASE_URL
# The commit, for /version, where .git has none.
ARG COMMIT
RUN node release/main.ts
RUN mkdir -p /image/app /image/usr/local/bin /volume \
  && tar -xzf dist/release/devdata-*.tgz -C /image/app --strip-components 1 \
  && chmod +x /image/app/bin/devdata.mjs \
  && ln -s /app/bin/devdata.mjs /image/usr/local/bin/devdata

FROM node:24.21.0-bookworm-slim AS app
WORKDIR /app
COPY --from=build /image /
# The volume of the embedded database. With a PostgreSQL server the service writes nothing.
COPY --from=build --chown=node:node /volume /data
ARG BASE_URL
ARG COMMIT
ARG VERSION
ENV NODE_ENV=production BASE_URL=${BASE_URL} HOST=0.0.0.0 PORT=8000 DATA_DIR=/data LOG_FORMAT=json
LABEL org.opencontainers.image.title=devdata \
  org.opencontainers.image.description="A read-only HTTP API for developer data" \
  org.opencontainers.image.licenses=MIT \
  org.opencontainers.image.version=${VERSION} \
  org.opencontainers.image.revision=${COMMIT}
EXPOSE 8000
USER node
CMD ["node", "bin/devdata.mjs", "start"]

# The command line with git, for imports: docker build --target import
FROM app AS import
USER root
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git \
  && rm -rf /var/lib/apt/lists/*
USER node

FROM app
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "api/runtime/container-health-check.js"]
