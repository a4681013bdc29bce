/** The decisions that are events, from the tables of the lifecycles. An event is a ledger entry that matches a rule. */
import { WEBHOOK_EVENTS, type WebhookEventName } from '../../policies/webhooks-schema.ts';
import type { HeldTable } from '../lifecycles/table.ts';
import { HELD_TABLES } from '../lifecycles/tables.ts';
import type { WebhookData } from '../lifecycles/webhook-delivery/attempt.ts';
import type { WebhookEventRule } from '../lifecycles/webhook-events.ts';
import { REUSES } from '../model/grant.ts';

/** A ledger entry, with its user where the row still names one. */
export type OutboxLine = {
  /** Both are decimal digits: the entry's place in the order of the ledger. */
  readonly recordedIn: string;
  readonly position: string;
  readonly at: Date;
  readonly machine: string;
  readonly event: string;
  readonly from: string;
  readonly to: string;
  readonly reason: string | null;
  readonly clientId: string | null;
  /** The id. Null: the entry concerns no user, or the row of its session or grant no longer exists. */
  readonly userId: string | null;
  /** The `sub` of this user. Absent: the id. */
  readonly sub?: string | null;
  readonly sessionId: string | null;
  readonly grantId: string | null;
  readonly signingKeyId: string | null;
  readonly actor: string | null;
  readonly fields: readonly string[] | null;
  readonly address: string | null;
  readonly userAgent: string | null;
};

type Rule = WebhookEventRule & { readonly machine: string };

const RULES: readonly (readonly [string, Rule])[] = HELD_TABLES.flatMap(({ machine, webhookEvents = {} }: HeldTable) =>
  Object.entries(webhookEvents).flatMap(([name, rules]) =>
    rules.map((rule) => [name, { machine: machine ?? '', ...rule }] as const),
  ),
);

export const EVENTS = Object.fromEntries(
  WEBHOOK_EVENTS.map((name) => [name, RULES.flatMap(([event, rule]) => (event === name ? [rule] : []))]),
) as unknown as Readonly<Record<WebhookEventName, readonly Rule[]>>;

const isIn = (allowed: readonly (string | null)[] | undefined, value: string | null): boolean =>
  allowed === undefined || allowed.includes(value);

const isMeant = (rule: Rule, line: OutboxLine): boolean =>
  rule.machine === line.machine &&
  isIn(rule.events, line.event) &&
  isIn(rule.from, line.from) &&
  isIn(rule.to, line.to) &&
  isIn(rule.reasons, line.reason) &&
  (rule.notReasons === undefined || !isIn(rule.notReasons, line.reason)) &&
  (rule.changesPassword === undefined || rule.changesPassword === (line.fields?.includes('password') ?? false));

/** The machines whose entries may be events with these names. */
export const machinesOf = (names: ReadonlySet<WebhookEventName>): readonly string[] => [
  ...new Set([...names].flatMap((name) => EVENTS[name].map(({ machine }) => machine))),
];

export type OutboxEvent = {
  readonly type: WebhookEventName;
  readonly userId: string | null;
  readonly data: WebhookData;
  readonly occurredAt: Date;
};

/**
 * ISO 8601 and Postgres agree on these years only. No server writes an entry of another year, and such an entry must
 * not block later ones.
 */
const [FIRST, END] = [0, Date.UTC(10_000, 0)] as const;
const hasInstant = ({ at }: OutboxLine): boolean => at.getTime() >= FIRST && at.getTime() < END;

/** @returns null: the entry is no event. */
export function eventOf(line: OutboxLine, table: Partial<typeof EVENTS> = EVENTS): OutboxEvent | null {
  if (!hasInstant(line)) return null;
  for (const type of WEBHOOK_EVENTS) {
    const rule = table[type]?.find((one) => isMeant(one, line));
    if (rule) return { type, userId: line.userId, data: dataOf(line, rule), occurredAt: line.at };
  }
  return null;
}

/**
 * Only ids, names of fields and reasons: no value of a field, no secret, and no address except that of a reuse. Omits
 * members without a value.
 */
function dataOf(line: OutboxLine, { kind }: Rule): WebhookData {
  const { userId, sub, clientId, sessionId, grantId, signingKeyId, reason, fields } = line;
  const members = {
    sub: sub ?? userId,
    client_id: clientId,
    sid: sessionId,
    grant_id: grantId,
    kid: signingKeyId,
    kind: kind ?? null,
    reason,
    fields: fields !== null && fields.length > 0 ? fields : null,
    initiated_by: initiatorOf(line),
    ...(isReuse(line) && { address: line.address, user_agent: line.userAgent }),
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}

const isReuse = ({ machine, reason }: OutboxLine): boolean => machine === 'grant' && isIn(REUSES, reason);

const BY_USER = ['signed_out', 'ended_by_user', 'signed_in_again', 'removed_by_user'];
const BY_POLICY = ['session_idle', 'session_too_old'];
const BY_ADMINISTRATOR = ['ended_by_administrator', 'removed_by_administrator'];

/** In the words of OpenID CAEP 1.0 §2 (`initiating_entity`). */
function initiatorOf({ actor, reason }: OutboxLine): 'admin' | 'user' | 'policy' | 'system' | null {
  if (actor !== null) return WHO[actor.replace(/ .*/, '')] ?? null;
  if (isIn(BY_USER, reason)) return 'user';
  if (isIn(BY_POLICY, reason)) return 'policy';
  if (isIn(BY_ADMINISTRATOR, reason)) return 'admin';
  return isIn(REUSES, reason) ? 'system' : null;
}

const WHO: Readonly<Record<string, 'admin' | 'user' | 'system' | undefined>> = {
  command_line: 'admin',
  configuration: 'admin',
  operator: 'admin',
  client: 'admin',
  server: 'system',
  end_user: 'user',
  upstream: 'user',
};
