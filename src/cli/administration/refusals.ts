/** Error texts for rejections of the server and for requests without a response. */
import { printable } from '../../config/shown.ts';
import type { FieldAtFault, Problem } from '../../management/client/client.ts';
import { STANDARD_CLAIMS } from '../../oauth/claims.ts';
import { CommandRefused, noSuch } from '../failure.ts';

/** `reason`: as the API names it; `no_answer` and `not_the_api` beside. */
export class ApiRefused extends CommandRefused {
  readonly reason: string;
  readonly errors: readonly FieldAtFault[];
  constructor(reason: string, message: string, errors: readonly FieldAtFault[] = []) {
    super(message);
    this.reason = reason;
    this.errors = errors;
  }
}

/** For messages: the address of the server, and the name of the credential. */
export type Names = { readonly server: string; readonly credential: string };

export function refusalOf({ status, reason, detail: said, errors: fields }: Problem, names: Names): ApiRefused {
  const { server, credential } = names;
  const detail = printable(said);
  const errors = fields.map(({ field, detail: words }) => ({
    field: field === null ? null : printable(field),
    detail: printable(words),
  }));
  const scopes = errors.map((error) => error.detail.replace(/ is missing\.$/, '')).join(' and ');
  const words: Readonly<Record<string, string>> = {
    not_the_api: `${server} answers, but not as Statehouse's management API does (status ${status}). Expected the issuer URL of a server.`,
    invalid_parameter: errors.map((error) => error.detail).join(' ') || detail,
    no_credentials: `${server} received no access token.`,
    invalid_token: `${server} refuses ${credential}: ${detail} Nothing was changed.`,
    insufficient_scope:
      `${server} does not allow this: the scope ${scopes} is missing. The access token needs it, and so does ` +
      'the role in operators.yaml of the client or operator that got the token. Nothing was changed.',
  };
  return new ApiRefused(reason, words[reason] ?? detail, errors);
}

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no such host',
  EHOSTUNREACH: 'no way to the host',
  ENETUNREACH: 'no way to the host',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
};

/** The request was not sent. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** @param changes whether the request could have changed something. */
export function unreachable(server: string, error: unknown, changes: boolean): ApiRefused {
  const { code, message } = ((error as Error)?.cause ?? {}) as { readonly code?: string; readonly message?: string };
  const isLate = (error as Error)?.name === 'TimeoutError';
  const why = isLate ? 'it does not answer' : (CODES[code ?? ''] ?? tlsWords(code) ?? (code || 'no connection'));
  const unknown = changes && !UNSENT.has(code ?? '') && !isTls(code ?? message);
  const after = unknown ? ' It is not known whether the change was made: look before you repeat it.' : '';
  return new ApiRefused('no_answer', `${server} cannot be reached (${why}).${after}`);
}

const isTls = (code: string | undefined): boolean => /CERT|TLS|SSL|SELF_SIGNED/.test(code ?? '');
const tlsWords = (code: string | undefined): string | null =>
  isTls(code) ? `its certificate is not trusted, ${code}` : null;

/** The fields of a record at fault, as the command line names them; null for other refusals. */
export function recordProblems(error: unknown): readonly string[] | null {
  if (!(error instanceof ApiRefused) || error.reason !== 'invalid_fields') return null;
  if (error.errors.length === 0) return [error.message];
  return error.errors.map(({ field, detail }) => (field === null ? detail : `${typedName(field)}: ${detail}`));
}

/** Standard claims stand beside the username in a record, and under `claims` in the API. */
function typedName(field: string): string {
  const [first, claim = ''] = field.split('.');
  return first === 'claims' && STANDARD_CLAIMS.includes(claim) ? field.slice('claims.'.length) : field;
}

/** @throws CommandRefused with the fields at fault; any other error as it is. */
export function refusedRecord(kind: 'client' | 'user', error: unknown): never {
  const problems = recordProblems(error);
  if (problems === null) throw error;
  throw new CommandRefused(
    `The ${kind} is refused; nothing was changed.\n${problems.map((words) => `  ${words}`).join('\n')}`,
  );
}

export const isReason = (error: unknown, ...reasons: readonly string[]): error is ApiRefused =>
  error instanceof ApiRefused && reasons.includes(error.reason);

/** @returns null where the server has no such thing. */
export async function orNull<T>(asking: Promise<T>): Promise<T | null> {
  try {
    return await asking;
  } catch (error) {
    if (isReason(error, 'not_found')) return null;
    throw error;
  }
}

/** @param name as it was typed. @throws CommandRefused where the server has no such thing. */
export async function mustExist<T>(kind: Parameters<typeof noSuch>[0], name: string, asking: Promise<T>): Promise<T> {
  const answered = await orNull(asking);
  if (answered === null) throw noSuch(kind, name);
  return answered;
}
