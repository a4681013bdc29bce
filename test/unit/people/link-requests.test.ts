/** Requests for a link by mail while the queue of mails is full: no page announces a mail. */
import { expect, it } from 'vitest';
import { askForReset } from '../../../src/people/email/asking.ts';
import type { UseLinkDeps } from '../../../src/people/email/using.ts';
import { askToSignUp } from '../../../src/people/sign-up/sign-up.ts';
import { testKeys } from '../../support/macs.ts';

const asker = { network: '198.51.100.0', languages: [], deviceCookie: null };
const depsWith = (hasRoom: boolean) =>
  ({
    keys: testKeys,
    mailCounts: { count: async () => [1, 1] },
    outbox: { want: async () => hasRoom },
    identifiers: () => 'both',
  }) as unknown as UseLinkDeps;
const WAITS = { kind: 'queueFull', retryAfterSeconds: 60 };

it('a request in a full queue gets a page to try again, for every address', async () => {
  for (const address of ['ada@example.com', 'unknown@example.com']) {
    expect(await askForReset(depsWith(false), address, asker)).toEqual(WAITS);
    expect(await askToSignUp(depsWith(false), address, null, asker)).toEqual(WAITS);
    expect(await askForReset(depsWith(true), address, asker)).toEqual({ kind: 'asked' });
    expect(await askToSignUp(depsWith(true), address, null, asker)).toEqual({ kind: 'asked' });
  }
});
