/** The metrics for Prometheus, after requests of the real app on a real database. */
import { channel } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Metrics, openMetrics } from '../../../src/metrics/listener.ts';
import { cleanedUp, roundsRun, webhookAttempts } from '../../../src/system/observed.ts';
import { refresh } from '../../support/actors.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { samplesIn } from './samples.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('the listener for metrics', () => {
  let scene: Scene;
  let metrics: Metrics;
  let databaseIsThere = true;
  const overdue = async () => {
    if (!databaseIsThere) throw new Error('The database cannot be reached.');
    return [{ table: 'sessions', oldestSeconds: 90 }];
  };
  beforeAll(async () => {
    scene = await openScene(anyDatabase);
    metrics = await open();
  });
  afterAll(async () => {
    metrics.close();
    await scene.close();
  });

  const open = () =>
    openMetrics({
      host: '127.0.0.1',
      port: 0,
      statementsInFlight: () => 3,
      standing: {
        version: '1.2.3',
        queues: { hashes: { length: () => ({ running: 1, waiting: 2 }) } },
        overdue,
        waitingEvents: async () => [{ receiver: 'crm', oldestSeconds: 12 }],
        waitingMails: async () => [{ purpose: 'notice', waiting: 3, oldestSeconds: 40 }],
        ledger: async () => {
          if (!databaseIsThere) throw new Error('no database');
          return { newest: 41, openSeconds: 12 };
        },
        ledgerDefaultEntries: async () => {
          if (!databaseIsThere) throw new Error('no database');
          return 7;
        },
        keys: async () => [{ alg: 'ES256', state: 'signing', since: 1700 }],
        ignoredKeys: async () => {
          if (!databaseIsThere) throw new Error('no database');
          return 2;
        },
        signingLifetimeSeconds: () => 60,
        databaseAvailable: () => false,
        lastReloadAccepted: () => false,
      },
    });
  const get = (path = '/metrics', method = 'GET') =>
    fetch(`http://127.0.0.1:${metrics.port}${path}`, { method }).then(async (answer) => ({
      status: answer.status,
      type: answer.headers.get('content-type'),
      text: await answer.text(),
    }));
  const samples = async () => samplesIn((await get()).text);

  it('counts delivery attempts, by endpoint and outcome', async () => {
    const name = 'statehouse_webhook_attempts_total{receiver="crm",outcome="timed_out"}';
    webhookAttempts.publish(() => ({ receiver: 'crm', outcome: 'timed_out' }));
    const before = (await samples()).get(name) ?? 0;
    webhookAttempts.publish(() => ({ receiver: 'crm', outcome: 'timed_out' }));
    expect((await samples()).get(name)).toBe(before + 1);
  });

  it('measures periodic jobs, and the time since the last complete housekeeping began', async () => {
    const shown = { round: 'housekeeping', outcome: 'completed', seconds: 61, overran: true } as const;
    roundsRun.publish(() => shown);
    roundsRun.publish(() => ({ ...shown, outcome: 'failed', seconds: 2, overran: false }));
    cleanedUp.publish(() => ({ removed: 1, passBeganAt: performance.now() - 5_000_000 }));
    const after = await samples();
    expect(after.get('statehouse_round_duration_seconds_sum{round="housekeeping",outcome="completed"}')).toBe(61);
    expect(after.get('statehouse_round_duration_seconds_count{round="housekeeping",outcome="failed"}')).toBe(1);
    expect(after.get('statehouse_round_overruns_total{round="housekeeping"}')).toBe(1);
    expect(after.get('statehouse_housekeeping_pass_seconds')).toBeGreaterThanOrEqual(5000);
    // A run that stopped at its time limit adds no sample.
    cleanedUp.publish(() => ({ removed: 1, passBeganAt: null }));
    expect((await samples()).get('statehouse_housekeeping_pass_seconds')).toBeGreaterThanOrEqual(5000);
  });

  it('counts the decisions of the machines, by event, outcome and reason', async () => {
    const before = await samples();
    const token = await scene.chain();
    await refresh(scene, scene.client, token);
    await refresh(scene, scene.client, token);
    const after = await samples();
    const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    const decided = (labels: string) => grown(`statehouse_decisions_total{${labels}}`);
    expect(decided('machine="refreshToken",event="presented",outcome="rotate+issueTokens",reason=""')).toBe(1);
    expect(
      decided('machine="refreshToken",event="presented",outcome="revokeGrant+reject",reason="refresh_token_reused"'),
    ).toBe(1);
    expect(
      decided('machine="grant",event="refreshTokenReused",outcome="writeRevoked",reason="refresh_token_reused"'),
    ).toBe(1);
    expect(before.get('statehouse_grants_revoked_total{reason="refresh_token_reused"}')).toBe(0);
    expect(grown('statehouse_grants_revoked_total{reason="refresh_token_reused"}')).toBe(1);
    expect(grown('statehouse_commits_total{machine="refreshToken",result="committed"}')).toBe(2);
  });

  it('measures each request by its route, with the reason of a rejection', async () => {
    const before = await samples();
    await scene.app.inject({ method: 'POST', url: '/oauth/token', payload: 'grant_type=refresh_token', headers: FORM });
    await scene.app.inject({ method: 'PURGE' as 'GET', url: '/no/such/place/4711' });
    const after = await samples();
    const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    expect(grown('statehouse_request_duration_seconds_count{method="POST",route="/oauth/token",status="401"}')).toBe(1);
    expect(
      grown('statehouse_requests_refused_total{route="/oauth/token",reason="client_authentication_missing"}'),
    ).toBe(1);
    expect([...after.keys()].filter((name) => /4711|PURGE/.test(name))).toEqual([]);
  });

  it('counts the requests that a client repeats after the end of its chain', async () => {
    const used = await scene.chain();
    for (let time = 0; time < 3; time++) await refresh(scene, scene.client, used);
    const before = await samples();
    for (let time = 0; time < 2; time++) await refresh(scene, scene.client, used);
    const after = await samples();
    const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    expect(grown('statehouse_requests_repeated_total{reason="grant_revoked"}')).toBe(2);
    expect(grown('statehouse_requests_refused_total{route="/oauth/token",reason="grant_revoked"}')).toBe(2);
  });

  it('has one series for all methods that a route does not have', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const)
      await scene.app.inject({ method, url: '/oauth/token' });
    const refused = [...(await samples()).keys()].filter((name) =>
      /duration_seconds_count\{.*route="\/oauth\/token",status="405"/.test(name),
    );
    expect(refused).toEqual([
      'statehouse_request_duration_seconds_count{method="any",route="/oauth/token",status="405"}',
    ]);
  });

  it('has no id, no username and no secret in any label', async () => {
    const token = await scene.chain();
    const { text } = await get();
    for (const secret of [
      token,
      scene.client.clientId,
      scene.client.secret ?? '-',
      scene.user.username,
      scene.user.id,
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  it('reports the state of the server, also while the database is unreachable', async () => {
    const shown = await samples();
    expect(shown.get('statehouse_build_info{version="1.2.3"}')).toBe(1);
    expect(shown.get('statehouse_queue_length{queue="hashes",place="waiting"}')).toBe(2);
    expect(shown.get('statehouse_overdue_seconds{table="sessions"}')).toBe(90);
    expect(shown.get('statehouse_webhook_oldest_pending_seconds{receiver="crm"}')).toBe(12);
    expect(shown.get('statehouse_mails_waiting{purpose="notice"}')).toBe(3);
    expect(shown.get('statehouse_mail_oldest_waiting_seconds{purpose="notice"}')).toBe(40);
    expect(shown.get('statehouse_signing_key_state_since_seconds{alg="ES256",state="signing"}')).toBe(1700);
    expect(shown.get('statehouse_ledger_segments')).toBe(41);
    expect(shown.get('statehouse_ledger_open_seconds')).toBe(12);
    expect(shown.get('statehouse_ledger_default_partition_entries')).toBe(7);
    expect(shown.get('statehouse_signing_keys_ignored')).toBe(2);
    expect(shown.get('statehouse_configuration_accepted')).toBe(0);
    expect(shown.get('statehouse_database_statements_in_flight')).toBe(3);
    databaseIsThere = false;
    metrics.close();
    metrics = await open();
    const without = await get();
    expect(without.status).toBe(200);
    expect(without.text).not.toContain('statehouse_overdue_seconds{');
    // 0 would report an emptied ledger.
    expect(without.text).not.toMatch(/^statehouse_ledger_/m);
    expect(without.text).toContain('statehouse_build_info{');
  });

  it('answers GET /metrics alone', async () => {
    expect(await get()).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
    expect((await get('/')).status).toBe(404);
    expect((await get('/oauth/token')).status).toBe(404);
    expect((await get('/metrics', 'POST')).status).toBe(405);
  });

  it('stops counting after its end', async () => {
    const other = await open();
    other.close();
    const shown = await fetch(`http://127.0.0.1:${other.port}/metrics`).catch(() => null);
    expect(shown).toBeNull();
    expect(channel('statehouse:request').hasSubscribers).toBe(true);
    metrics.close();
    expect(channel('statehouse:request').hasSubscribers).toBe(false);
    metrics = await open();
  });

  it('is described in the guide, each of our metrics', async () => {
    const guide = readFileSync(new URL('../../../docs/monitoring/README.md', import.meta.url), 'utf8');
    const names = (await get()).text.match(/^# TYPE (statehouse_\w+)/gm)?.map((line) => line.split(' ').at(-1) ?? '');
    expect(names?.length).toBeGreaterThan(12);
    expect(names?.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });
});
