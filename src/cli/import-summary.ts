/** The summary of an import, or of its dry run: users who are ready, users who need a new password, and the parts that stay behind. */
import type { FoundUser } from '../registration/import-users.ts';
import type { ImportedUser } from '../registration/imported-user.ts';
import type { Refusals } from './import-refusals.ts';

/** The names are those of the document that `--json` prints. */
export type ImportSummary = {
  readonly ready: number;
  readonly need_new_password: number;
  readonly provider_only: number;
  readonly passkey_only: number;
  readonly refused: number;
  readonly disabled: number;
  readonly stored_already: number;
  /** Their usernames stand in operators.yaml. */
  readonly operators: number;
  /** Null: no record has one. */
  readonly passkeys: PasskeySummary | null;
  readonly not_carried_over: readonly { readonly what: string; readonly users: number }[];
};

export type PasskeySummary = {
  readonly count: number;
  /** The host name at which browsers use them: that of this server. */
  readonly rp_id: string | null;
};

/** Another text for each name of an attribute: a few are listed, and the others counted together. */
const MAX_KINDS = 200;
const OTHERS = 'other parts';

/** @param rpId the host name of the server, for passkeys. Null: it has none. */
export function summing(rpId: string | null) {
  const counts = {
    ready: 0,
    need_new_password: 0,
    provider_only: 0,
    passkey_only: 0,
    disabled: 0,
    stored_already: 0,
    operators: 0,
  };
  const passkeys = { count: 0, rp_id: rpId };
  const leftOut = new Map<string, number>();
  return {
    add: (user: ImportedUser, found: FoundUser['kind'], isOperator: boolean): void => {
      if (isOperator) counts.operators += 1;
      counts[standingOf(user, found)] += 1;
      passkeys.count += user.passkeys.length;
      if (user.disabled) counts.disabled += 1;
      if (found === 'known') counts.stored_already += 1;
    },
    leaveOut: (all: readonly string[]): void => {
      for (const what of new Set(all)) {
        const kind = leftOut.has(what) || leftOut.size < MAX_KINDS ? what : OTHERS;
        leftOut.set(kind, (leftOut.get(kind) ?? 0) + 1);
      }
    },
    accepted: () => counts.ready + counts.need_new_password + counts.provider_only + counts.passkey_only,
    end: (refused: number): ImportSummary => ({
      ...counts,
      refused,
      passkeys: passkeys.count > 0 ? passkeys : null,
      not_carried_over: [...leftOut]
        .map(([what, users]) => ({ what, users }))
        .sort((one, other) => other.users - one.users),
    }),
  };
}

function standingOf({ password, passwordHash, identities, passkeys }: ImportedUser, found: FoundUser['kind']) {
  if (password !== null || passwordHash !== null) return 'ready';
  const signsInByPasskey = passkeys.some(({ isSecondFactorOnly }) => !isSecondFactorOnly);
  if (identities.length > 0) return signsInByPasskey ? 'ready' : 'provider_only';
  if (signsInByPasskey) return 'passkey_only';
  // The password of a stored end-user stays.
  return found === 'known' ? 'ready' : 'need_new_password';
}

export function summaryLines(summary: ImportSummary, refusals: Refusals): string {
  const { ready, need_new_password, provider_only, passkey_only, refused } = summary;
  const { disabled, stored_already, operators, passkeys, not_carried_over } = summary;
  const lines = [
    [ready, 'ready'],
    [need_new_password, 'need a new password (mail them with "statehouse users mail-password-links")'],
    [provider_only, 'sign in with an identity provider only'],
    ...(passkey_only > 0 ? ([[passkey_only, 'sign in with a passkey only']] as const) : []),
    [refused, refused > 0 ? `refused: ${refusals.places().join(', ')}` : 'refused'],
  ] as const;
  const width = Math.max(...lines.map(([count]) => String(count).length));
  const beside = [
    ...(disabled > 0 ? [`${disabled} of them disabled`] : []),
    ...(stored_already > 0 ? [`${stored_already} stored already`] : []),
    ...(operators > 0 ? [`${operators} with the username of an operator: see operators.yaml`] : []),
  ];
  const left = not_carried_over.map(({ what, users }) => `  ${users} × ${what}\n`).join('');
  return [
    ...lines.map(([count, words]) => `  ${String(count).padStart(width)} ${words}\n`),
    beside.length > 0 ? `  (${beside.join(', ')})\n` : '',
    passkeys === null ? '' : passkeyLine(passkeys),
    left === '' ? '' : `Not carried over:\n${left}`,
  ].join('');
}

/** The other parts are right or wrong at the import; whether a passkey works, only a browser shows. */
const passkeyLine = ({ count, rp_id }: PasskeySummary): string =>
  `  (${count} ${count === 1 ? 'passkey' : 'passkeys'}: browsers use them only at ${rp_id ?? 'the host name of the server'})\n`;
