/** Gauges that are read when Prometheus asks: queues, keys, housekeeping, configuration. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { cleanedUp } from '../system/observed.ts';

export type Standing = {
  readonly version: string;
  readonly queues: Readonly<Record<string, { readonly length: () => { running: number; waiting: number } }>>;
  /** Seconds since the expiry of the oldest row that housekeeping has to remove. */
  readonly overdue: () => Promise<readonly { readonly table: string; readonly oldestSeconds: number }[]>;
  /** Of each receiver for which an event waits: since when the oldest does, in seconds. */
  readonly waitingEvents: () => Promise<readonly { readonly receiver: string; readonly oldestSeconds: number }[]>;
  /** Of each purpose for which a mail waits. */
  readonly waitingMails: () => Promise<
    readonly { readonly purpose: string; readonly waiting: number; readonly oldestSeconds: number }[]
  >;
  /** Closed segments of the ledger: the number of the newest, and how old the oldest line is that is in none. */
  readonly ledger: () => Promise<{ readonly newest: number; readonly openSeconds: number }>;
  /** Entries of the ledger that are in the partition of no month, counted up to 1000. */
  readonly ledgerDefaultEntries: () => Promise<number>;
  /** How long a key is to sign. */
  readonly signingLifetimeSeconds: () => number;
  readonly keys: () => Promise<readonly SigningKeyStanding[]>;
  /** Rows of signing keys that are not retired and whose MAC is under no listed root secret. */
  readonly ignoredKeys: () => Promise<number>;
  /** As it was found last. */
  readonly databaseAvailable: () => boolean;
  /** Null: none since the start. */
  readonly lastReloadAccepted: () => boolean | null;
};

export type SigningKeyStanding = {
  readonly alg: string;
  readonly state: string;
  /** When this state began, in seconds since 1970. */
  readonly since: number;
};

/** Several nodes and several Prometheus servers ask; the database is asked this often. */
const READ_EVERY_MILLISECONDS = 30_000;

/** @returns a function that ends the counting. */
export function showStanding(registry: Registry, standing: Standing): () => void {
  const registers = [registry];
  new Gauge({ name: 'statehouse_build_info', help: 'Always 1.', labelNames: ['version'], registers }).set(
    { version: standing.version },
    1,
  );
  new Gauge({
    name: 'statehouse_queue_length',
    help: 'Sign-ins (attempts) and password hashes (hashes) that run or wait.',
    labelNames: ['queue', 'place'],
    registers,
    collect() {
      for (const [queue, { length }] of Object.entries(standing.queues)) {
        for (const [place, count] of Object.entries(length())) this.set({ queue, place }, count);
      }
    },
  });
  new Gauge({
    name: 'statehouse_database_available',
    help: '1: the database answers this node and can be written to; 0: it is away, read-only or out of space.',
    registers,
    collect() {
      this.set(standing.databaseAvailable() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'statehouse_configuration_accepted',
    help: '1: the files are in force; 0: the server rejected the last reload, and the previous configuration stays in force.',
    registers,
    collect() {
      this.set(standing.lastReloadAccepted() === false ? 0 : 1);
    },
  });
  const overdue = keptFor(READ_EVERY_MILLISECONDS, standing.overdue);
  new Gauge({
    name: 'statehouse_overdue_seconds',
    help: 'The age of the oldest expired row that housekeeping has not removed; 0: none.',
    labelNames: ['table'],
    registers,
    async collect() {
      const read = await overdue();
      this.reset();
      for (const { table, oldestSeconds } of read ?? []) this.set({ table }, oldestSeconds);
    },
  });
  const waiting = keptFor(READ_EVERY_MILLISECONDS, standing.waitingEvents);
  new Gauge({
    name: 'statehouse_webhook_oldest_pending_seconds',
    help: 'The age of the oldest waiting event, by endpoint as webhooks.yaml names it.',
    labelNames: ['receiver'],
    registers,
    async collect() {
      const read = await waiting();
      this.reset();
      for (const { receiver, oldestSeconds } of read ?? []) this.set({ receiver }, oldestSeconds);
    },
  });
  const waitingMails = keptFor(READ_EVERY_MILLISECONDS, standing.waitingMails);
  new Gauge({
    name: 'statehouse_mails_waiting',
    help: 'Mails in the queue, by purpose.',
    labelNames: ['purpose'],
    registers,
    async collect() {
      const read = await waitingMails();
      this.reset();
      for (const { purpose, waiting } of read ?? []) this.set({ purpose }, waiting);
    },
  });
  new Gauge({
    name: 'statehouse_mail_oldest_waiting_seconds',
    help: 'The age of the oldest mail in the queue, by purpose.',
    labelNames: ['purpose'],
    registers,
    async collect() {
      const read = await waitingMails();
      this.reset();
      for (const { purpose, oldestSeconds } of read ?? []) this.set({ purpose }, oldestSeconds);
    },
  });
  const ledger = keptFor(READ_EVERY_MILLISECONDS, standing.ledger);
  new Gauge({
    name: 'statehouse_ledger_segments',
    help: 'The number of the latest sealed segment of the ledger. It never falls.',
    registers,
    async collect() {
      const read = await ledger();
      // Without labels, a reset would say 0.
      if (read) this.set(read.newest);
      else this.remove();
    },
  });
  new Gauge({
    name: 'statehouse_ledger_open_seconds',
    help: 'The age of the oldest ledger entry outside of a sealed segment; 0: none.',
    registers,
    async collect() {
      const read = await ledger();
      if (read) this.set(read.openSeconds);
      else this.remove();
    },
  });
  const unpartitioned = keptFor(READ_EVERY_MILLISECONDS, standing.ledgerDefaultEntries);
  new Gauge({
    name: 'statehouse_ledger_default_partition_entries',
    help: 'Entries of the ledger in the partition of no month, counted up to 1000: retention does not reach them.',
    registers,
    async collect() {
      const read = await unpartitioned();
      if (read === null) this.remove();
      else this.set(read);
    },
  });
  const ignoredKeys = keptFor(READ_EVERY_MILLISECONDS, standing.ignoredKeys);
  new Gauge({
    name: 'statehouse_signing_keys_ignored',
    help: 'Rows of signing keys that the server ignores, because their MAC is under no listed root secret.',
    registers,
    async collect() {
      const read = await ignoredKeys();
      if (read === null) this.remove();
      else this.set(read);
    },
  });
  const keys = keptFor(READ_EVERY_MILLISECONDS, standing.keys);
  new Gauge({
    name: 'statehouse_signing_key_state_since_seconds',
    help: 'The time at which a signing key entered its state, in seconds since 1970, except for retired keys.',
    labelNames: ['alg', 'state'],
    registers,
    async collect() {
      const read = await keys();
      this.reset();
      for (const { alg, state, since } of read ?? []) this.set({ alg, state }, since);
    },
  });
  new Gauge({
    name: 'statehouse_signing_lifetime_seconds',
    help: 'The time that a key signs before its successor takes over.',
    registers,
    collect() {
      this.set(standing.signingLifetimeSeconds());
    },
  });
  const rounds = new Counter({
    name: 'statehouse_housekeeping_rounds_total',
    help: 'Runs of housekeeping that succeeded.',
    registers,
  });
  const removed = new Counter({
    name: 'statehouse_housekeeping_grants_removed_total',
    help: 'Grants that housekeeping removed after their end.',
    registers,
  });
  // Until this node has completed a pass, since its start.
  let passBeganAt = performance.now();
  new Gauge({
    name: 'statehouse_housekeeping_pass_seconds',
    help: 'Seconds since the start of the last complete pass of housekeeping over all grants. No ended grant is older.',
    registers,
    collect() {
      this.set((performance.now() - passBeganAt) / 1000);
    },
  });
  return cleanedUp.listen((round) => {
    rounds.inc();
    removed.inc(round.removed);
    passBeganAt = round.passBeganAt ?? passBeganAt;
  });
}

/** While the database cannot be asked, the metrics that need it are missing, and the others are there. */
function keptFor<Answer>(milliseconds: number, ask: () => Promise<Answer>): () => Promise<Answer | null> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<Answer | null> = Promise.resolve(null);
  return () => {
    if (performance.now() - askedAt >= milliseconds) {
      askedAt = performance.now();
      answer = ask().catch(() => null);
    }
    return answer;
  };
}
