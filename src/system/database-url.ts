/**
 * The hosts of DATABASE_URL, as libpq reads them (PostgreSQL, "Connection URIs"): `postgres://user@a:5432,b:5432/db`. The driver knows
 * one host at a time. Of several, a server needs the host that can be written to.
 */
export type DatabaseHost = {
  /** A name, an address without brackets, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
};

export type DatabaseUrl = {
  /** For the driver: with the first host alone, and without target_session_attrs. */
  readonly url: string;
  /** Of which one can be written to; null: the host in `url`, whatever it is. */
  readonly candidates: readonly DatabaseHost[] | null;
};

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const HOST = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/;
const DEFAULT_PORT = 5432;
const TARGET = 'target_session_attrs';
/** What a server needs; the others of libpq lead to hosts that may be read only. */
const WRITABLE: ReadonlySet<string | null> = new Set([null, 'read-write', 'primary']);

/** Of a text with a problem: as it is, for the driver to refuse. */
export function readDatabaseUrl(text: string): DatabaseUrl {
  const asIs = { url: text, candidates: null };
  const [, before = '', list = '', rest = ''] = PARTS.exec(text) ?? [];
  const parts = list.split(',');
  const one = `${before}${parts[0]}${rest}`;
  if (!URL.canParse(one)) return asIs;
  const url = new URL(one);
  if (parts.length === 1 && !url.searchParams.has(TARGET)) return asIs;
  url.searchParams.delete(TARGET);
  const candidates = parts.flatMap((part) => hostIn(part) ?? []);
  const isRight = candidates.length === parts.length && !(parts.length > 1 && rest.includes('@'));
  return isRight ? { url: url.href, candidates } : asIs;
}

/** What is wrong with several hosts, in words; null: nothing. No user and no password is in it. */
export function whatIsWrongWithHosts(text: string): string | null {
  const [, before = '', list = '', rest = ''] = PARTS.exec(text) ?? [];
  const parts = list.split(',');
  const one = `${before}${parts[0]}${rest}`;
  const target = URL.canParse(one) ? new URL(one).searchParams.get(TARGET) : null;
  if (!WRITABLE.has(target))
    return `Expected ${TARGET}=read-write, found "${target}": a server needs a host that it can write to.`;
  // Where a password has a "/" that is not encoded, what stands before it looks like hosts: none of it is shown.
  if (parts.length > 1 && rest.includes('@'))
    return 'Expected user and password percent-encoded ("/" as %2F, "@" as %40), found "@" behind the hosts.';
  const wrong = parts.findIndex((part) => hostIn(part) === null);
  if (wrong < 0 || (parts.length === 1 && target === null)) return null;
  return `Expected hosts as in a:5432,b:5432, found something else as number ${wrong + 1} of ${parts.length}.`;
}

/** Host and port as they were given, for people. */
export const hostsIn = (text: string): string => PARTS.exec(text)?.[2] ?? '';

function hostIn(part: string): DatabaseHost | null {
  const [, name, port] = HOST.exec(part) ?? [];
  if (name === undefined || Number(port ?? DEFAULT_PORT) > 65_535) return null;
  try {
    return { host: decodeURIComponent(name.replace(/^\[|\]$/g, '')), port: Number(port ?? DEFAULT_PORT) };
  } catch {
    // A "%" that encodes nothing.
    return null;
  }
}
