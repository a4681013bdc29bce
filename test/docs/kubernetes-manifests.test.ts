/**
 * examples/kubernetes, as far as it can be checked without a cluster. .ci/manifests checks that the chart renders it, and that Kubernetes
 * accepts its fields.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readEnvironment } from '../../src/config/environment.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { secretVariable } from '../../src/config/secret-variable.ts';
import { openTestApp } from '../support/app.ts';
import { testClock } from '../support/clock.ts';
import { anyDatabase, openTestDatabase } from '../support/database.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

type Probe = { readonly httpGet: { readonly path: string; readonly port: string } };
type Container = {
  readonly args?: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
};
type PodSpec = {
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[];
};
type Manifest = {
  readonly kind: string;
  readonly data: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>> & { readonly template: { readonly spec: PodSpec } };
};
const manifests = ['migrate.yaml', 'statehouse.yaml'].flatMap((file) =>
  parseAllDocuments(read(`examples/kubernetes/${file}`)).map((document) => document.toJS() as Manifest),
);
const of = (kind: string): Manifest => {
  const [found, ...more] = manifests.filter((manifest) => manifest.kind === kind);
  if (!found || more.length > 0) throw new Error(`${kind} is not there once`);
  return found;
};
const pods = { server: of('Deployment').spec.template.spec, migrate: of('Job').spec.template.spec };

/** As the container has it: with the files of the secrets, in a folder of this machine. */
function environmentOf(pod: PodSpec, files: Readonly<Record<string, string>>): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-pod-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const here = ({ name, value }: Container['env'][number]) =>
    [name, name.endsWith('_FILE') || name === 'STATEHOUSE_CONFIG' ? join(folder, value) : value] as const;
  return { NODE_ENV: 'production', ...Object.fromEntries(pod.containers[0].env.map(here)) };
}
const SECRET = 'ZmlmdHkgYnl0ZXMgb2YgYSByb290IHNlY3JldCBmb3IgdGVzdHM=';

describe('examples/kubernetes', () => {
  it('passes the server a valid environment, with its secrets as files', () => {
    const url = 'postgres://statehouse_server:secret@db.test/statehouse?sslmode=verify-full';
    const env = environmentOf(pods.server, {
      '/run/secrets/statehouse/root-secret': `${SECRET}\n`,
      '/run/secrets/statehouse/database-url': `${url}\n`,
    });
    const { databaseUrl, secrets, trustedProxies, metrics, issuer } = readEnvironment(env);
    expect({ databaseUrl, secrets, issuer }).toEqual({
      databaseUrl: url,
      secrets: [SECRET],
      issuer: 'https://login.example.com',
    });
    expect(trustedProxies).toEqual(['10.42.0.0/16']);
    expect(metrics).toEqual({ host: '0.0.0.0', port: 9464 });
  });

  it('migrates as the owner, with a secret that the server does not see', () => {
    const env = environmentOf(pods.migrate, {
      '/run/secrets/statehouse/root-secret': SECRET,
      '/run/secrets/statehouse-owner/database-url': 'postgres://statehouse_owner:secret@db.test/statehouse',
    });
    expect(secretVariable(env, 'STATEHOUSE_MIGRATIONS_URL')).toContain('statehouse_owner');
    expect(pods.migrate.containers[0].args).toEqual(['migrate', '--grant-to', 'statehouse_server']);
    expect(JSON.stringify(pods.server)).not.toMatch(/owner|MIGRATIONS/);
  });

  it('contains the shipped policies, in a folder that changes as a whole', () => {
    const files = Object.fromEntries(
      Object.entries(of('ConfigMap').data).map(([file, text]) => [`/etc/statehouse/policies/${file}`, text]),
    );
    const { STATEHOUSE_CONFIG = '' } = environmentOf(pods.server, files);
    const shipped = loadConfiguration(join(ROOT, 'policies'), 'https://as.test');
    const { policies, resources, signIn } = loadConfiguration(STATEHOUSE_CONFIG, 'https://as.test');
    expect(policies.get('default')).toEqual(shipped.policies.get('default'));
    expect({ resources, signIn }).toEqual({ resources: shipped.resources, signIn: shipped.signIn });
    expect(pods.server.containers[0].volumeMounts.filter(({ subPath }) => subPath !== undefined)).toEqual([]);
  });

  it.each(Object.entries(pods))('grants the pod of %s no privilege that it does not need', (_name, pod) => {
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('probes the health endpoints, and never restarts the server for its database', async () => {
    const opened = await openTestDatabase(anyDatabase);
    const test = await openTestApp(opened.database, { clock: testClock(new Date()) });
    onTestFinished(async () => {
      await test.app.close();
      await opened.close();
    });
    const [{ startupProbe, livenessProbe, readinessProbe }] = pods.server.containers;
    for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
      expect((await test.app.inject(httpGet.path)).statusCode).toBe(200);
    }
    expect([startupProbe, livenessProbe].map(({ httpGet }) => httpGet.path)).toEqual(['/health/live', '/health/live']);
    expect(readinessProbe.httpGet.path).toBe('/health/ready');
  });

  it('replaces servers without a gap', () => {
    expect(of('Deployment').spec).toMatchObject({
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    });
    expect(of('PodDisruptionBudget').spec).toMatchObject({ maxUnavailable: 1 });
  });

  it('does not publish the metrics port', () => {
    expect(of('Service').spec['ports']).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
  });

  it('opens the metrics port to the monitoring pods alone', () => {
    const { podSelector, policyTypes, ingress } = of('NetworkPolicy').spec;
    expect(podSelector).toEqual(of('Deployment').spec['selector']);
    expect(policyTypes).toEqual(['Ingress']);
    expect(ingress).toEqual([
      { ports: [{ port: 'http' }] },
      {
        ports: [{ port: 'metrics' }],
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
      },
    ]);
  });

  it('has the version of the server', () => {
    expect(parse(read('examples/helm/statehouse/Chart.yaml')).appVersion).toBe(
      JSON.parse(read('package.json')).version,
    );
  });
});
