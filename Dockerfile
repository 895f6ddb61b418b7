# The command `custody`, with the emulator: `docker build --tag custody .` in a clone. See docs/emulator.md.
FROM node:24-slim AS build
WORKDIR /source
COPY . .
RUN npx -y pnpm@10.34.9 install --frozen-lockfile
# The packages as they are published, and what they need. No install script of theirs runs.
RUN npx -y pnpm@10.34.9 release install --production /custody

FROM node:24-slim
ENV NODE_ENV=production
ENV PATH=/custody/node_modules/.bin:$PATH
COPY --from=build /custody/package.json /custody/
COPY --from=build /custody/node_modules /custody/node_modules
# Sessions and ledgers are files of the folder in which the command runs.
ENV CUSTODY_SESSION_FILE=/data/session.db
RUN mkdir /data && chown node:node /data
USER node
WORKDIR /data
VOLUME /data
EXPOSE 4010
# Node is the first process, and so hears SIGTERM: what is under way is finished first.
ENTRYPOINT ["custody"]
CMD ["--help"]
