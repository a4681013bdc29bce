/** Webhooks in the console: pending deliveries, the state of an event, and its redelivery. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeUser } from '../../support/actors.ts';
import { shippedConfiguration } from '../../support/app.ts';
import type { Answer, Browser } from '../../support/browser.ts';
import { type ConsoleApp, consoleBrowser, formTo, openConsoleApp, openPage } from '../../support/console.ts';
import { anyDatabase, openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { openReceiver, type Receiver } from '../../support/receiver.ts';
import { deliveryWorkerOf, type TestDeliveryWorker, webhooksFile } from '../../support/webhooks.ts';

const REPEAT = '/console/webhooks/delivery/repeat';
const TEST = '/console/webhooks/test';
const [PAUSE, RESUME, REDELIVER] = ['pause', 'resume', 'redeliver'].map((last) => `/console/webhooks/${last}`) as [
  string,
  string,
  string,
];

let opened: TestDatabase;
let test: ConsoleApp;
let receiver: Receiver;
let worker: TestDeliveryWorker;
let browser: Browser;
let auditing: Browser;
let status = 204;
beforeAll(async () => {
  receiver = await openReceiver((response) => void response.writeHead(status).end());
  const crm = { name: 'crm', url: `${receiver.url}?token=hidden`, events: ['user'] };
  const siem = { name: 'siem', url: 'https://siem.example.com/', format: 'set', events: ['session'] };
  const webhooks = webhooksFile([crm, siem], { maxAttempts: 1 });
  opened = await openTestDatabase(anyDatabase);
  test = await openConsoleApp(opened.database, { configuration: { ...shippedConfiguration, webhooks } });
  worker = deliveryWorkerOf(test, webhooksFile([crm], { maxAttempts: 1 }));
  await worker.round();
  browser = consoleBrowser(test);
  await openPage(browser, test.operator);
  auditing = consoleBrowser(test);
  await openPage(auditing, test.auditor);
});
afterAll(async () => {
  await receiver?.close();
  await test?.app.close();
  await opened?.close();
});

/** Rows of the page's table, as text. */
const rowsOf = ({ body }: Answer): readonly string[] =>
  [...body.matchAll(/<tr>(<td.*?)<\/tr>/gs)].map(([, cells = '']) =>
    cells
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
const idIn = ({ body }: Answer): string => /webhooks\/delivery\?id&#61;([0-9a-f-]{36})/.exec(body)?.[1] ?? '';
const at = (rest: string) => browser.get(`/console/webhooks${rest}`);

describe('webhooks in the console', () => {
  it('send a test, which waits, arrives, and is redelivered with the same id', async () => {
    const before = await at('');
    expect(rowsOf(before)[0]).toMatch(/^crm 127\.0\.0\.1:\d+ Standard Webhooks user on 0 0 Test crm Switch crm off$/);
    expect(rowsOf(before)[1]).toMatch(
      /^siem siem\.example\.com Security Event Tokens session on 0 0 Test siem Switch siem off$/,
    );
    const recorded = await browser.post(TEST, formTo(before, TEST));
    expect(recorded.body).toContain('The server sends the test event within a second or two');
    expect(recorded.body).toContain('waiting');
    expect(rowsOf(await at(''))[0]).toMatch(/ 1 \d+ \w+ \d{4}, [\d:]+ UTC 0 Test crm Switch crm off$/);
    await worker.round();
    const delivered = await browser.get(recorded.url);
    expect(delivered.body).toContain('<span class="badge good">delivered</span>');
    expect(rowsOf(delivered)[0]).toMatch(/UTC Delivered delivered 204 [\d,]+ ms$/);
    const repeated = await browser.post(REPEAT, formTo(delivered, REPEAT));
    expect(repeated.body).toContain('The server sends it again');
    // The same form again, as after a double click, sends no second event.
    await worker.round();
    await browser.post(REPEAT, formTo(delivered, REPEAT));
    await worker.round();
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  });

  it('are listed by endpoint and state, in pages, with the reason of a dead letter', async () => {
    status = 500;
    const users = await Promise.all(Array.from({ length: 52 }, () => makeUser(test)));
    await worker.round();
    status = 204;
    const first = await at('/deliveries?receiver=crm&state=abandoned');
    expect(rowsOf(first)[0]).toMatch(
      /^[0-9a-f]{8} user\.created crm .* UTC dead-lettered attempts used up attempts_used_up 1 failed$/,
    );
    const next = /href="([^"]*cursor[^"]*)"/.exec(first.body)?.[1]?.replaceAll('&#61;', '=').replaceAll('&#38;', '&');
    const second = await browser.get(next ?? '');
    expect(rowsOf(first).length + rowsOf(second).length).toBe(users.length);
    expect(second.body).toContain('First page');
    expect(rowsOf(await at('/deliveries?receiver=siem'))).toEqual([]);
    expect(rowsOf(await at('/deliveries?state=delivered'))).toHaveLength(1);
    const { body } = await at(`/delivery?id=${idIn(first)}`);
    expect(users.some(({ id }) => body.includes(id))).toBe(true);
    expect(body).toContain('attempts_used_up');
  });

  it('redeliver all that failed, and switch an endpoint off and on', async () => {
    expect(rowsOf(await at(''))[0]).toMatch(/ 52 Test crm Switch crm off Redeliver all failed of crm$/);
    const before = receiver.received.length;
    const done = await browser.post(REDELIVER, formTo(await at(''), REDELIVER));
    expect(done.body).toContain('The server sends them again');
    expect(rowsOf(done)[0]).toMatch(/ 0 Test crm Switch crm off$/);
    const off = await browser.post(PAUSE, formTo(done, PAUSE));
    expect(off.body).toContain('Switched off: its events wait');
    await worker.round();
    expect(receiver.received.length).toBe(before);
    const page = await at('');
    expect(rowsOf(page)[0]).toMatch(/user off since .* 52 .* 0 Test crm Switch crm on$/);
    const on = await browser.post(RESUME, formTo(page, RESUME));
    expect(on.body).toContain('Switched on');
    await worker.round();
    expect(receiver.received.length).toBe(before + 52);
    status = 500;
    await makeUser(test);
    await worker.round();
    status = 204;
  });

  it('show an auditor everything, and offer no action', async () => {
    const list = await auditing.get('/console/webhooks');
    // A test event, without content, was delivered.
    const found = await auditing.get('/console/webhooks/deliveries?state=abandoned');
    const one = await auditing.get(`/console/webhooks/delivery?id=${idIn(found)}`);
    expect(one.body).toContain('The data for the endpoint');
    for (const { status, body } of [list, found, one]) {
      expect(status).toBe(200);
      expect(body).toContain('aria-current="page">Webhooks');
      const forms = [...body.matchAll(/method="post" action="([^"]*)"/g)].map(([, action]) => action);
      expect(forms).toEqual(['/console/find', '/console/sign-out']);
      expect(body).not.toContain('token=');
    }
  });

  it('report an unknown endpoint or delivery', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000';
    expect((await at(`/delivery?id=${unknown}`)).status).toBe(404);
    expect((await at('/delivery')).status).toBe(404);
    expect((await at('/deliveries?state=lost')).status).toBe(400);
    const form = formTo(await at(''), TEST);
    expect((await browser.post(TEST, { ...form, receiver: 'unknown' })).status).toBe(404);
    expect((await browser.post(REPEAT, { ...form, once: 'another', id: unknown })).status).toBe(404);
  });
});
