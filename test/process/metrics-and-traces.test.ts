/** A server with metrics and traces: the metrics that Prometheus reads and the spans that a collector receives. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { becomesReady, outputOf, START, startChild, waiting } from '../support/child-process.ts';
import { freePort } from '../support/listening.ts';
import { until } from '../support/until.ts';

type Sent = {
  readonly resourceSpans: readonly {
    readonly resource: {
      readonly attributes: readonly { readonly key: string; readonly value: { stringValue: string } }[];
    };
    readonly scopeSpans: readonly { readonly spans: readonly { readonly name: string }[] }[];
  }[];
};

it('a server serves metrics on a port of their own, and sends its last spans when it stops', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statehouse-observed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sent: Sent[] = [];
  const collector = createServer(async (request, response) => {
    sent.push(JSON.parse(await text(request)));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void collector.close());
  await once(collector, 'listening');
  const [port, metricsPort] = [await freePort(), await freePort()];
  const env = {
    PATH: process.env['PATH'],
    PORT: String(port),
    STATEHOUSE_METRICS_PORT: String(metricsPort),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_SERVICE_NAME: 'login',
  };
  const server = startChild(process.execPath, [...waiting(), ...START], { cwd: folder, env });
  const output = outputOf(server);
  await becomesReady(server, `http://localhost:${port}`, output);
  await until(() => output().includes('curl -u'));
  const [, user = ''] = /curl -u (\S+)/.exec(output()) ?? [];
  const answer = await fetch(`http://localhost:${port}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(user).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  expect(answer.status).toBe(200);

  const metrics = await fetch(`http://localhost:${metricsPort}/metrics`).then((read) => read.text());
  expect(metrics).toContain(
    'statehouse_request_duration_seconds_count{method="POST",route="/oauth/token",status="200"} 1',
  );
  expect(metrics).toContain('statehouse_signing_key_state_since_seconds{alg="ES256",state="signing"}');
  expect((await fetch(`http://localhost:${port}/metrics`)).status).toBe(404);

  server.kill('SIGTERM');
  expect((await once(server, 'exit'))[0]).toBe(0);
  const resources = sent.flatMap(({ resourceSpans }) => resourceSpans);
  const names = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name)));
  expect(names).toContain('POST /oauth/token');
  expect(names).toContain('sign');
  expect(resources[0]?.resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'login' } });
  expect(JSON.stringify(sent)).not.toContain(user.split(':')[1]);
});
