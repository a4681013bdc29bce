import { rejectWith } from '../shared/effects.ts';
import type { OperatorSetUpEnd, OperatorSetUpRejectReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const operatorSetUpEffects = {
  reject: rejectWith<OperatorSetUpRejectReason>(),
  /** Store the hash of the link's secret; the link is shown after the commit. */
  issueSetUp(): void {},
  /** Send `replaced` to the next other row that has not ended. */
  replaceOthers(): void {},
  /** The link's only use: the operator administers until operators.yaml names one. */
  useSetUp(): void {},
  /** Send `registrationRequested` to the end-user's machine: only that machine makes the account. */
  registerOperator(): void {},
  /** Send `registered` to the passkey that was made for the new account. */
  addPasskey(): void {},
  /** The link, or the right of its operator, ends. */
  endSetUp(_: unknown, _params: { reason: OperatorSetUpEnd }): void {},
};

export const endSetUp = (reason: OperatorSetUpEnd) => ({ type: 'endSetUp', params: { reason } }) as const;
