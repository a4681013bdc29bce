/** The requests of people and administrators: a link of each purpose, the button of each link, the withdrawal of an invitation. */
import { type Asked, OTHER, OWN, type Stored } from './ports.ts';

type Send = Extract<Asked, { kind: 'send' }>;

const IN_USE: readonly Send[] = [
  { kind: 'send', purpose: 'reset_password', address: OWN },
  { kind: 'send', purpose: 'verify_address', address: OWN },
  { kind: 'send', purpose: 'lost_factors', address: OWN },
  { kind: 'send', purpose: 'change_address', address: OTHER },
];
const FOR_NOBODY: readonly Send[] = [
  { kind: 'send', purpose: 'sign_up', address: OWN },
  { kind: 'send', purpose: 'invitation', address: OWN },
];

/** The requests in every stored state. The address of the account is that of the link, as src/people/email/ sends it. */
export function requestsAt(stored: Stored): readonly Asked[] {
  const { user, challenges } = stored;
  const own = user?.claims['email'];
  const wasForNobody = user === null || challenges.some(({ userId }) => userId === null);
  const sends = wasForNobody
    ? user === null
      ? FOR_NOBODY
      : []
    : IN_USE.map((asked) =>
        asked.purpose === 'change_address' ? asked : { ...asked, address: typeof own === 'string' ? own : OWN },
      );
  return [
    ...sends,
    ...challenges.map(({ id }): Asked => ({ kind: 'use', id })),
    ...challenges
      .filter(({ purpose }) => purpose === 'lost_factors')
      .map(({ id }): Asked => ({ kind: 'use', id, withPassword: true })),
    ...challenges
      .filter(({ userId }) => userId === null)
      .map(({ id }): Asked => ({ kind: 'use', id, withPasskey: true })),
    ...challenges.filter(({ purpose }) => purpose === 'invitation').map(({ id }): Asked => ({ kind: 'withdraw', id })),
  ];
}
