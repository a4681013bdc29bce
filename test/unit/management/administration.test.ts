/** Each rejection of a machine as a problem, by its public name, its status and its words. */
import { describe, expect, it } from 'vitest';
import { conditionNeeded, declaredInFiles, orRejected, rejected } from '../../../src/management/administration.ts';
import { PROBLEMS, problem } from '../../../src/management/problem.ts';
import { done } from '../../../src/management/resource.ts';
import { ChangeRefused, type RefusedChange } from '../../../src/registration/administration.ts';
import { ClientIdIsSub } from '../../../src/registration/register-client.ts';

const TABLE: readonly (readonly [RefusedChange, number, string, string])[] = [
  ['client_unknown', 404, 'not_found', 'The client does not exist'],
  ['user_unknown', 404, 'not_found', 'The end-user does not exist'],
  ['secret_unknown', 404, 'not_found', 'The client has no live secret with this id'],
  ['client_is_declared', 409, 'client_is_declared', 'The client is declared in clients.yaml: change it there'],
  [
    'client_is_own',
    409,
    'client_is_own',
    'The server registers this client by itself, for its console or its commands',
  ],
  [
    'client_is_public',
    409,
    'client_is_public',
    'It has no secret: it is a public client (token_endpoint_auth_method "none"), or has keys or a certificate',
  ],
  ['too_many_secrets', 409, 'too_many_secrets', 'The client has two active secrets: delete one of them first'],
  ['last_secret', 409, 'last_secret', 'It is the only secret of the client, which could not authenticate without it'],
  [
    'username_taken',
    409,
    'username_taken',
    'Another end-user has this username, or signs in by it as the verified address',
  ],
  ['changed_meanwhile', 412, 'changed_meanwhile', 'It was changed in the meantime'],
];

describe('a rejected change', () => {
  const answerOf = (error: unknown, meanwhile?: () => ReturnType<typeof rejected>) =>
    orRejected(() => Promise.reject(error), meanwhile);

  it.each(TABLE)('%s is %d %s', async (reason, status, name, words) => {
    const expected = { kind: 'problem', reason: name, detail: `${words}. Nothing was changed.`, errors: [] };
    expect(rejected(reason)).toEqual(expected);
    expect(PROBLEMS[rejected(reason).reason].status).toBe(status);
    expect(await answerOf(new ChangeRefused(reason))).toEqual(expected);
  });

  it('has the answer of the resource where another request changed it, and only there', async () => {
    const meanwhile = () => problem('already_exists', 'It is there.');
    for (const [reason] of TABLE) {
      const answer = await answerOf(new ChangeRefused(reason), meanwhile);
      expect(answer).toEqual(reason === 'changed_meanwhile' ? meanwhile() : rejected(reason));
    }
  });

  it('names the field of an id that an end-user has', async () => {
    expect(await answerOf(new ClientIdIsSub())).toEqual(
      problem('invalid_fields', 'Nothing was changed.', [
        {
          field: 'client_id',
          detail: 'Expected an id that no end-user has (RFC 9700 §4.15), found the sub of an end-user.',
        },
      ]),
    );
  });

  it('is not made of another failure', async () => {
    const failure = new Error('a fault');
    await expect(answerOf(failure)).rejects.toBe(failure);
    expect(await orRejected(async () => done)).toBe(done);
  });
});

it('a client of the files is declared, and no other', () => {
  const configuration = () => ({ declaredClients: [{ record: { client_id: 'shop' } }] }) as never;
  expect(declaredInFiles({ configuration }, 'shop')).toEqual(rejected('client_is_declared'));
  for (const id of ['Shop', 'shop2', 'sho', '']) expect(declaredInFiles({ configuration }, id)).toBeNull();
});

it('a condition is needed for each field that would be changed', () => {
  expect(conditionNeeded([])).toMatchObject({ reason: 'precondition_required', errors: [] });
  expect(conditionNeeded(['a', 'b.0'])).toMatchObject({
    detail: expect.stringMatching(/^Send If-Match .* Nothing was changed\.$/),
    errors: ['a', 'b.0'].map((field) => ({ field, detail: 'Would be changed.' })),
  });
});
