/**
 * The rules for a password that a user chooses (NIST SP 800-63B-4 §3.1.1.2). The password has to be long enough, and
 * not easily guessed. It must not be on the list of common passwords, or consist of words in its context. No rule
 * concerns kinds of characters or the age of the password.
 */
import type { SignInPolicy } from '../../../policies/schema.ts';
import { isStorable } from '../../oauth/sent-text.ts';
import { isCommonPassword } from './common.ts';
import { scoreOf } from './guessing.ts';

/** In Unicode code points, after NFC. NIST: at least 64 must be possible. */
export const MAX_PASSWORD_CHARACTERS = 1024;
/** NIST SP 800-63B-4 §3.1.1.2: 15 where the password is the only factor, 8 beside another. A policy can ask for more. */
export const MIN_CHARACTERS_ALONE = 15;
export const MIN_CHARACTERS_WITH_SECOND_FACTOR = 8;
const DIFFERENT_CHARACTERS = 3;
/**
 * The minimum score of zxcvbn: more than 10^8 guesses where the password is the only factor. Eight random characters
 * take 10^8 guesses, so more than 10^6 suffice beside a second factor.
 */
const MIN_SCORE_ALONE = 3;
const MIN_SCORE_WITH_SECOND_FACTOR = 2;

export type PasswordPolicy = Pick<
  SignInPolicy,
  'passwordMinimumCharacters' | 'passwordMinimumCharactersWithSecondFactor'
>;

/** Never throws: a list that does not answer reports no breach. */
export type IsBreached = (password: string) => Promise<boolean>;

export type PasswordContext = {
  readonly username: string;
  /** The end-user also signs in with another factor, or must. */
  readonly hasSecondFactor: boolean;
  /** Other names of the end-user, such as an e-mail address. */
  readonly alsoNamed?: readonly string[];
  /** The names of the service. */
  readonly service?: readonly string[];
  /** Whether a list of breached passwords contains it. Absent: no list is configured. */
  readonly isBreached?: IsBreached | undefined;
  /** Absent: the minimum that NIST allows. */
  readonly policy?: PasswordPolicy;
};

/** The names that end-users have for this service: its organization, and the host of the issuer. */
export const serviceNames = (issuer: string, organization: string | null): readonly string[] => [
  new URL(issuer).hostname,
  ...(organization === null ? [] : [organization]),
];

export type PasswordProblem =
  | { readonly reason: 'too_short'; readonly characters: number; readonly atLeast: number }
  | { readonly reason: 'too_long'; readonly characters: number; readonly atMost: number }
  /** It contains U+0000 or half a character, which no form can send. */
  | { readonly reason: 'not_text' }
  | { readonly reason: 'repetitive'; readonly different: number; readonly atLeast: number }
  | { readonly reason: 'names_the_user' | 'names_the_service' | 'common' }
  /** Variants of common passwords, patterns of a keyboard, repetitions, sequences. */
  | { readonly reason: 'guessable' | 'breached' };

export const minimumCharacters = ({ hasSecondFactor, policy }: Pick<PasswordContext, 'hasSecondFactor' | 'policy'>) =>
  hasSecondFactor
    ? (policy?.passwordMinimumCharactersWithSecondFactor ?? MIN_CHARACTERS_WITH_SECOND_FACTOR)
    : (policy?.passwordMinimumCharacters ?? MIN_CHARACTERS_ALONE);

/** @returns the first problem of the password. Null: the user may choose it. */
export async function passwordProblem(password: string, context: PasswordContext): Promise<PasswordProblem | null> {
  return brokenRule(password, context) ?? hiddenWeakness(password, context);
}

/** The problems that a thread or another server finds, for a password that breaks no other rule. */
export async function hiddenWeakness(password: string, context: PasswordContext): Promise<PasswordProblem | null> {
  const found = await guessable(password, context);
  if (found !== null) return found;
  return (await context.isBreached?.(password)) ? { reason: 'breached' } : null;
}

/** Without a score, the other rules alone decide. */
async function guessable(
  password: string,
  { username, hasSecondFactor, alsoNamed = [], service = [] }: PasswordContext,
): Promise<PasswordProblem | null> {
  const names = [username, ...alsoNamed, 'statehouse', ...service];
  const score = await scoreOf({ password, names: [...new Set(names.flatMap(partsOf))] });
  const atLeast = hasSecondFactor ? MIN_SCORE_WITH_SECOND_FACTOR : MIN_SCORE_ALONE;
  return score !== null && score < atLeast ? { reason: 'guessable' } : null;
}

/** The rules that need no other thread or server. */
export function brokenRule(password: string, context: PasswordContext): PasswordProblem | null {
  if (!isStorable(password)) return { reason: 'not_text' };
  const characters = [...password.normalize('NFC')];
  const atLeast = minimumCharacters(context);
  if (characters.length > MAX_PASSWORD_CHARACTERS)
    return { reason: 'too_long', characters: characters.length, atMost: MAX_PASSWORD_CHARACTERS };
  const { username, alsoNamed = [], service = [] } = context;
  if (isMadeOf(password, [username, ...alsoNamed])) return { reason: 'names_the_user' };
  if (characters.length < atLeast) return { reason: 'too_short', characters: characters.length, atLeast };
  const different = new Set(characters).size;
  if (different < DIFFERENT_CHARACTERS) return { reason: 'repetitive', different, atLeast: DIFFERENT_CHARACTERS };
  if (isMadeOf(password, ['statehouse', ...service])) return { reason: 'names_the_service' };
  if (isMadeOf(password, [username, ...alsoNamed, 'statehouse', ...service])) return { reason: 'names_the_user' };
  const isCommon = isSequence(folded(password)) || derivatives(password).some(isCommonPassword);
  return isCommon ? { reason: 'common' } : null;
}

const folded = (text: string): string => text.normalize('NFKC').trim().toLowerCase();
const lettersOf = (text: string): string => folded(text).replaceAll(/[^\p{L}]/gu, '');

/** An address counts with each of its parts. */
const partsOf = (name: string): readonly string[] => [name, ...name.split(/[@.\s_-]+/)].filter((part) => part !== '');

/**
 * Whether the password consists of these words, digits and signs only, in any order and case, or equals one of them.
 */
function isMadeOf(password: string, names: readonly string[]): boolean {
  if (names.some((name) => name !== '' && folded(name) === folded(password))) return true;
  const words = names.flatMap(partsOf).map(lettersOf);
  const known = new Set(words.filter((word) => word.length >= 3));
  return consistsOf(lettersOf(password), [...known]);
}

/** Without a regular expression: words with a common prefix would make it slow. */
function consistsOf(text: string, words: readonly string[]): boolean {
  if (text === '' || words.length === 0) return false;
  const reached = new Set([0]);
  for (let at = 0; at < text.length; at++) {
    if (!reached.has(at)) continue;
    for (const word of words) if (text.startsWith(word, at)) reached.add(at + word.length);
  }
  return reached.has(text.length);
}

/** Each character follows the previous one, upwards or downwards. After 9 comes 0. */
function isSequence(text: string): boolean {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0);
  const isDigits = /^\d+$/.test(text);
  const follows = (step: number) =>
    codes.every((code, index) => {
      const difference = code - (codes[index - 1] ?? code - step);
      return isDigits ? (difference - step) % 10 === 0 : difference === step;
    });
  return follows(1) || follows(-1);
}

/** The password without digits and signs at its ends, without signs anywhere, and its repeated part. */
function derivatives(password: string): readonly string[] {
  const whole = folded(password);
  const bare = whole.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const plain = whole.replaceAll(/[^\p{L}\p{N}]/gu, '');
  return [whole, bare, plain].flatMap((text) => [text, repeatedIn(text)]);
}

/**
 * The shortest text whose repetition makes the whole. The last repetition may be incomplete. Each character is read once (Knuth, Morris and
 * Pratt): NFKC makes 18 characters of one, and a user chooses the password.
 */
function repeatedIn(text: string): string {
  // For each beginning of the text, the length of its longest end that is a beginning too.
  const borders = [0];
  let border = 0;
  for (let at = 1; at < text.length; at++) {
    while (border > 0 && text[at] !== text[border]) border = borders[border - 1] ?? 0;
    if (text[at] === text[border]) border++;
    borders.push(border);
  }
  const length = text.length - border;
  return length <= text.length / 2 ? text.slice(0, length) : text;
}

/** The text for administrators. Pages have their own texts. */
export function passwordWords(problem: PasswordProblem): string {
  switch (problem.reason) {
    case 'too_short':
    case 'too_long':
      return counted(problem.characters, 'character');
    case 'not_text':
      return 'U+0000 or half a character';
    case 'repetitive':
      return counted(problem.different, 'different character');
    case 'names_the_user':
      return 'the username';
    case 'names_the_service':
      return 'the name of the service';
    case 'common':
      return 'one of the most common passwords';
    case 'guessable':
      return 'a password that is soon guessed';
    case 'breached':
      return 'a password of a list of breached passwords';
  }
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
