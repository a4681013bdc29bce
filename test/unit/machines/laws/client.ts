/**
 * The client. It is stored by a registration only, loses its grants by a deletion only, and a declared client is changed by
 * configuration only. It never has a third secret, and never loses its last.
 */
import type { ClientEvent } from '../../../../machines/client/facts.ts';
import type { RejectReason } from '../../../../machines/unions.ts';
import type { Answer } from '../answers.ts';
import {
  allFail,
  does,
  everyAnswer,
  hasAny,
  holds,
  type Law,
  nameOf,
  raiseEpoch,
  reject,
  rejectsInThisOrder,
} from './law.ts';

const REJECTING: readonly (readonly [guard: string, reason: RejectReason])[] = [
  ['expectationFails', 'changed_meanwhile'],
  ['onlyConfigurationMay', 'client_is_declared'],
  ['isPublic', 'client_is_public'],
  ['secretsAreFull', 'too_many_secrets'],
  ['secretIsUnknown', 'secret_unknown'],
  ['secretIsTheLast', 'last_secret'],
];

/** The result of each event about a registered client without an objection. The compiler checks that every event is listed. */
const CHANGES: Readonly<Record<ClientEvent['type'], readonly [next: string, ...effects: string[]]>> = {
  registrationRequested: ['registered', 'replaceRegistration'],
  secretRequested: ['registered', 'addSecret'],
  secretReplacementRequested: ['registered', 'replaceSecrets'],
  secretRemovalRequested: ['registered', 'removeSecret'],
  deletionRequested: ['deleted', 'deleteClient', raiseEpoch('client')],
};

/** The possible objections. */
const ASKS: Readonly<Record<ClientEvent['type'], readonly string[]>> = {
  registrationRequested: ['expectationFails', 'onlyConfigurationMay', 'nothingDiffers'],
  secretRequested: ['expectationFails', 'onlyConfigurationMay', 'isPublic', 'secretsAreFull'],
  secretReplacementRequested: ['expectationFails', 'onlyConfigurationMay', 'isPublic'],
  secretRemovalRequested: ['expectationFails', 'onlyConfigurationMay', 'secretIsUnknown', 'secretIsTheLast'],
  deletionRequested: ['expectationFails', 'onlyConfigurationMay'],
};

const eventOf = ({ event }: Answer) => event as ClientEvent['type'];

export const lawsOfClient: readonly Law[] = [
  everyAnswer(
    'the objections to a change are answered in this order, and nothing changes',
    rejectsInThisOrder(...REJECTING),
  ),
  everyAnswer('a registered client changes as it was asked for, exactly where nothing speaks against it', (answer) => {
    if (answer.state !== 'registered') return true;
    const [next, ...effects] = CHANGES[eventOf(answer)];
    if (allFail(answer, ...ASKS[eventOf(answer)])) return does(answer, next, ...effects);
    return answer.next === 'registered' && !hasAny(answer, effects.map(nameOf));
  }),
  everyAnswer('the same registration again changes nothing', (answer) => {
    const rejects = REJECTING.some(([guard]) => holds(answer, guard));
    return rejects || !holds(answer, 'nothingDiffers') || does(answer, answer.state);
  }),
  everyAnswer('only a registration makes a client of an id that has none, where it is expected', (answer) => {
    if (answer.state === 'registered') return !hasAny(answer, ['registerClient']);
    if (answer.event !== 'registrationRequested') return does(answer, answer.state, reject('client_unknown'));
    if (allFail(answer, 'expectationFails')) return does(answer, 'registered', 'registerClient');
    return !hasAny(answer, ['registerClient']);
  }),
];
