/** Where else end-users may sign in, for people at a terminal. */
import type { Upstream } from '../../policies/upstreams-schema.ts';
import type { Configuration } from '../config/configuration.ts';
import { fields } from './client-words.ts';
import { inWords } from './durations.ts';

/** Empty: nowhere. */
export function placesText({ upstreams, delegatedSignIn }: Configuration): string {
  const delegated: [string, string[]][] =
    delegatedSignIn === null
      ? []
      : [
          [
            'your application',
            [
              delegatedSignIn.url,
              delegatedSignIn.show === 'instead' ? 'instead of the form' : 'beside the form',
              justInTimeUsers(delegatedSignIn.createUsers),
              `answers within ${inWords(delegatedSignIn.lifetimeSeconds)}`,
            ],
          ],
        ];
  const rows = [...upstreams.map((one): [string, string[]] => [one.name, upstreamLines(one)]), ...delegated];
  return rows.length === 0 ? '' : `sign-in elsewhere\n${fields(rows)}`;
}

const justInTimeUsers = (createUsers: boolean): string =>
  createUsers ? 'registers just-in-time users' : 'registers no users: an end-user links the account first';

function upstreamLines({ issuer, client_id: id, scope, admit, multiFactor, createUsers }: Upstream): string[] {
  const { emailDomains, claim } = admit;
  const who = [
    ...(emailDomains ? [`verified addresses of ${emailDomains.join(', ')}`] : []),
    ...(claim ? [`${claim.name} is ${claim.values.join(' or ')}`] : []),
  ];
  const factors = [...multiFactor.acr.map((acr) => `acr ${acr}`), ...multiFactor.amr.map((amr) => `amr ${amr}`)];
  return [
    issuer,
    `as the client ${id}, asking for ${scope.join(' ')}`,
    `admits: ${who.length === 0 ? 'every user of the provider' : who.join(', and ')}`,
    justInTimeUsers(createUsers),
    `counts as several factors: ${factors.length === 0 ? 'nothing' : factors.join(', ')}`,
  ];
}
