import { rejectWith } from '../shared/effects.ts';
import type { ClientRegistrationRejectReason } from './facts.ts';

/** The effects of this machine are data: the engine applies them, and XState never executes them. */
export const clientRegistrationEffects = {
  reject: rejectWith<ClientRegistrationRejectReason>(),
  /** Store the hash of the registration access token, and until when the client stays unused. */
  storeRegistration(): void {},
  /** Register the client with its metadata: an event for the machine of the client. */
  describeClient(): void {},
  /** Answer with the client as it is registered. */
  showClient(): void {},
  /** Store a later instant until which the client stays without a sign-in. */
  extendRegistration(): void {},
  /** The registration access token stops working. */
  endRegistration(): void {},
  /** Delete the client, with its grants: an event for the machine of the client. */
  endClient(): void {},
};
