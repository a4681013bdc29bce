/**
 * A record of another system that the rules of this server refuse in part: the part stays behind, with the reason, and the end-user
 * comes. Username and `sub` are never left out. A refused hash leaves an end-user who needs a new password.
 */
import type { RecordProblem } from '../../config/problem.ts';
import type { ImportedUser } from '../imported-user.ts';
import { isJsonObject, type Reading } from '../record-problem.ts';
import type { JsonObject } from './source.ts';

type Settled = { readonly reading: Reading<ImportedUser>; readonly leftOut: readonly string[] };

const NEEDED = ['username', 'sub', 'password'];
/** A problem of one member can hide another. */
const MAX_ROUNDS = 3;

export function settled(read: (input: unknown) => Reading<ImportedUser>, input: unknown): Settled {
  let record = input;
  const leftOut: string[] = [];
  for (let round = 0; ; round++) {
    const reading = read(record);
    if (reading.ok || round === MAX_ROUNDS || !isJsonObject(record)) return { reading, leftOut };
    const { problems } = reading;
    if (problems.some(({ key }) => key === null || NEEDED.includes(key))) return { reading, leftOut };
    for (const problem of problems) leftOut.push(reasonOf(problem));
    record = without(record, problems);
  }
}

/** Without the value: it is the same text for every end-user. */
const reasonOf = ({ key, found, allowed }: RecordProblem): string =>
  key === 'password_hash' ? `password: ${found}` : `${String(key).replaceAll(/\.\d+/g, '')}: it is not ${allowed}`;

function without(record: JsonObject, problems: readonly RecordProblem[]): JsonObject {
  const paths = problems.map(({ key }) => String(key).split('.'));
  const names = paths.filter((path) => path.length === 1 || !isPart(record, path)).map(([name]) => name);
  const kept = Object.entries(record).flatMap(([name, value]) => {
    if (names.includes(name) || (name === 'email_verified' && names.includes('email'))) return [];
    // The name of a claim may have dots.
    const parts = paths
      .filter(([first]) => first === name)
      .map(([, ...rest]) => (name === 'claims' ? rest.join('.') : rest[0]));
    return [[name, parts.length > 0 ? withoutParts(value, parts) : value] as const];
  });
  const rest = Object.fromEntries(kept);
  const hasPassword = rest['password_hash'] !== undefined || rest['password'] !== undefined;
  return { ...rest, ...(!hasPassword && { without_password: true }) };
}

/** A custom claim, an identity, the secret of an app, a passkey, a recovery code. */
const isPart = (record: JsonObject, [name = '']: readonly string[]): boolean =>
  ['claims', 'identities', 'totp', 'passkeys', 'recovery_codes'].includes(name) && typeof record[name] === 'object';

const withoutParts = (value: unknown, parts: readonly (string | undefined)[]): unknown => {
  const isKept = (part: string) => !parts.includes(part);
  if (Array.isArray(value)) return value.filter((_, place) => isKept(String(place)));
  return Object.fromEntries(Object.entries(value as object).filter(([name]) => isKept(name)));
};
