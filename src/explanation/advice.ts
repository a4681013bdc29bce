/** The reason why a chain has ended, and the remedy. One sentence each, for support staff who answer the end-user. */
import type { RevocationReason } from '../../machines/grant/facts.ts';
import type { Untrusted } from './presented.ts';

export type EndReason =
  | RevocationReason
  | 'client_ended'
  | 'user_ended'
  | 'server_epoch_raised'
  | 'authorization_code_expired'
  | 'idle_end'
  | 'absolute_end';

export type Advice = { readonly why: string; readonly keep: string };

export const ADVICE: Readonly<Record<EndReason, Advice>> = {
  authorization_code_reused: {
    why: 'The code was presented a second time with the right verifier, so every token that came from it has ended.',
    keep: 'Exchange a code once, and never repeat the request: not at a reload of the callback page, not from two instances behind one callback.',
  },
  refresh_token_reused: {
    why: 'A used refresh token was presented again. The server cannot know which of the two presenters is the thief.',
    keep: 'The client kept a token that it had used: store the new one before using it, and never refresh from two places together. After a lost answer, ask the end-user again.',
  },
  chain_behind_token: {
    why: 'An authentic refresh token appeared that is newer than anything stored: the database has lost commits that it had acknowledged.',
    keep: 'Run "statehouse recover" after restoring a backup and before traffic; replicate synchronously, so that a failover loses nothing.',
  },
  revocation_requested: {
    why: 'It was requested: the client revoked a token, or the end-user ended the access at /permissions.',
    keep: 'Nothing: this was intended. A client that signs an end-user out on one device must not revoke the tokens of another device.',
  },
  ended_by_administrator: {
    why: 'An administrator ended it: with "statehouse grants revoke", over the management API or in the console. The ledger names the administrator.',
    keep: 'Nothing: an administrator decided it, and neither the client nor the end-user caused it. The ledger entry names the administrator.',
  },
  client_ended: {
    why: 'The client was deleted, or is no longer declared. Registering it again revives nothing.',
    keep: 'Change a client in place ("clients import" keeps its chains) instead of deleting it and creating it again.',
  },
  user_ended: {
    why: 'The end-user was disabled, or got a new password. Enabling them again revives nothing.',
    keep: 'Nothing: this is the purpose of disabling. The end-user signs in again.',
  },
  server_epoch_raised: {
    why: 'The operator ended every older grant ("statehouse recover").',
    keep: 'Nothing: after restoring a backup this is necessary. End-users sign in again.',
  },
  authorization_code_expired: {
    why: 'The code was not exchanged in time.',
    keep: 'Exchange the code as soon as the browser brings it; look for a failed client, a wrong clock or a queue in between.',
  },
  idle_end: {
    why: 'The refresh token was not used for longer than the policy allows.',
    keep: 'Use it within refreshIdleLifetimeSeconds, or give the client a policy with more; lengthening revives no chain.',
  },
  absolute_end: {
    why: 'The chain has reached the age at which the policy requires a new sign-in.',
    keep: 'Nothing: a chain of this age ends, however often the client uses it. refreshAbsoluteLifetimeSeconds sets this age for new chains.',
  },
};

/** Explanations for inputs that lead to no grant. */
export const UNTRUSTED: Readonly<Record<Untrusted, string>> = {
  refresh_token_malformed:
    'It begins like a refresh token of this server, but is cut off or garbled. It changes nothing.',
  refresh_token_forged:
    'A forged refresh token: its MAC is not ours, so nothing in it can be trusted. It changes nothing.',
  refresh_token_unknown_key:
    'A refresh token made with a root secret that STATEHOUSE_SECRET does not list: another server, or a secret that was dropped too early. Add that secret to the end of the list, and its tokens are valid again.',
  authorization_code_malformed: 'It begins like an authorization code of this server, but is cut off or garbled.',
  access_token_malformed: 'It looks like a JWT, but is not an access token of this server.',
  access_token_forged: 'A forged access token: it names one of our keys, but the signature is not by that key.',
  access_token_unknown_key:
    'A JWT that none of our accepted keys has signed ("statehouse keys list"): from another server, or long expired, or its key was revoked.',
  access_token_other_typ:
    'An ID Token of this server, or another JWT that is not an access token. An ID Token names no grant.',
  access_token_other_issuer:
    'An access token under our keys with another issuer than STATEHOUSE_ISSUER: from another server on this database.',
  unknown_shape:
    'Neither a grant id, nor a code (sh_ac_…), a refresh token (sh_rt_…) or an access token (a JWT) of this server.',
};
