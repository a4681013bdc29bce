/**
 * Errors in a form that is safe to log. Database drivers put bound parameters into messages (DrizzleQueryError: all of
 * them), so the server logs the message of its own errors only. It logs other errors with type, code and stack frames.
 */
import { ConfigurationError } from '../config/problem.ts';
import { InvariantViolation, StoreUnavailable, Unavailable } from '../engine/errors.ts';
import { ReportedError } from './reported-error.ts';

export type SafeError = {
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  readonly constraint?: string;
  readonly table?: string;
  readonly stack?: string;
  readonly cause?: SafeError;
};

const OURS = [InvariantViolation, StoreUnavailable, Unavailable, ConfigurationError, ReportedError] as const;

export function safeError(error: unknown): SafeError {
  if (!(error instanceof Error)) return { type: typeof error };
  const text = (key: string): Record<string, string> => {
    const value = (error as unknown as Record<string, unknown>)[key];
    return typeof value === 'string' && /^[\w.:-]{1,80}$/.test(value) ? { [key]: value } : {};
  };
  return {
    type: error.name,
    ...text('code'),
    ...text('constraint'),
    ...text('table'),
    ...(OURS.some((own) => error instanceof own) && { message: error.message }),
    ...framesOf(error),
    ...(error.cause !== undefined && { cause: safeError(error.cause) }),
  };
}

/** The stack without its first lines, which repeat the message. */
function framesOf({ stack }: Error): { stack?: string } {
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return frames.length > 0 ? { stack: frames.map((line) => line.trim()).join('\n') } : {};
}
