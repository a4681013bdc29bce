import { expect, it, test } from 'vitest';
import type { AdministrationRejectReason } from '../../../machines/shared/facts.ts';
import { ADMINISTRATION_WORDS, ChangeRefused, requireDone } from '../../../src/registration/administration.ts';

/** The information that a user needs for the next step. */
const DESCRIBED: Readonly<Record<AdministrationRejectReason, RegExp>> = {
  client_unknown: /client does not exist/,
  client_is_declared: /declared in clients\.yaml: change it there/,
  client_is_public: /no secret: it is a public client \(token_endpoint_auth_method "none"\), or has keys/,
  too_many_secrets: /two active secrets: delete one/,
  last_secret: /only secret of the client, which could not authenticate without it/,
  secret_unknown: /no live secret with this id/,
  user_unknown: /end-user does not exist/,
  username_taken: /Another end-user has this username/,
  address_taken: /Another end-user signs in by this verified address/,
  changed_meanwhile: /changed in the meantime/,
};

it.each(Object.entries(DESCRIBED) as [AdministrationRejectReason, RegExp][])(
  '%s is described in words',
  (reason, words) => {
    const refusal = () => requireDone({ kind: 'rejected', reason });
    expect(refusal).toThrow(ChangeRefused);
    expect(refusal).toThrow(words);
    expect(refusal).toThrow(
      expect.objectContaining({
        name: 'ChangeRefused',
        reason,
        message: `${ADMINISTRATION_WORDS[reason]}. Nothing was changed.`,
      }),
    );
  },
);

test('the result of a registration is passed on', () => {
  const done = { kind: 'done', fields: [] } as const;
  expect(requireDone(done)).toBe(done);
});
