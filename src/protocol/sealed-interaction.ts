/**
 * An interaction that is not stored travels sealed in the URL of its pages. Only this server can read it, and no other
 * party can change it (docs/decisions/0026). Its id stands beside it in the URL, and the seal is valid for this id
 * alone.
 */
import type { Random } from '../crypto/random.ts';
import type { RootKeys } from '../crypto/root-secret.ts';
import { IV_BYTES, openText, sealText } from '../crypto/sealed-text.ts';
import type { RequestedInteraction } from '../model/interaction.ts';

/**
 * With path and method, the text fits into the 8 KB that servers and proxies accept as the first line of a request. It
 * is hardly longer than its authorization request.
 */
export const MAX_SEALED_CHARACTERS = 7680;

/** The text fits as base64url, with IV and tag, even if it cannot be compressed. */
const BYTES_THAT_SURELY_FIT = (MAX_SEALED_CHARACTERS * 3) / 4 - 64;

/**
 * During an upgrade, nodes of adjacent versions read each other's interactions: a new field needs a default in
 * `openInteraction`. Values without a JSON type are text.
 */
type Sealed = Omit<
  RequestedInteraction,
  'id' | 'browserHash' | 'clientEpoch' | 'dpopJkt' | 'uiLocales' | 'createdAt' | 'endsAt'
> & {
  readonly browserHash: string;
  readonly clientEpoch: string;
  /** Absent: null. */
  readonly dpopJkt?: string;
  /** Absent: none. */
  readonly uiLocales?: readonly string[];
  /** Milliseconds since 1970, by the database's clock. */
  readonly createdAt: number;
  readonly endsAt: number;
};

export function sealInteraction(
  { keys, random }: { readonly keys: RootKeys; readonly random: Random },
  interaction: RequestedInteraction,
): string {
  return sealText(keys, 'interaction', interaction.id, textOf(interaction), random.bytes(IV_BYTES));
}

/**
 * Whether `sealInteraction` stays within MAX_SEALED_CHARACTERS, however well it compresses. The check is cheaper than
 * sealing.
 */
export const surelyFits = (interaction: RequestedInteraction): boolean =>
  Buffer.byteLength(textOf(interaction)) <= BYTES_THAT_SURELY_FIT;

function textOf({ id: _, dpopJkt, uiLocales, ...interaction }: RequestedInteraction): string {
  const sealed: Sealed = {
    ...interaction,
    ...(dpopJkt !== null && { dpopJkt }),
    ...(uiLocales.length > 0 && { uiLocales }),
    browserHash: Buffer.from(interaction.browserHash).toString('base64url'),
    clientEpoch: interaction.clientEpoch.toString(),
    createdAt: interaction.createdAt.getTime(),
    endsAt: interaction.endsAt.getTime(),
  };
  return JSON.stringify(sealed);
}

/** @returns null for any text that this server did not seal for this id. */
export function openInteraction(keys: RootKeys, id: string, text: string): RequestedInteraction | null {
  const opened = openText(keys, 'interaction', id, text);
  if (opened === null) return null;
  const sealed: Sealed = JSON.parse(opened);
  return {
    ...sealed,
    id,
    browserHash: Buffer.from(sealed.browserHash, 'base64url'),
    clientEpoch: BigInt(sealed.clientEpoch),
    dpopJkt: sealed.dpopJkt ?? null,
    uiLocales: sealed.uiLocales ?? [],
    createdAt: new Date(sealed.createdAt),
    endsAt: new Date(sealed.endsAt),
  };
}
