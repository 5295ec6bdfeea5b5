# docker build -t trawler . && docker run --rm trawler --help                                             (docs/every-night.md)
# The package is JavaScript only. So it is built on the platform of this machine, and the last stage runs no command:
# --platform linux/amd64,linux/arm64 needs no emulation.
FROM --platform=$BUILDPLATFORM node:24-slim AS build
WORKDIR /source
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm pack --pack-destination /tmp
WORKDIR /image/opt/trawler
RUN npm install --omit=optional --no-audit --no-fund /tmp/trawler-*.tgz $(node /source/scripts/imagePackages.mjs)
RUN mkdir -p /image/usr/local/bin /image/data \
  && ln -s /opt/trawler/node_modules/.bin/trawler /image/usr/local/bin/trawler \
  && chown 1000:1000 /image/data

FROM node:24-slim
COPY --from=build /image /
ENV NODE_ENV=production
USER 1000:1000
WORKDIR /data
VOLUME /data
# Healthy: no metrics are served, or they respond. Only run --metrics and worker --metrics serve any.
HEALTHCHECK --interval=30s --timeout=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9464/live').catch(({ cause }) => process.exit(cause.code === 'ECONNREFUSED' ? 0 : 1))"]
ENTRYPOINT ["trawler"]
CMD ["--help"]
