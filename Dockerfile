# The service without what only builds or tests it. test/support/image.ts does these steps where there is no Docker.
FROM node:24.21.0-bookworm-slim AS docs
WORKDIR /app
COPY package.json package-lock.json ./
COPY patches patches
RUN npm install --no-save --no-audit --no-fund
COPY . .
# The public address of the API: the pages are built for it.
ARG BASE_URL
RUN node docs-site/build.ts

FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY patches patches
RUN npm install --omit=dev --omit=optional --omit=peer --no-save --no-audit --no-fund

FROM node:24.21.0-bookworm-slim
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json openapi.yml ./
COPY sample sample
COPY api api
COPY --from=docs /app/dist/docs dist/docs
# A volume goes here when the embedded database is used; with a PostgreSQL server nothing is written.
RUN mkdir /data && chown node:node /data
ARG BASE_URL
ENV NODE_ENV=production BASE_URL=${BASE_URL} HOST=0.0.0.0 PORT=8000 DATA_DIR=/data LOG_FORMAT=json
USER node
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "api/service/health-check.ts"]
# What is read and answered are buffers, which go when new objects are looked through: sooner, in less memory, if these
# may take 16 MiB at a time, not 32.
CMD ["node", "--max-semi-space-size=16", "api/node.ts"]
