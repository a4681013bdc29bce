/** The requests of the walk: answers, refusals, browsers of both kinds, and the removal of each identity. */
import type { ExternalSignIn } from '../entity.ts';
import { type Asked, type Brings, REMOVALS, type Stored } from './ports.ts';

export const requestsAt = ({ externalSignIns, linkedIdentities, registers }: Stored): readonly Asked[] => [
  ...externalSignIns.flatMap((signIn) => requestsOf(signIn, registers)),
  ...linkedIdentities.flatMap(({ id, userId }) =>
    REMOVALS.map((type): Asked => ({ kind: 'identity', type, id, userId })),
  ),
];

export const bringing = (
  { id }: Pick<ExternalSignIn, 'id'>,
  type: Brings['type'],
  browser: Brings['browser'],
  { registers }: Pick<Stored, 'registers'>,
): Brings => ({ kind: 'signIn', id, type, browser, isAdmitted: true, registers });

function requestsOf(signIn: ExternalSignIn, registers: boolean): readonly Brings[] {
  const brings = (type: Brings['type'], browser: Brings['browser']) => bringing(signIn, type, browser, { registers });
  const through = signIn.kind === 'upstream' ? (['its', 'another'] as const) : (['none'] as const);
  return [
    ...through.map((browser) => brings('answerReceived', browser)),
    brings('refusalReceived', through[0]),
    brings('browserReturned', 'its'),
    brings('browserReturned', 'another'),
    ...(signIn.kind === 'upstream' ? [{ ...brings('browserReturned', 'its'), isAdmitted: false }] : []),
  ];
}
