/** The effect of a changed role in operators.yaml on tokens and active chains (docs/decisions/0031). */
import type { Change } from '../../config/changes.ts';

const RANK: Readonly<Record<string, number>> = { auditor: 1, operator: 2 };

/** @returns null: the change is about something else. */
export function meaningOfRoleChange({ key, from, to }: Change): string | null {
  if (key.startsWith('operators.users.')) return rankOf(to) > rankOf(from) ? GAINS : LOSES;
  if (!key.startsWith('operators.clients.')) return null;
  const lost = scopesIn(from).some((name) => !scopesIn(to).includes(name));
  return lost ? CLIENT_LOSES : CLIENT_GAINS;
}

const rankOf = (role: unknown): number => RANK[String(role)] ?? 0;
const scopesIn = (value: unknown): readonly string[] => (typeof value === 'string' ? value.split(' ') : []);

const LOSES =
  'From the next request on the management API refuses what is lost, to tokens that are out as well; chains are refreshed without it. A chain that has nothing left is refused with invalid_grant, and is not used up.';
const GAINS =
  'May grant it to clients whose own scope names it. A chain that was granted more under an earlier role gets it back at its next refresh.';
const CLIENT_LOSES =
  'From the next request on the management API refuses what is lost, to tokens that are out as well, and no token is made with it.';
const CLIENT_GAINS = 'The client gets it with client credentials, where it names the scope and the management API.';
