/** Why a chain is over, and what would have kept it alive. One line each, for whoever has to tell the person. */
import type { RevocationReason } from '../../../machines/vocabulary.ts';
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
    why: 'The code was presented a second time by somebody who holds its verifier, so every token that came from it has ended.',
    keep: 'Exchange a code once, and never repeat the request: not at a reload of the callback page, not from two instances behind one callback.',
  },
  refresh_token_reused: {
    why: 'A refresh token was presented that had been used before. The server cannot know who of the two is the thief.',
    keep: 'The client kept a token that it had used: store the new one before using it, never refresh from two places at once, and after a lost answer ask the person again.',
  },
  chain_behind_token: {
    why: 'A genuine refresh token appeared that is newer than anything stored: the database has lost commits that it had acknowledged.',
    keep: 'Run "statehouse recover" after restoring a backup and before traffic; replicate synchronously, so that a failover loses nothing.',
  },
  revocation_requested: {
    why: 'Somebody asked for it: the client gave a token back, or the person ended it at /permissions.',
    keep: 'Nothing: this is what was wanted. A client that signs somebody out on one device must not give back the tokens of another.',
  },
  client_ended: {
    why: 'The client was deleted, or is no longer declared. Registering it again revives nothing.',
    keep: 'Change a client in place ("clients import" keeps its chains) instead of deleting it and making it anew.',
  },
  user_ended: {
    why: 'The person was disabled, or got a new password. Enabling them again revives nothing.',
    keep: 'Nothing: this is what disabling is for. They sign in anew.',
  },
  server_epoch_raised: {
    why: 'The operator ended every older grant (statehouse recover).',
    keep: 'Nothing: after a restored backup it has to be. People sign in anew.',
  },
  authorization_code_expired: {
    why: 'The code was never exchanged, and its time is over.',
    keep: 'Exchange the code as soon as the browser brings it; look for a client that failed, or a clock or a queue in between.',
  },
  idle_end: {
    why: 'The refresh token was not used for longer than the policy allows.',
    keep: 'Use it within refreshIdleLifetimeSeconds, or give the client a policy with more; lengthening revives no chain.',
  },
  absolute_end: {
    why: 'The chain has reached the age at which the policy has the person asked again.',
    keep: 'Nothing: it ends however much it is used. refreshAbsoluteLifetimeSeconds says when, for chains to come.',
  },
};

/** What leads to no grant, and what that means. */
export const UNTRUSTED: Readonly<Record<Untrusted, string>> = {
  refresh_token_malformed:
    'It begins like a refresh token of this server, but is cut off or garbled on its way. It touches nothing.',
  refresh_token_forged:
    'A forged refresh token: its MAC is not ours, so nothing that it says can be believed. It touches nothing.',
  refresh_token_unknown_key:
    'A refresh token made with a root secret that STATEHOUSE_SECRET does not list: another server, or a secret that was dropped too early. Add that secret to the end of the list, and its tokens are good again.',
  authorization_code_malformed:
    'It begins like an authorization code of this server, but is cut off or garbled on its way.',
  access_token_malformed: 'It looks like a JWT, but is none of ours.',
  access_token_forged: 'A forged access token: it names a key of ours, and its signature is not of that key.',
  access_token_unknown_key:
    'A JWT that no key of ours has signed whose signatures are still good ("statehouse keys list"): of another server, or long expired, or its key was revoked.',
  access_token_other_typ: 'An ID Token of ours, or another JWT that is no access token. An ID Token names no grant.',
  access_token_other_issuer:
    'An access token under our keys with another issuer than STATEHOUSE_ISSUER: of another server on this database.',
  unknown_shape:
    'Neither a grant id, nor a code (sh_ac_…), a refresh token (sh_rt_…) or an access token (a JWT) of this server.',
};
