# The service, without the packages that only build or test it.
FROM node:24.21.0-bookworm-slim AS docs
WORKDIR /app
COPY package.json package-lock.json ./
COPY patches patches
RUN npm install --no-save --no-audit --no-fund
COPY . .
# The public URL of the API: the pages are built for it.
ARG BASE_URL
RUN node docs-site/build.ts
# Without a checkout, there is nothing to copy into the image below.
RUN mkdir -p .git

FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY patches patches
RUN npm install --omit=dev --omit=optional --omit=peer --no-save --no-audit --no-fund

FROM node:24.21.0-bookworm-slim AS app
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json openapi.yml ./
COPY sample sample
COPY api api
# The tools for assistants, which /mcp shares with a program.
COPY client/src client/src
COPY client/mcp/src client/mcp/src
# The volume of the embedded database. With a PostgreSQL server the service writes nothing.
RUN mkdir /data && chown node:node /data
ENV NODE_ENV=production DATA_DIR=/data
USER node

# The command line with git, for imports: docker build --target import
FROM app AS import
USER root
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates git \
  && rm -rf /var/lib/apt/lists/*
USER node

FROM app
COPY --from=docs /app/dist/docs dist/docs
# What names the commit, for /version. No history.
COPY --from=docs /app/.git .git
ARG BASE_URL
ENV BASE_URL=${BASE_URL} HOST=0.0.0.0 PORT=8000 LOG_FORMAT=json
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "api/runtime/container-health-check.ts"]
# Responses are buffers outside of V8's heap. With the first two options, V8 waits for more of them before it marks its heap:
# a page takes up to a quarter less processor time, and the service 90 to 130 MiB more memory. With the third, V8 frees
# short-lived buffers sooner.
CMD ["node", "--external-memory-accounted-in-global-limit", "--initial-old-space-size=64", "--max-semi-space-size=8", "api/node.ts"]
