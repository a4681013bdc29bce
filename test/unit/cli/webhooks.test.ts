/** `webhooks list|deliveries|repeat|test`, on the database and through a server. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  askDelivery,
  claimRequest,
  reportRequest,
  retryPolicyOf,
} from '../../../src/lifecycles/webhook-delivery/lifecycle.ts';
import { webhookStore } from '../../../src/storage/webhooks.ts';
import { databaseClock } from '../../../src/system/clock.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { webhooksFile } from '../../support/webhooks.ts';
import { type CommandLine, openCommandLine, ways } from './command-line.ts';

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

describe.each(ways)('webhooks through the %s', (way) => {
  let opened: TestDatabase;
  let line: CommandLine;
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-webhooks-'));
  const env = { STATEHOUSE_CONFIG: folder };
  beforeAll(async () => {
    cpSync(new URL('../../../policies', import.meta.url).pathname, folder, { recursive: true });
    writeFileSync(
      join(folder, 'webhooks.yaml'),
      'receivers:\n  - name: crm\n    url: https://crm.example.com/hooks?token=hidden\n    events: [user]\n    secretEnvironment: CRM_SECRET\n',
    );
    opened = await openTestDatabase(anyDatabase);
    line = await openCommandLine(opened.database, way);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await opened.close();
  });

  const run = (...args: string[]) => line.run(['webhooks', ...args], { env });
  const asJson = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);

  it('lists the endpoints', async () => {
    expect((await line.run(['webhooks', 'list'])).out).toBe('No receivers: webhooks.yaml names none.\n');
    expect((await run('list')).out).toMatch(
      /^NAME +FORMAT +EVENTS +PENDING +OLDEST +URL *\ncrm +standard +user +0 +https:\/\/crm\.example\.com\/hooks\n$/,
    );
    expect(await asJson('list')).toEqual({
      receivers: [
        {
          name: 'crm',
          url: 'https://crm.example.com/hooks',
          format: 'standard',
          events: ['user'],
          pending: 0,
          oldest_pending_at: null,
          abandoned: 0,
          paused_at: null,
        },
      ],
    });
  });

  it('records a test event, shows its delivery, and redelivers it', async () => {
    const recorded = await run('test', 'crm');
    expect(recorded).toMatchObject({ status: 0, err: '' });
    expect(recorded.out).toMatch(/^recorded {3}[0-9a-f-]{36} {2}\(webhook\.test to crm\)\n$/);
    const id = UUID.exec(recorded.out)?.[0] ?? '';
    const { deliveries } = webhookStore(opened.database.drizzle, databaseClock);
    const [ports, policy] = [{ deliveries, sleep: async () => {} }, retryPolicyOf(webhooksFile([]))];
    const claimed = await askDelivery(ports, id, claimRequest(policy));
    const claim = claimed?.nextAttemptAt ?? new Date(0);
    await askDelivery(ports, id, reportRequest(policy, { outcome: 'gone', claim }));
    expect((await run('deliveries', '--state', 'abandoned')).out).toMatch(
      new RegExp(`${id} +crm +webhook\\.test +.* UTC +abandoned \\(receiver_gone\\) +1 +gone`),
    );
    expect((await asJson('deliveries', '--receiver', 'crm')).deliveries).toMatchObject([
      { delivery_id: id, state: 'abandoned', reason: 'receiver_gone', last_outcome: 'gone', attempts: 1 },
    ]);
    expect(await run('repeat', id)).toEqual({ status: 0, out: `repeated   ${id}  (webhook.test to crm)\n`, err: '' });
    expect((await asJson('deliveries')).deliveries).toMatchObject([{ delivery_id: id, state: 'pending', attempts: 0 }]);
  });

  it('reports an unknown endpoint or delivery', async () => {
    expect(await run('test', 'unknown')).toEqual({ status: 1, out: '', err: 'No such receiver: "unknown".\n' });
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect(await run('repeat', unknown)).toEqual({ status: 1, out: '', err: `No such delivery: "${unknown}".\n` });
    expect((await run('repeat', 'x')).err).toContain('Expected an id (a UUID)');
    expect((await run('deliveries', '--receiver', 'unknown')).out).toBe('No such deliveries.\n');
  });
});
