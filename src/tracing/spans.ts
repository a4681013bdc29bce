/** Spans of what the other rooms tell. A request is known by the time that it may take, which follows it through the code. */
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { observeEngine } from '../engine/observe.ts';
import { answeredRequests, begunRequests, tellTraceIds } from '../system/observed.ts';
import { type RequestTime, timeOfRequest } from '../system/request-time.ts';

const propagator = new W3CTraceContextPropagator();
const TRACEPARENT = {
  get: (carrier: { readonly traceparent: string | null }, key: string) =>
    key === 'traceparent' ? (carrier.traceparent ?? undefined) : undefined,
  keys: () => ['traceparent'],
};

/** @returns a function that ends it. */
export function traceRequests(tracer: Tracer): () => void {
  const spans = new WeakMap<RequestTime, Span>();
  const parentOf = (time: RequestTime | null) => {
    const span = time && spans.get(time);
    return span ? trace.setSpan(ROOT_CONTEXT, span) : null;
  };

  const ends = [
    begunRequests.listen((begun) => {
      const parent = begun.traceparent === null ? ROOT_CONTEXT : propagator.extract(ROOT_CONTEXT, begun, TRACEPARENT);
      const attributes = { 'http.request.method': begun.method };
      spans.set(begun.time, tracer.startSpan(begun.method, { kind: SpanKind.SERVER, attributes }, parent));
    }),
    answeredRequests.listen(({ time, method, route, status, reason }) => {
      const span = spans.get(time);
      if (!span) return;
      span.updateName(route === null ? method : `${method} ${route}`);
      span.setAttributes({
        'http.response.status_code': status,
        ...(route !== null && { 'http.route': route }),
        ...(reason !== null && { 'statehouse.reason': reason }),
      });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    }),
    // Work of the server itself, such as the keeping of keys, is in no request and has no span.
    observeEngine({
      instrument: (phase, what, work) => {
        const parent = parentOf(timeOfRequest());
        return parent
          ? inSpan(tracer.startSpan(phase, { attributes: { 'statehouse.what': what } }, parent), work)
          : work();
      },
    }),
  ];
  tellTraceIds((time) => spans.get(time)?.spanContext().traceId ?? null);
  return () => {
    tellTraceIds(null);
    for (const end of ends) end();
  };
}

/** The message of an error may contain request data, so the span has only its type. */
function inSpan<T>(span: Span, work: () => T): T {
  const failed = (error: unknown) => {
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
    span.end();
  };
  try {
    const made = work();
    if (made instanceof Promise) made.then(() => span.end(), failed);
    else span.end();
    return made;
  } catch (error) {
    failed(error);
    throw error;
  }
}
