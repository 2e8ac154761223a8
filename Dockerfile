# oka as an image: packages by the lock file, the launcher that comes with it, and a small runtime around them.
# Every file in it belongs to root and the worker is not root, so nothing that runs inside can change the program.
#
#   docker compose build                                        what compose does by itself the first time
#   docker compose build --build-arg OKA_EXTRA_APT="ffmpeg jq"  with further packages for the assistant's commands
#   docker compose build --build-arg OKA_ADD_ONS="replica"      with other add-ons than those of the compose file
#
# A registry of your own: OKA_NPMRC=~/.npmrc docker compose build. It is mounted for the one step that needs it and
# is in no layer. Another base, such as one from a mirror: --build-arg OKA_BASE=mirror.example.org/node:24-bookworm-slim
ARG OKA_BASE=node:24-bookworm-slim

FROM ${OKA_BASE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY src/rooms/add-ons/lean-packages.ts ./
# The base has Node, and what is large and not needed by everybody is an add-on. What of packages is never loaded stays out.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --omit=dev --omit=optional && node -e "import('./lean-packages.ts').then((it) => it.leanPackages('node_modules'))"

FROM ${OKA_BASE} AS program
WORKDIR /app
COPY package.json ./
COPY share ./share
COPY bin ./bin
COPY src ./src
COPY docker/compile.js ./docker/
COPY native ./native
# The launcher comes prebuilt. It is compiled here for another architecture, and where its sources were changed.
RUN --mount=type=bind,from=packages,source=/app/node_modules,target=/app/node_modules \
    node -e "import('/app/src/kit/sandbox/find-launcher.ts').then((it) => process.exit(it.findLauncher('/app/native').origin === 'none' ? 1 : 0))" \
    || { apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && node native/build.js; }
RUN chmod -R a+rX,go-w . && install -d -o 1000 .compiled
# Compiled once, here: a start takes a quarter of the time, and nothing has to be written for it later.
# Node writes it for its user alone, into a folder with that user's number; the image is read by whoever OKA_UID names,
# also one that nobody knows yet: the usual ones of people get the same folder.
ARG OKA_UID=1000
USER 1000:1000
RUN --mount=type=bind,from=packages,source=/app/node_modules,target=/app/node_modules \
    NODE_COMPILE_CACHE=/app/.compiled node docker/compile.js && chmod -R a+rX .compiled && cd .compiled \
    && for made in *-1000; do for uid in $OKA_UID 0 $(seq 501 510) $(seq 1001 1020); do \
      [ -e "${made%-1000}-$uid" ] || ln -s "$made" "${made%-1000}-$uid"; done; done

FROM program AS add-ons
USER root
ARG OKA_ADD_ONS=""
RUN --mount=type=bind,from=packages,source=/app/node_modules,target=/app/node_modules \
    --mount=type=secret,id=npmrc,target=/root/.npmrc \
    mkdir /app/add-ons && for each in $OKA_ADD_ONS; do node bin/oka add-on add "$each" --to /app/add-ons || exit 1; done

FROM ${OKA_BASE} AS runtime
# What the assistant's commands can count on. Headers of Node (67 MB) are for compiling against it, which nothing here does.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates curl git python3 python3-venv \
    && rm -rf /var/lib/apt/lists/* /usr/local/include/node
ARG OKA_EXTRA_APT=""
RUN if [ -n "$OKA_EXTRA_APT" ]; then \
      apt-get update && apt-get install -y --no-install-recommends $OKA_EXTRA_APT && rm -rf /var/lib/apt/lists/*; \
    fi
# Where folders are mounted. /keys is for volumes, which take over its mode: whoever the worker runs as may begin one.
RUN mkdir -p /data/.oka /data/workspace /keys/vault /keys/egress /keys/state \
    && chmod 1777 /keys/vault /keys/egress /keys/state \
    && ln -s workspace/INSTALL_REQUIREMENTS.md /data/INSTALL_REQUIREMENTS.md && ln -s /app/bin/oka /usr/local/bin/oka

# One layer of what is left: what was removed of the base would still weigh in a layer above it.
FROM scratch
COPY --from=runtime / /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
COPY --from=packages /app/node_modules /app/node_modules
COPY --from=program --chown=0:0 /app /app
COPY --from=add-ons /app/add-ons /app/add-ons

ENV NODE_COMPILE_CACHE=/app/.compiled OKA_DIR=/data OKA_CONTAINER=1 HOME=/data/.oka/home XDG_CONFIG_HOME=/keys/vault \
    XDG_STATE_HOME=/keys/state
WORKDIR /data
USER 1000:1000
LABEL org.opencontainers.image.title="oka" \
      org.opencontainers.image.description="An always-on, local-first assistant you can trust with real work." \
      org.opencontainers.image.licenses="MIT"
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=120s --timeout=10s --start-period=60s --start-interval=2s --retries=2 CMD ["oka", "status", "--health"]
ENTRYPOINT ["oka"]
CMD ["up", "--stay"]
