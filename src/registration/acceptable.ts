/** The claims of a just-in-time user that a record of an end-user allows. The rest is left out, since no operator is present to correct it. */
import type { Claims } from '../model/user.ts';
import { STANDARD_CLAIMS } from '../oauth/claims.ts';
import { readFurtherClaims } from './further-claims.ts';
import { readUserRecord } from './user-record.ts';

const STANDING_IN = 'placeholder';

/** Each claim by itself, as a record of an end-user would have it. */
export const acceptableClaims = (claims: Claims): Claims =>
  Object.assign({}, ...Object.entries(claims).map(([name, value]) => acceptable(name, value)));

function acceptable(name: string, value: unknown): Claims {
  for (const record of [{ [name]: value }, { claims: { [name]: value } }]) {
    const reading = readUserRecord({ ...record, username: STANDING_IN }, false);
    if (reading.ok && name in reading.value.claims && name !== 'username') return reading.value.claims;
  }
  return {};
}

/** @returns null: no username can be made of it. */
export function acceptableUsername(text: unknown): string | null {
  const reading = typeof text === 'string' ? readUserRecord({ username: text.trim() }, false) : null;
  return reading?.ok ? reading.value.username : null;
}

/** Whether a record may have so many custom claims, and of that size. */
export const customClaimsFit = (claims: Claims): boolean =>
  readFurtherClaims(Object.fromEntries(Object.entries(claims).filter(([name]) => !STANDARD_CLAIMS.includes(name))))
    .problems.length === 0;
