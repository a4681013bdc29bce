/** The secrets that the configuration names: set and removed here, and never shown (docs/decisions/0100). */
import { z } from 'zod';
import { expectingSecret } from '../../../policies/expectations.ts';
import { maySetSecret, problemOfSecret, type SecretUse, usesOfSecrets } from '../../config/named-secrets.ts';
import { openSecretRow, removeConfiguredSecret, setConfiguredSecret } from '../../registration/configured-secrets.ts';
import { findSecretRow, listSecretRows, type SecretRow } from '../../storage/configured-secrets.ts';
import { addressOf, links } from '../addresses.ts';
import { rejected } from '../administration.ts';
import type { ManagementDeps } from '../deps.ts';
import { shownInstant } from '../instant.ts';
import { pageBody, pageOf, selfLink } from '../page.ts';
import { notFound, type Problem, problem, refusedField } from '../problem.ts';
import { type Answer, created, done, found, type ManagementRequest, resource } from '../resource.ts';

const MOST_SECRETS = 200;
const MOST_CHARACTERS = 4096;

/** A secret has one line: a file with several is read to its end, and would never match. */
const PRINTABLE = /^[^\p{Cc}]*\S[^\p{Cc}]*$/u;

const params = {
  secret_name: z
    .string()
    .max(100)
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/),
};

const shape = z
  .object({
    name: z.string().describe('As the configuration has it: the name of an environment variable.'),
    source: z
      .enum(['environment', 'file', 'row'])
      .nullable()
      .describe(
        'From where the answering node reads it: its environment variable; the file that `NAME_FILE` names; the value that was set here. Null: nothing has it.',
      ),
    stored_at: shownInstant
      .nullable()
      .describe(
        'When the value was set here. It is in force where neither variable nor file has one. Null: none is set.',
      ),
    used_by: z
      .array(
        z.object({
          file: z.string().nullable().describe('Null: the server itself, for its mails.'),
          key: z.string().nullable().describe('Dotted, with the places in lists: `receivers.0.secretEnvironment`.'),
        }),
      )
      .describe('Empty: no file in force names it.'),
    problem: z.string().nullable().describe('Why the server cannot read it. Null: it can, or there is none.'),
    _links: selfLink,
  })
  .meta({ id: 'ConfiguredSecret' });

const UNREADABLE = 'No listed root secret opens the stored value. Set it again.';

function secretDocument(deps: ManagementDeps, name: string, uses: readonly SecretUse[], row: SecretRow | null): object {
  const given = deps.inEnvironment(name);
  const stored = row?.sealedValue == null ? null : row;
  const isReadable = stored !== null && openSecretRow(deps.keys, stored) !== null;
  return {
    name,
    source: given?.source ?? (stored === null ? null : 'row'),
    stored_at: stored?.changedAt.toISOString() ?? null,
    used_by: uses,
    problem: given === null ? (stored === null || isReadable ? null : UNREADABLE) : given.problem,
    ...links({ self: addressOf(deps.issuer, 'secrets', name) }),
  };
}

export const configuredSecrets = resource('/secrets', 'the secrets that the configuration names', {}, (method) => ({
  GET: method({
    summary:
      'The secrets that the configuration names, and those that are set here: where each comes from, never the value.',
    answer: pageOf(shape),
    run: async (deps, { href }) => {
      const uses = usesOfSecrets(deps.configuration());
      const rows = new Map((await listSecretRows(deps.db)).map((row) => [row.name, row]));
      const names = [...new Set([...uses.keys(), ...rows.keys()])].toSorted();
      const items = names.map((name) => secretDocument(deps, name, uses.get(name) ?? [], rows.get(name) ?? null));
      return found(pageBody({ items, next: null }, href));
    },
  }),
}));

export const configuredSecret = resource(
  '/secrets/{secret_name}',
  'a secret that the configuration names',
  params,
  (method) => ({
    GET: method({
      summary: 'One secret: where it comes from, never the value.',
      answer: shape,
      run: async (deps, { params: { secret_name: name } }) => {
        const { uses, row, isKnown } = await standingOf(deps, name);
        return isKnown ? found(secretDocument(deps, name, uses, row)) : notFound('secret');
      },
    }),
    PUT: method({
      summary:
        'Sets the secret, sealed under the root secret. Every node uses it within seconds, without a restart; a variable or a file of its environment goes before.',
      body: z.strictObject({
        value: expectingSecret(
          z.string().min(1).max(MOST_CHARACTERS).regex(PRINTABLE),
          `a text of 1 to ${MOST_CHARACTERS} characters in one line`,
        ).describe('No response, log line or ledger entry has it.'),
      }),
      example: { value: 'whsec_…' },
      answer: shape,
      creates: 'ifNew',
      ifMatch: 'optional',
      rejects: ['secret_of_process', 'too_many_values', 'changed_meanwhile'],
      run: set,
    }),
    DELETE: method({
      summary: 'Removes the value that is set here. A value that a file in force needs stays.',
      ifMatch: 'optional',
      rejects: ['secret_in_use', 'changed_meanwhile'],
      run: remove,
    }),
  }),
);

type Request<Body> = ManagementRequest<{ secret_name: string }, unknown, Body>;

async function standingOf({ db, configuration }: ManagementDeps, name: string) {
  const row = await findSecretRow(db, name);
  const uses = usesOfSecrets(configuration()).get(name);
  return {
    row,
    uses: uses ?? [],
    isSet: row !== null && row.sealedValue !== null,
    isKnown: uses !== undefined || row?.sealedValue != null,
  };
}

/** Null: the row is as the request expects. */
function unexpected(
  deps: ManagementDeps,
  { name, uses, row }: { name: string; uses: readonly SecretUse[]; row: SecretRow | null },
  { isSeen, onlyNew }: Request<unknown>['precondition'],
): Problem | null {
  const isSet = row?.sealedValue != null;
  const isOther = isSeen !== null && !isSeen(secretDocument(deps, name, uses, row));
  return isOther || (onlyNew && isSet) ? rejected('changed_meanwhile') : null;
}

async function set(deps: ManagementDeps, request: Request<{ value: string }>): Promise<Answer> {
  const {
    params: { secret_name: name },
    body: { value },
    actor,
  } = request;
  if (!maySetSecret(name)) return OF_THE_PROCESS;
  const { uses, row, isSet } = await standingOf(deps, name);
  const wrong = problemOfSecret({ name, uses, sender: deps.mailFrom }, value);
  if (wrong !== null) return refusedField('value', wrong);
  const other = unexpected(deps, { name, uses, row }, request.precondition);
  if (other) return other;
  if (!isSet && (await listSecretRows(deps.db)).length >= MOST_SECRETS) return TOO_MANY;
  if (!(await setConfiguredSecret({ ...deps, actor }, name, row, value))) return rejected('changed_meanwhile');
  await deps.secretChanged();
  const stored = await standingOf(deps, name);
  const shown = secretDocument(deps, name, stored.uses, stored.row);
  return isSet ? found(shown) : created(shown, addressOf(deps.issuer, 'secrets', name));
}

async function remove(deps: ManagementDeps, request: Request<unknown>): Promise<Answer> {
  const {
    params: { secret_name: name },
    actor,
  } = request;
  const { uses, row, isSet } = await standingOf(deps, name);
  if (row === null || !isSet) return notFound('secret that is set here');
  const other = unexpected(deps, { name, uses, row }, request.precondition);
  if (other) return other;
  if (deps.inEnvironment(name) === null && uses.some(({ file }) => file !== null)) return IN_USE;
  if (!(await removeConfiguredSecret({ ...deps, actor }, row))) return rejected('changed_meanwhile');
  await deps.secretChanged();
  return done;
}

const OF_THE_PROCESS = problem('secret_of_process', 'Set it in the environment of each node. Nothing was changed.');
const TOO_MANY = problem(
  'too_many_values',
  `Remove one that no file names: at most ${MOST_SECRETS}. Nothing was changed.`,
);
const IN_USE = problem(
  'secret_in_use',
  'Take its use out of the files first, or set the secret in the environment. Nothing was changed.',
);
