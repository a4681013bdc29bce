/** The alert rules and the dashboard: accepted by promtool, each alert explained, each metric there. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const FOLDER = fileURLToPath(new URL('../../docs/monitoring/', import.meta.url));
const read = (file: string) => readFileSync(`${FOLDER}${file}`, 'utf8');

type Rule = { readonly alert: string; readonly expr: string; readonly annotations: { readonly runbook: string } };
const rules: readonly Rule[] = parse(read('alerts.yaml')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);
const panels: readonly { readonly type: string; readonly targets?: readonly { readonly expr: string }[] }[] =
  JSON.parse(read('dashboard.json')).panels;
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
];

/** In the console and the management API alone (src/management/alarms.ts). */
const ALARMS_WITHOUT_METRIC = ['StatehouseNoOperator'];

// `.ci/run` brings it; without it the test is left out, visibly.
const promtool = [process.env['PROMTOOL_PATH'], '/usr/bin/promtool'].find((path) => path && existsSync(path)) ?? null;

describe('the alert rules', () => {
  it('have a runbook each, and every runbook has its alert', () => {
    expect(rules.map(({ alert }) => `runbooks/${alert}.md`)).toEqual(
      rules.map(({ annotations }) => annotations.runbook),
    );
    const names = [...rules.map(({ alert }) => alert), ...ALARMS_WITHOUT_METRIC];
    expect(readdirSync(`${FOLDER}runbooks`).toSorted()).toEqual(names.map((name) => `${name}.md`).toSorted());
    for (const { annotations } of rules) {
      expect(read(annotations.runbook)).toMatch(
        /^# \w+\n\n## What it means\n.+\n## What to look at\n.+\n## What to do\n/s,
      );
    }
  });

  it('have a test each', () => {
    const tested = new Set(
      parse(read('alerts.test.yaml')).tests.flatMap(
        (test: { alert_rule_test: { alertname: string; exp_alerts: [] }[] }) =>
          test.alert_rule_test.filter(({ exp_alerts }) => exp_alerts.length > 0).map(({ alertname }) => alertname),
      ),
    );
    expect(rules.map(({ alert }) => alert).filter((alert) => !tested.has(alert))).toEqual([]);
  });

  it.skipIf(promtool === null)('are accepted by promtool, and fire when they should', () => {
    const { status, stdout, stderr } = spawnSync(promtool ?? '', ['test', 'rules', 'alerts.test.yaml'], {
      cwd: FOLDER,
      encoding: 'utf8',
    });
    expect(`${stdout}${stderr}`).toContain('SUCCESS');
    expect(status).toBe(0);
  });
});

it('a number of the dashboard is 0, and not empty, before the first failure is counted', () => {
  const failures = panels.flatMap(({ type, targets = [] }) => (type === 'stat' ? targets : [])).map(({ expr }) => expr);
  const sums = failures.filter((expr) => /^\(?sum\(/.test(expr) && /(_failed_|status=)/.test(expr));
  expect(sums).toHaveLength(2);
  for (const expr of sums) expect(expr).toContain('or vector(0)');
});

it('alerts and dashboard use only metrics that the guide describes', () => {
  const guide = read('README.md');
  const names = expressions.flatMap((expr) => expr.match(/\bstatehouse_[a-z_]+/g) ?? []);
  expect(names.length).toBeGreaterThan(30);
  const unknown = names.filter((name) => !guide.includes(`\`${name.replace(/_(bucket|count|sum)$/, '')}\``));
  expect(unknown).toEqual([]);
});
