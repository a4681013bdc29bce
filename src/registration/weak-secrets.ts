/**
 * Secrets that production rejects, and about which other environments warn. The text describes the form of the secret, never its
 * characters. A hash in configuration cannot be checked; it is meant for random secrets.
 */
import type { RecordProblem } from '../config/problem.ts';
import type { RawSecret } from '../crypto/secret-types.ts';
import {
  brokenRule,
  hiddenWeakness,
  minimumCharacters,
  type PasswordContext,
  type PasswordProblem,
  passwordWords,
} from '../people/passwords/rules.ts';
import { problem } from './record-problem.ts';

/** RFC 6749 §10.10: the probability of a guess MUST be at most 2^-128. So many bits are 22 characters of base64url. */
const CLIENT_SECRET_CHARACTERS = 22;
/** 22 random characters, of sixteen or more to choose from, practically never have fewer. */
const CLIENT_SECRET_DIFFERENT = 8;

const CLIENT_SECRET_ALLOWED = `at least ${CLIENT_SECRET_CHARACTERS} random characters in production, ${CLIENT_SECRET_DIFFERENT} of them different (RFC 6749 §10.10)`;

/** @param found the name of the secret in the text. @returns null when the secret is not weak. */
export function weakClientSecret(secret: RawSecret, key = 'client_secret', found = ''): RecordProblem | null {
  const weakness = fewCharacters(secret, CLIENT_SECRET_CHARACTERS, CLIENT_SECRET_DIFFERENT);
  return weakness === null ? null : problem(key, `${found}${weakness}`, CLIENT_SECRET_ALLOWED);
}

type AdministeredContext = Omit<PasswordContext, 'hasSecondFactor'>;

/**
 * An end-user who gets a password from an administrator has no other factor yet, so it is judged as the only one.
 * @returns null when the password is not weak.
 */
export function weakPassword(password: RawSecret, context: AdministeredContext): RecordProblem | null {
  const alone = { ...context, hasSecondFactor: false };
  return ofPassword(brokenRule(password, alone), alone);
}

/** Of a password that is not weak otherwise. @returns null when it is neither soon guessed nor breached. */
export async function hiddenlyWeakPassword(
  password: RawSecret,
  context: AdministeredContext,
): Promise<RecordProblem | null> {
  const alone = { ...context, hasSecondFactor: false };
  return ofPassword(await hiddenWeakness(password, alone), alone);
}

function ofPassword(weakness: PasswordProblem | null, context: PasswordContext): RecordProblem | null {
  if (weakness === null) return null;
  const allowed = `at least ${minimumCharacters(context)} characters in production, 3 of them different, no common password, and no name that stands beside it`;
  return problem('password', passwordWords(weakness), allowed);
}

function fewCharacters(secret: string, atLeast: number, different: number): string | null {
  const characters = [...secret];
  if (characters.length < atLeast) return counted(characters.length, 'character');
  const kinds = new Set(characters).size;
  return kinds < different ? counted(kinds, 'different character') : null;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Outside production. */
export const weakSecretWarning = ({ key, found, allowed }: RecordProblem): string =>
  `${key}: ${found}; expected ${allowed}`;
