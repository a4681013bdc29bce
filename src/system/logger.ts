/** Structured logs: JSON lines in production, and otherwise readable lines. safe-error.ts makes errors safe to log. */
import { createRequire } from 'node:module';
import { type DestinationStream, type Logger, pino } from 'pino';
import { bufferedLines } from './buffered-lines.ts';
import { safeError } from './safe-error.ts';

export type LoggerOptions = {
  readonly level: string;
  readonly readable: boolean;
  /** The destination of the lines, one by one. Default: standard output, in blocks. */
  readonly destination?: DestinationStream;
};

export function makeLogger({ level, readable, destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: null,
    serializers: { err: safeError, error: safeError, req: () => undefined, res: () => undefined },
    // Statehouse never logs these keys. The redaction is for libraries. It has no wildcards: each costs several µs per
    // line.
    redact: { paths: [...SECRET_KEYS], censor: '[redacted]' },
  };
  const stream = destination ?? (readable ? readableLines() : undefined);
  return pino(options, stream ?? bufferedLines(pino.destination(1)));
}

/**
 * undefined: the devDependency is not installed. Lines are then JSON, as in production, which saves the time of loading
 * it.
 */
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
