/** The fields of the profile that the end-user edits: their kind, their value, and the rule for a new one. */
import { type ClaimsPolicy, type EditableClaim, MAX_TYPED_CHARACTERS } from '../../../policies/claims-schema.ts';
import { isPlainText } from '../../../policies/plain-text.ts';
import type { Claims } from '../../model/user.ts';
import { isSelfDescribed, type SelfDescribedClaim } from '../../oauth/claims.ts';

export type FieldKind = 'text' | 'picture' | 'webAddress' | 'birthdate' | 'zoneinfo' | 'locale' | 'phone' | 'choice';

/** The others are texts. */
const KINDS: Partial<Readonly<Record<SelfDescribedClaim, FieldKind>>> = {
  profile: 'webAddress',
  picture: 'picture',
  website: 'webAddress',
  birthdate: 'birthdate',
  zoneinfo: 'zoneinfo',
  locale: 'locale',
  phone_number: 'phone',
};

const MAX_ADDRESS_CHARACTERS = 1000;
const MAX_PHONE_CHARACTERS = 64;

type Rule = { readonly atMost: number; readonly accepts: (value: string) => boolean };

/** Stricter than for a record that an administrator sends: other end-users and apps see what strangers type. */
const RULES: Readonly<Record<FieldKind, Rule>> = {
  // No name has them, and an app may forget to escape.
  text: { atMost: MAX_TYPED_CHARACTERS, accepts: (value) => !/[<>]/.test(value) },
  picture: { atMost: MAX_ADDRESS_CHARACTERS, accepts: isAddressOf('https:') },
  webAddress: { atMost: MAX_ADDRESS_CHARACTERS, accepts: isAddressOf('https:', 'http:') },
  birthdate: { atMost: MAX_TYPED_CHARACTERS, accepts: () => true },
  zoneinfo: { atMost: MAX_TYPED_CHARACTERS, accepts: isTimeZone },
  locale: { atMost: MAX_TYPED_CHARACTERS, accepts: isLanguage },
  phone: { atMost: MAX_PHONE_CHARACTERS, accepts: (value) => /^\+?\d[\d ()./-]*\d$/.test(value) },
  choice: { atMost: MAX_TYPED_CHARACTERS, accepts: () => true },
};

/** The server never fetches it. Credentials in it would reach every app. */
function isAddressOf(...protocols: readonly string[]): (value: string) => boolean {
  return (value) => {
    // RFC 3986 §2: a browser would accept them.
    if (!URL.canParse(value) || /[\s"<>\\^`{|}]/.test(value)) return false;
    const { protocol, username, password, hostname } = new URL(value);
    return (
      protocols.includes(protocol) && value.startsWith(`${protocol}//`) && hostname !== '' && username + password === ''
    );
  };
}

function isTimeZone(value: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }) !== null;
  } catch {
    return false;
  }
}

function isLanguage(value: string): boolean {
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

export type ProfileField = {
  /** Of the claim. */
  readonly name: string;
  readonly kind: FieldKind;
  /** In characters. */
  readonly atMost: number;
  /** Of a custom claim; null: a standard claim, which has words. */
  readonly label: string | null;
  readonly choices: readonly string[];
  /** Empty: the end-user has none. */
  readonly value: string;
};

const kindOf = ({ name, choices }: EditableClaim): FieldKind =>
  choices === undefined ? (isSelfDescribed(name) && KINDS[name]) || 'text' : 'choice';

/** Without those whose stored value no field can hold: an object or a list, or a text that is too long. */
export function profileFields({ editableByUser = [] }: ClaimsPolicy, claims: Claims): readonly ProfileField[] {
  return editableByUser.flatMap((claim): ProfileField[] => {
    const value = claims[claim.name] ?? '';
    const kind = kindOf(claim);
    const { atMost } = RULES[kind];
    if (typeof value !== 'string' || value.length > atMost) return [];
    return [{ name: claim.name, kind, atMost, label: claim.label ?? null, choices: claim.choices ?? [], value }];
  });
}

/** @param typed not the stored value. Empty: the end-user removes it, which is always right. */
export function fits({ kind, atMost, choices }: ProfileField, typed: string): boolean {
  if (typed === '') return true;
  if (typed.length > atMost || !isPlainText(typed)) return false;
  return kind === 'choice' ? choices.includes(typed) : RULES[kind].accepts(typed);
}
