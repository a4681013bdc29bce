/** A collector that rejects spans. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { Registry } from 'prom-client';
import { expect, it, onTestFinished } from 'vitest';
import { countSpans } from '../../../src/metrics/traces.ts';
import { observed } from '../../../src/tracing/export.ts';

function aSpan(): ReadableSpan {
  const memory = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: memory })] });
  provider.getTracer('test').startSpan('one').end();
  return memory.getFinishedSpans()[0] as ReadableSpan;
}

it('a failed export is reported once until it works again, and each lost span is in the metric', async () => {
  let status = 400;
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end('{}'));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void collector.close());
  await new Promise((resolve) => collector.once('listening', resolve));
  const { port } = collector.address() as AddressInfo;

  const changes: (string | null)[] = [];
  const registry = new Registry();
  onTestFinished(countSpans(registry));
  const exporter = observed(
    new OTLPTraceExporter({ url: `http://127.0.0.1:${port}/s3cret`, headers: { authorization: 's3cret' } }),
    (code) => void changes.push(code),
  );
  onTestFinished(() => exporter.shutdown());
  const send = (spans: ReadableSpan[]) => new Promise((resolve) => exporter.export(spans, resolve));

  await send([aSpan(), aSpan()]);
  await send([aSpan()]);
  expect(changes).toEqual(['400']);
  status = 200;
  await send([aSpan()]);
  status = 404;
  await send([aSpan()]);
  expect(changes).toEqual(['400', null, '404']);
  const text = await registry.metrics();
  expect(text).toContain('statehouse_spans_total{outcome="failed"} 4');
  expect(text).toContain('statehouse_spans_total{outcome="delivered"} 1');
});
