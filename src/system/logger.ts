/** Structured logs: JSON lines in production, readable lines for people elsewhere. Errors go through safe-error.ts. */
import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino } from 'pino';
import { safeError } from './safe-error.ts';

export type LoggerOptions = {
  readonly level: string;
  readonly readable: boolean;
  /** Where lines go; default: standard output. */
  readonly destination?: DestinationStream;
};

export function makeLogger({ level, readable, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    serializers: { err: safeError, error: safeError, req: () => undefined, res: () => undefined },
    // Our code never logs these keys; the redaction is for libraries. No wildcards: each costs several µs per line.
    redact: { paths: [...SECRET_KEYS], censor: '[redacted]' },
  };
  const stream = destination ?? (readable ? readableLines() : undefined);
  return stream ? pino(options, stream) : pino(options);
}

/** undefined: the package is a devDependency, and is not here. Lines are JSON then, as in production, which does without the time to load it. */
function readableLines(): DestinationStream | undefined {
  const require = createRequire(import.meta.url);
  let pretty: typeof import('pino-pretty');
  try {
    pretty = require('pino-pretty');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    return undefined;
  }
  return pretty({ ignore: 'reqId', singleLine: true, translateTime: 'SYS:HH:MM:ss' });
}

const SECRET_KEYS = [
  'password',
  'secret',
  'client_secret',
  'code_verifier',
  'refresh_token',
  'access_token',
  'authorization',
  'cookie',
  'params',
] as const;
