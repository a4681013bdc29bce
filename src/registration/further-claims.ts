/** The custom claims of an end-user: groups, roles, any name without another meaning. Values are JSON. */
import { isPlainText } from '../../policies/plain-text.ts';
import { nearestOf } from '../config/nearest.ts';
import type { RecordProblem } from '../config/problem.ts';
import { shown } from '../config/shown.ts';
import type { Claims } from '../model/user.ts';
import { CLAIM_NAME, CLAIM_NAME_EXPECTED, RESERVED_CLAIMS, STANDARD_CLAIMS } from '../oauth/claims.ts';
import { isJsonObject, problem, withoutNulls } from './record-problem.ts';

/** Tokens travel in headers, which servers bound at 8 KB or little more. */
const MAX_CLAIM_BYTES = 4096;
const MAX_BYTES = 8192;
const MAX_CLAIMS = 50;

export type FurtherClaims = { readonly claims: Claims; readonly problems: readonly RecordProblem[] };

/** @param input the field `claims` of a record; undefined: left out. */
export function readFurtherClaims(input: unknown): FurtherClaims {
  if (input === undefined) return { claims: {}, problems: [] };
  if (!isJsonObject(input)) {
    return { claims: {}, problems: [problem('claims', shown(input), 'an object of custom claims, by name')] };
  }
  const claims = withoutNulls(input);
  const problems = Object.entries(claims).flatMap(([name, value]) => problemOf(name, value) ?? []);
  const size = bytesOf(claims);
  const isMany = Object.keys(claims).length > MAX_CLAIMS;
  if (isMany) problems.push(problem('claims', `${Object.keys(claims).length}`, `at most ${MAX_CLAIMS} custom claims`));
  else if (problems.length === 0 && size > MAX_BYTES) {
    problems.push(problem('claims', `${size} bytes`, `at most ${MAX_BYTES} bytes of JSON, all custom claims together`));
  }
  // As Postgres returns them: -0 is 0, for instance.
  return { claims: problems.length === 0 ? (JSON.parse(JSON.stringify(claims)) as Claims) : {}, problems };
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

function problemOf(name: string, value: unknown): RecordProblem | null {
  const key = `claims.${name}`;
  if (STANDARD_CLAIMS.includes(name)) {
    return problem(key, 'a claim of OpenID Connect', `it beside "claims": as "${name}" of the record`);
  }
  if (RESERVED_CLAIMS.includes(name))
    return problem(key, 'a reserved name', 'a name without another meaning in tokens');
  if (!CLAIM_NAME.test(name)) return problem('claims', `the name ${shown(name)}`, CLAIM_NAME_EXPECTED);
  if (!isStorable(value)) return problem(key, 'something else', 'JSON whose texts have no control characters');
  if (bytesOf(value) > MAX_CLAIM_BYTES) {
    return problem(key, `${bytesOf(value)} bytes`, `at most ${MAX_CLAIM_BYTES} bytes of JSON`);
  }
  return null;
}

/** A JSON value that Postgres can store. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isPlainText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isStorable);
  if (isJsonObject(value)) return Object.entries(value).every(([key, inner]) => isPlainText(key) && isStorable(inner));
  return typeof value === 'boolean' || value === null;
}

/** Names that are nearly those of standard claims. */
export const furtherClaimWarnings = (claims: Claims): string[] =>
  Object.keys(claims).flatMap((name) => {
    const nearest = STANDARD_CLAIMS.includes(name)
      ? null
      : nearestOf(name, STANDARD_CLAIMS, (length) => (length < 5 ? 1 : 2));
    return nearest === null ? [] : [`claims.${name}: is not a claim of OpenID Connect. Did you mean "${nearest}"?`];
  });
