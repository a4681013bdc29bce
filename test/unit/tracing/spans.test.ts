/** The spans at a collector, after requests of the real app on a real database. */
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { traceRequests } from '../../../src/tracing/spans.ts';
import { exchange, refresh } from '../../support/actors.ts';
import { anyDatabase } from '../../support/database.ts';
import { openScene, type Scene } from '../../support/scene.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`;

describe('traces', () => {
  let scene: Scene;
  let end: () => void;
  const exporter = new InMemorySpanExporter();
  beforeAll(async () => {
    scene = await openScene(anyDatabase, { trustedProxies: ['127.0.0.1'] });
    end = traceRequests(
      new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }).getTracer('test'),
    );
  });
  afterAll(async () => {
    end();
    await scene.close();
  });
  beforeEach(() => exporter.reset());

  const spans = () => exporter.getFinishedSpans();
  const rootOf = (route: string) => spans().find(({ name }) => name === route);
  const within = (root: ReadableSpan | undefined) =>
    spans().filter(({ parentSpanContext }) => parentSpanContext?.spanId === root?.spanContext().spanId);

  it('have a span for each request, with load, decide, sign and commit inside', async () => {
    const { code, verifier } = await scene.code();
    exporter.reset();
    await exchange(scene, scene.client, { code, verifier });
    const root = rootOf('POST /oauth/token');
    expect(root?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/oauth/token',
      'http.response.status_code': 200,
    });
    expect(new Set(within(root).map(({ name }) => name))).toEqual(new Set(['load', 'decide', 'sign', 'commit']));
    for (const span of within(root)) expect(span.spanContext().traceId).toBe(root?.spanContext().traceId);
    expect(within(root).find(({ name }) => name === 'commit')?.attributes).toEqual({
      'statehouse.what': 'authorizationCode',
    });
  });

  it('contain the reason of a rejected request', async () => {
    const token = await scene.chain();
    await refresh(scene, scene.client, token);
    exporter.reset();
    await refresh(scene, scene.client, token);
    expect(rootOf('POST /oauth/token')?.attributes).toMatchObject({
      'http.response.status_code': 400,
      'statehouse.reason': 'refresh_token_reused',
    });
  });

  it('are named in the log line of the request', async () => {
    await scene.app.inject('/health/live');
    const id = rootOf('GET /health/live')?.spanContext().traceId;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(scene.logs()).toContain(`"traceId":"${id}"`);
  });

  it('continue the trace of a trusted proxy, and of no other sender', async () => {
    const headers = { traceparent: TRACEPARENT };
    await scene.app.inject({ url: '/health/live', headers: { ...headers, 'x-forwarded-for': '203.0.113.9' } });
    expect(rootOf('GET /health/live')?.spanContext().traceId).toBe(TRACE);
    exporter.reset();
    await scene.app.inject({ url: '/health/live', headers });
    expect(rootOf('GET /health/live')?.spanContext().traceId).not.toBe(TRACE);
  });

  it('have no code, token, verifier, secret, id or username', async () => {
    const { code, verifier } = await scene.code();
    const { json } = await exchange(scene, scene.client, { code, verifier });
    const text = JSON.stringify(
      spans().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    const { client, user } = scene;
    for (const secret of [
      code,
      verifier,
      json.access_token,
      json.refresh_token,
      client.secret,
      client.clientId,
      user.id,
      user.username,
    ]) {
      expect(secret).toBeTruthy();
      expect(text).not.toContain(secret);
    }
  });

  it('have one span for a page of another app', async () => {
    await scene.app.inject('/account');
    expect(spans().filter(({ parentSpanContext }) => parentSpanContext === undefined)).toHaveLength(1);
  });

  it('are not created after their end', async () => {
    end();
    await scene.chain();
    expect(spans()).toEqual([]);
    expect(scene.logs().split('\n').at(-2)).not.toContain('traceId');
  });
});
