/** Remembered consents: the valid rows, and the row after an approval. */
import type { RowMacs } from '../crypto/row-mac.ts';
import type { Approval } from '../lifecycles/interaction/lifecycle.ts';
import { consentFacts } from '../lifecycles/interaction/table.ts';
import { FIRST_VERSION } from './row-version.ts';
import type { consents } from './schema.ts';

export type ConsentRow = typeof consents.$inferSelect;

export const isAuthenticConsent = (macs: RowMacs, row: ConsentRow): boolean =>
  macs.isRight(...consentFacts(row), row.mac);

type Remembering = Pick<Approval, 'scope' | 'now' | 'consentRow' | 'consentsEndedUpTo'> & {
  readonly loaded: Pick<Approval['loaded'], 'id' | 'clientId' | 'clientEpoch' | 'resources'>;
  readonly session: Pick<Approval['session'], 'userId' | 'userEpoch'>;
};

/** The earlier consent together with the new approval; a consent under older epochs, or an ended one, no longer counts. */
export function consentAfter(macs: RowMacs, approval: Remembering): ConsentRow & { readonly mac: Buffer } {
  const { loaded, session, scope, now, consentsEndedUpTo } = approval;
  const before = approval.consentRow as ConsentRow | null;
  const stands =
    before !== null &&
    isAuthenticConsent(macs, before) &&
    before.userEpoch === session.userEpoch &&
    before.clientEpoch === loaded.clientEpoch &&
    before.grantedAt.getTime() > (consentsEndedUpTo?.getTime() ?? Number.NEGATIVE_INFINITY);
  const kept = stands ? before.scope : [];
  // Where consents end: a scope that was approved before, and is not requested now, has no more time than it had.
  const isOlder = stands && consentsEndedUpTo !== null && !kept.every((one) => scope.includes(one));
  const row = {
    id: before?.id ?? loaded.id,
    userId: session.userId,
    clientId: loaded.clientId,
    userEpoch: session.userEpoch,
    clientEpoch: loaded.clientEpoch,
    scope: [...new Set([...kept, ...scope])],
    resources: [...loaded.resources],
    grantedAt: isOlder ? before.grantedAt : now,
    macVersion: before === null ? FIRST_VERSION : before.macVersion + 1n,
  };
  return { ...row, mac: macs.macOf(...consentFacts(row)) };
}
