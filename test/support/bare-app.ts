/** Fastify as src/http/app.ts sets it up, with the request's log line and no other part: tests register what they are about. */
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { NO_BRANDING } from '../../src/config/branding.ts';
import { frameworkErrors } from '../../src/http/error-handler.ts';
import { MAX_BODY_BYTES } from '../../src/http/form-body.ts';
import { looks } from '../../src/http/look.ts';
import { requestLog } from '../../src/http/request-log.ts';
import { makeLogger } from '../../src/system/logger.ts';

export type LogLine = Readonly<Record<string, unknown>> & { readonly level: number; readonly msg: string };

export type BareApp = {
  readonly app: FastifyInstance;
  /** Every line logged so far. */
  readonly lines: () => readonly LogLine[];
};

/** @param trustProxy the peers with a trusted X-Forwarded-For. */
export async function bareApp(trustProxy: readonly string[] = []): Promise<BareApp> {
  const lines: LogLine[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const loggerInstance: FastifyBaseLogger = makeLogger({ level: 'trace', readable: false, destination });
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: [...trustProxy],
    exposeHeadRoutes: false,
    bodyLimit: MAX_BODY_BYTES,
    frameworkErrors: frameworkErrors(),
  });
  await app.register(requestLog);
  await app.register(looks, {
    issuer: 'https://as.test',
    configuration: () => ({ branding: NO_BRANDING }),
    claimsOf: async () => null,
  });
  return { app, lines: () => lines };
}
