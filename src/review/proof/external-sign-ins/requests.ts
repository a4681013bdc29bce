/** What can come: answers, refusals, browsers of both kinds, and the removal of each identity. */
import type { ExternalSignIn } from '../../../model/external-sign-in.ts';
import type { Asked, Brings, Stored } from './terms.ts';

export const requestsAt = ({ signIns, identities, registers }: Stored): readonly Asked[] => [
  ...signIns.flatMap((signIn) => requestsOf(signIn, registers)),
  ...identities.flatMap(({ id, userId }) =>
    (['removalRequested', 'removalRequestedByAdministrator'] as const).map(
      (type): Asked => ({ about: 'identity', type, id, userId }),
    ),
  ),
];

export const bringing = (
  { id }: Pick<ExternalSignIn, 'id'>,
  type: Brings['type'],
  browser: Brings['browser'],
  { registers }: Pick<Stored, 'registers'>,
): Brings => ({ about: 'signIn', id, type, browser, isAdmitted: true, registers });

function requestsOf(signIn: ExternalSignIn, registers: boolean): readonly Brings[] {
  const { kind } = signIn;
  const brings = (type: Brings['type'], browser: Brings['browser']) => bringing(signIn, type, browser, { registers });
  const through = kind === 'upstream' ? (['its', 'another'] as const) : (['none'] as const);
  return [
    ...through.map((browser) => brings('answerReceived', browser)),
    brings('refusalReceived', through[0]),
    brings('browserReturned', 'its'),
    brings('browserReturned', 'another'),
    ...(kind === 'upstream' ? [{ ...brings('browserReturned', 'its'), isAdmitted: false }] : []),
  ];
}
