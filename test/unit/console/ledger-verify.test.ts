/** The verification of the ledger in the console: in parts, on any node, with the result in words. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LEDGER_VERIFY_ACTIONS } from '../../../src/console/ledger-verify.ts';
import type { Answer } from '../../../src/console/management-api.ts';
import type { Shown, Viewer } from '../../../src/console/shown.ts';
import type { Browser, Answer as PageAnswer } from '../../support/browser.ts';
import { AUDITOR, type ConsoleApp, consoleBrowser, formTo, openConsoleApp, openPage } from '../../support/console.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { lineNamed, sealAll, writeLines } from '../../support/ledger.ts';

const PATH = '/console/ledger/verify';

let opened: TestDatabase;
let test: ConsoleApp;
let browser: Browser;
beforeAll(async () => {
  opened = await openTestDatabase('embedded');
  test = await openConsoleApp(opened.database);
  await writeLines(opened.database.drizzle, ['first', 'second', 'third']);
  await sealAll(opened.database.drizzle, { most: 2 });
  browser = consoleBrowser(test);
  await openPage(browser, test.operator);
});
afterAll(async () => {
  await test.app.close();
  await opened.close();
});

const verify = async (fields: Readonly<Record<string, string>> = {}, by = browser): Promise<PageAnswer> => {
  const page = await by.get(PATH);
  return by.send('POST', PATH, String(new URLSearchParams({ ...formTo(page, PATH), ...fields })));
};

describe('the verification page', () => {
  it('is one click away from the ledger, and stores nothing', async () => {
    expect((await browser.get('/console/ledger')).body).toContain(`href="${PATH}"><bdi>Verify the ledger</bdi></a>`);
    expect((await browser.get(PATH)).body).toContain('It stores nothing.');
  });

  it('says that nothing was changed, and which segments and entries it verified', async () => {
    const { body } = await verify();
    expect(body).toContain('<p class="done">No entry was changed, added or removed.</p>');
    expect(body).toMatch(/<dt>Segments<\/dt><dd>\d+, from 1 to \d+<\/dd>/);
    expect(body).toMatch(/<dt>Entries<\/dt><dd>\d+, from <code>\d+\/\d+<\/code> to <code>\d+\/\d+<\/code><\/dd>/);
    expect(body).toMatch(/<dt>Sealed<\/dt><dd><time datetime="[^"]*">[^<]* UTC<\/time> to <time /);
    expect(body).toContain('aria-busy="false"');
    expect(body).not.toContain('data-wait');
  });

  it('says how many entries are in no segment yet', async () => {
    await writeLines(opened.database.drizzle, ['open']);
    expect((await verify()).body).toContain('<dt>Not verified</dt><dd>the newest');
  });

  it('compares the newest segment with that of a log', async () => {
    const { body } = await verify({ head: `1:${'a'.repeat(64)}` });
    expect(body).toContain('The ledger is not as it was written: 1 problem.');
    expect(body).toContain('<li>segment 1 is not what the head names: it was replaced</li>');
    const refused = await verify({ head: 'yesterday' });
    expect([refused.status, refused.body.includes('<code>head</code>')]).toEqual([422, true]);
  });

  it('is open to an auditor, and to no form of another site', async () => {
    const auditor = consoleBrowser(test);
    await openPage(auditor, test.auditor);
    expect(test.auditor.username).toBe(AUDITOR);
    expect((await verify({}, auditor)).body).toContain('No entry was changed');
    expect((await browser.send('POST', PATH, 'csrf=x')).status).toBe(403);
  });

  it('refuses a position that no answer had', async () => {
    for (const position of ['x', Buffer.from('{"newer":null}').toString('base64url')]) {
      const { status, body } = await verify({ position });
      expect([status, body.includes('<code>position</code>')]).toEqual([422, true]);
    }
  });

  it('names the changed entry', async () => {
    const { drizzle } = opened.database;
    const line = await lineNamed(drizzle, 'second');
    await drizzle.transaction(async (transaction) => {
      await transaction.execute(sql`set local session_replication_role = replica`);
      await transaction.execute(sql`update transitions set client_id = 'another' where reason = 'second'`);
    });
    const { body } = await verify();
    expect(body).toContain('The ledger is not as it was written: 1 problem.');
    expect(body).toMatch(new RegExp(`<li>segment \\d+: line ${line} \\(\\d{4}-\\d{2}\\) was changed</li>`));
  });
});

describe('a verification in parts', () => {
  let sent: { readonly body: unknown }[];
  beforeEach(() => {
    sent = [];
  });
  const part = (segments: number, left: number, more: object = {}) => ({
    problems: [],
    problem_count: 0,
    untrusted_count: 0,
    segments,
    segments_left: left,
    lines: segments * 10,
    lines_removed_by_retention: 0,
    open_lines: 0,
    first_segment: left + 1,
    first_sealed_at: '2030-01-01T00:00:00.000Z',
    first_entry: '1/1',
    last_entry: '9/9',
    head: { segment: 10, digest: 'd', sealed_at: '2030-01-02T00:00:00.000Z' },
    next: left === 0 ? null : `after ${segments}`,
    ...more,
  });
  const BUSY = { ok: false, problem: { status: 503, title: '', detail: '', reason: '', errors: [] } };
  const act = async (answers: readonly unknown[], fields: Readonly<Record<string, string>> = {}): Promise<string> => {
    const post = async (_: string, body: unknown): Promise<Answer<unknown>> => {
      sent.push({ body });
      const answer = answers[sent.length - 1] as Answer<unknown>;
      return answer.ok === false ? answer : { ok: true, status: 200, value: answer, etag: null };
    };
    const viewer = { api: { post }, path: (path: string) => path, hidden: '' } as unknown as Viewer;
    const shown: Shown | undefined = await LEDGER_VERIFY_ACTIONS[0]?.act(viewer, {
      get: (name) => fields[name] ?? '',
      all: () => [],
    });
    if (shown?.kind !== 'page') throw new Error('no page');
    return shown.body;
  };

  it('asks for four parts a page, each from the place of the one before, and says how far it is', async () => {
    const body = await act([part(1, 9), part(2, 8), part(3, 7), part(4, 6)], { head: '9:abc' });
    expect(sent.map(({ body }) => body)).toEqual([
      { head: '9:abc' },
      { position: 'after 1' },
      { position: 'after 2' },
      { position: 'after 3' },
    ]);
    expect(body).toContain('4 segments with 40 entries verified; about 6 left.');
    expect(body).toContain('<progress max="10" value="4"');
    expect(body).toContain('<input type="hidden" name="position" value="after 4">');
    expect(body).toContain('aria-busy="true"');
  });

  it('continues where the form says, up to the result', async () => {
    const body = await act([part(5, 5), part(10, 0)], { position: 'after 4' });
    expect(sent.map(({ body }) => body)).toEqual([{ position: 'after 4' }, { position: 'after 5' }]);
    expect(body).toContain('<dd>10, from 1 to 10</dd>');
  });

  it('shows the broken places while it continues', async () => {
    const problems = [{ problem: 'line_changed', says: 'segment 9: line 8/8 (2030-01) was changed' }];
    const found = { problems, problem_count: 30 };
    const body = await act([part(1, 9, found), part(2, 8, found), part(3, 7, found), part(4, 6, found)]);
    expect(body).toContain('<li>segment 9: line 8/8 (2030-01) was changed</li>');
    expect(body).toContain('And 29 more.');
  });

  it('waits for another verification of the node, and keeps its place', async () => {
    const body = await act([BUSY], { position: 'after 4', head: '9:abc' });
    expect(body).toContain('data-wait="2000"');
    expect(body).toContain('name="position" value="after 4"');
    expect(body).toContain('name="head" value="9:abc"');
    expect(body).toContain('This one continues after it.');
  });

  it('says of segments of an untrusted key that they are not verified', async () => {
    const problems = [{ problem: 'key_unknown', says: 'segment 1 is signed by another key' }];
    const body = await act([part(10, 0, { problems, problem_count: 1, untrusted_count: 1 })]);
    expect(body).toContain('No change was found, and an untrusted key signed 1 segment.');
  });

  it('says that no segment is sealed yet', async () => {
    expect(await act([part(0, 0, { head: null, first_segment: null })])).toContain('No segment is sealed yet');
  });
});
