/**
 * The hosts of DATABASE_URL, as libpq reads them (PostgreSQL, "Connection URIs"): `postgres://user@a:5432,b:5432/db`.
 * The driver accepts one host at a time. Of several, a server needs the writable host.
 */
export type DatabaseHost = {
  /** A name, an address without brackets, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
};

export type DatabaseUrl = {
  /** For the driver: with the first host alone, and without target_session_attrs. */
  readonly url: string;
  /** The hosts, of which one is writable. Null: only the host in `url`. */
  readonly candidates: readonly DatabaseHost[] | null;
};

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const HOST = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/;
const DEFAULT_PORT = 5432;
const TARGET = 'target_session_attrs';
/** The values that lead to a writable host. The other values of libpq may lead to read-only hosts. */
const WRITABLE: ReadonlySet<string | null> = new Set([null, 'read-write', 'primary']);

/** Leaves an invalid text unchanged, and the driver rejects it. */
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

/** The problem with a list of hosts, in words, without user and password. Null: none. */
export function whatIsWrongWithHosts(text: string): string | null {
  const [, before = '', list = '', rest = ''] = PARTS.exec(text) ?? [];
  const parts = list.split(',');
  const one = `${before}${parts[0]}${rest}`;
  const target = URL.canParse(one) ? new URL(one).searchParams.get(TARGET) : null;
  if (!WRITABLE.has(target))
    return `Expected ${TARGET}=read-write, found "${target}": a server needs a host that it can write to.`;
  // In a password, a "/" that is not encoded makes the text before it look like hosts, so the message shows none of it.
  if (parts.length > 1 && rest.includes('@'))
    return 'Expected user and password percent-encoded ("/" as %2F, "@" as %40), found "@" behind the hosts.';
  const wrong = parts.findIndex((part) => hostIn(part) === null);
  if (wrong < 0 || (parts.length === 1 && target === null)) return null;
  return `Expected hosts as in a:5432,b:5432, found something else as number ${wrong + 1} of ${parts.length}.`;
}

/** Null: the text is no URL, or has no password. */
export function passwordIn(text: string): string | null {
  const { url } = readDatabaseUrl(text);
  try {
    return decodeURIComponent(new URL(url).password) || null;
  } catch {
    return null;
  }
}

/** Host and port as given, for messages. */
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
