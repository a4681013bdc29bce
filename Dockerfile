# Statehouse on Node 24: no build step, no devDependencies, not root, nothing to write.

# Pinned by the digest of its index, for every platform. The next one: docker buildx imagetools inspect node:24-slim
# Another base, such as that of your own registry: --build-arg BASE=…
ARG BASE=node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${BASE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Two packages are in this repository: the driver of Postgres, and the guard for APIs.
COPY src/storage/driver/package.json ./src/storage/driver/
COPY src/guard/package.json ./src/guard/
# Exactly what the lock file says. No package of the server needs to run a script at installation, so none may.
RUN npm ci --omit=dev --ignore-scripts

# What the server runs, readable to every user: COPY keeps modes, and a clone under umask 077 is readable to its owner alone.
FROM ${BASE} AS server
WORKDIR /app
COPY package.json ./
COPY src ./src
COPY machines ./machines
COPY policies ./policies
COPY drizzle ./drizzle
RUN chmod -R u=rwX,go=rX .

FROM ${BASE}
# In production the server refuses to start without issuer, root secret and database.
# 0.0.0.0: inside a container, localhost is the container itself.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
# Owned by root and run by `node`: the server cannot change its own code.
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=server /app ./
# Keeps what V8 compiles, for the user that runs it; a start that ends at a database that is not there loads everything.
RUN install -d -o node node_modules/.cache \
  && (setpriv --reuid=node --regid=node --clear-groups env DATABASE_URL=postgres://127.0.0.1:1/none \
    STATEHOUSE_ISSUER=https://image.invalid STATEHOUSE_SECRET=used-only-while-the-image-is-built \
    node src/cli/statehouse.js start || test -d node_modules/.cache/compiled) \
  && chown -R root:root node_modules/.cache && chmod -R u=rwX,go=rX node_modules/.cache
USER node
EXPOSE 3000
# The first SIGTERM finishes the requests in flight, then ends the process.
STOPSIGNAL SIGTERM
# Not /health/database: an outage of the database is none of the container's. The image has no curl; Node is there.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node itself and not npm, which would not pass signals on. Other commands: docker run … IMAGE users create ada
ENTRYPOINT ["node", "/app/src/cli/statehouse.js"]
CMD ["start"]
