# oka as an image: packages by the lock file, the launcher from its source, and a small runtime around them.
# Every file in it belongs to root and the worker is not root, so nothing that runs inside can change the program.
#
#   docker compose build                                        what compose does by itself the first time
#   docker compose build --build-arg OKA_EXTRA_APT="ffmpeg jq"  with further packages for the assistant's commands
#
# A registry of your own: OKA_NPMRC=~/.npmrc docker compose build. It is mounted for the one step that needs it and
# is in no layer. Another base, such as one from a mirror: --build-arg OKA_BASE=mirror.example.org/node:24-bookworm-slim
ARG OKA_BASE=node:24-bookworm-slim

FROM ${OKA_BASE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# What is not run here stays out: the Node that npm brings along, what convex deploys with, libraries for other systems,
# TypeScript (no package is run from it), source maps, manuals.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --omit=dev && rm -rf node_modules/node-linux-* node_modules/.bin/node \
    && find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 -type d \
         ! -path "*/linux/$(node -p process.arch)" -exec rm -rf {} + \
    && rm -rf node_modules/esbuild node_modules/@esbuild node_modules/prettier node_modules/convex/dist/*.bundle.* \
    && find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.mdx' \) \
         -delete

FROM ${OKA_BASE} AS launcher
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /app/native
COPY package.json /app/
COPY native ./
RUN node build.js

FROM ${OKA_BASE} AS program
WORKDIR /app
COPY package.json ./
COPY share ./share
COPY bin ./bin
COPY src ./src
COPY docker/compile.js ./docker/
COPY --from=launcher /app/native/oka-launch ./native/oka-launch
RUN chmod -R a+rX,go-w . && install -d -o 1000 .compiled
# Compiled once, here: a start takes a quarter of the time, and nothing has to be written for it later.
USER 1000:1000
RUN --mount=type=bind,from=packages,source=/app/node_modules,target=/app/node_modules \
    NODE_COMPILE_CACHE=/app/.compiled node docker/compile.js

FROM ${OKA_BASE}
# What the assistant's commands can count on.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl git python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
ARG OKA_EXTRA_APT=""
RUN if [ -n "$OKA_EXTRA_APT" ]; then \
      apt-get update && apt-get install -y --no-install-recommends $OKA_EXTRA_APT && rm -rf /var/lib/apt/lists/*; \
    fi
# Where folders are mounted. /keys is for volumes, which take over its mode: whoever the worker runs as may begin one.
RUN mkdir -p /data/.oka /data/workspace /keys/vault /keys/egress /keys/state \
    && chmod 1777 /keys/vault /keys/egress /keys/state \
    && ln -s workspace/INSTALL_REQUIREMENTS.md /data/INSTALL_REQUIREMENTS.md && ln -s /app/bin/oka /usr/local/bin/oka
COPY --from=packages /app/node_modules /app/node_modules
COPY --from=program --chown=0:0 /app /app

ENV NODE_COMPILE_CACHE=/app/.compiled OKA_DIR=/data OKA_CONTAINER=1 HOME=/data/.oka/home XDG_CONFIG_HOME=/keys/vault \
    XDG_STATE_HOME=/keys/state
WORKDIR /data
USER 1000:1000
LABEL org.opencontainers.image.title="oka" \
      org.opencontainers.image.description="An always-on, local-first assistant you can trust with real work." \
      org.opencontainers.image.licenses="MIT"
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=60s --timeout=10s --start-period=60s --start-interval=2s --retries=3 CMD ["oka", "status", "--health"]
ENTRYPOINT ["oka"]
CMD ["up", "--stay"]
