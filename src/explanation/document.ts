/** An explanation as JSON: for `statehouse explain --json`, and for the management API. */
import { subOf } from '../model/user.ts';
import type { GrantLife } from '../storage/grant-life.ts';
import type { CredentialPlace, Explanation } from './explanation.ts';
import { eventWords, placeWords } from './words.ts';

export type Explained = Pick<GrantLife, 'now' | 'grant' | 'client' | 'user'> &
  Explanation & { readonly grantId: string };

export const explanationDocument = (explained: Explained) => ({
  grant_id: explained.grantId,
  found: explained.grant !== null,
  client: explained.client && {
    client_id: explained.client.clientId,
    client_name: explained.client.clientName,
    deleted_at: instant(explained.client.deletedAt),
  },
  user: explained.user && {
    sub: subOf(explained.user),
    username: explained.user.username,
    disabled_at: instant(explained.user.disabledAt),
  },
  scope: explained.grant?.scope ?? null,
  resources: explained.grant?.resources ?? null,
  now: explained.now.toISOString(),
  ...(explained.life.kind === 'active'
    ? {
        active: true as const,
        active_until: explained.life.until.toISOString(),
        what_waits: explained.life.what,
        would_end_by: explained.life.end,
      }
    : {
        active: false as const,
        reason: explained.life.reason,
        ended_at: instant(explained.life.since),
        why: explained.life.advice?.why ?? null,
        what_would_have_kept_it: explained.life.advice?.keep ?? null,
      }),
  presented: explained.place && {
    ...placeDocument(explained.place),
    says: placeWords(explained.place, explained.life.kind === 'active'),
  },
  events: explained.events.map((line) => ({
    at: line.at.toISOString(),
    machine: line.machine,
    event: line.event,
    from: line.from,
    to: line.to,
    reason: line.reason,
    generation: line.generation === null ? null : Number(line.generation),
    client_id: line.clientId,
    policy: line.policy,
    scope_withheld: line.scopeWithheld,
    actor: line.actor,
    address: line.address,
    user_agent: line.userAgent,
    says: eventWords(line),
  })),
  earlier_events: explained.earlierLines,
  beginning_was_dropped: explained.isCut,
});

/** RFC 3339. */
const instant = (date: Date | null): string | null => date?.toISOString() ?? null;

function placeDocument(place: CredentialPlace) {
  switch (place.kind) {
    case 'used':
      return { place: place.kind, rotations_ago: Number(place.behind) };
    case 'access_token':
      return { place: place.kind, expires_at: place.expiresAt.toISOString(), expired: place.expired };
    default:
      return { place: place.kind };
  }
}
