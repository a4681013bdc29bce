/** How a trace speaks of deliveries. */
import { WEBHOOK_DELIVERIES } from '../../../lifecycles/tables.ts';
import type { WebhookDelivery } from '../../../model/webhook.ts';
import { type Change, changeOf } from '../carry-out.ts';
import type { WalkWords } from '../walk.ts';
import { BEGAN_AT } from './initial-states.ts';
import type { Asked, Terms } from './terms.ts';

function nameOf(asked: Asked): string {
  switch (asked.kind) {
    case 'claim':
      return 'the claim';
    case 'report':
      return `the report "${asked.outcome}" of the attempt until ${(asked.claim - BEGAN_AT) / 1000} s`;
    case 'repeat':
      return 'the repetition';
    case 'removeReceiver':
      return 'the end of the receiver';
  }
}

const SENDER = {
  claim: 'A node brings',
  report: 'A node brings',
  repeat: 'An operator asks for',
  removeReceiver: 'A node notices',
} as const;

export const WORDS: WalkWords<Terms> = {
  name: nameOf,
  begins: (asked) => `${SENDER[asked.kind]} ${nameOf(asked)}`,
  commit: (commit) => {
    const { loaded, after } = changeOf(commit, WEBHOOK_DELIVERIES) as Change<WebhookDelivery>;
    return loaded?.state === after.state ? `it is ${after.state}, attempt ${after.attempts}` : `it is ${after.state}`;
  },
  commitNoun: () => 'the delivery',
  answer: (answer) => (answer === null ? 'nothing to do' : null),
  since: [BEGAN_AT, 'the record'],
  sender: 'nodes and operators',
};
