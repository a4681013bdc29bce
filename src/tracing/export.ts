/** Counts what a collector accepted and what it did not, and reports each change from one to the other, once. */
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { exportedSpans } from '../system/observed.ts';

/** @param code of the failure; null: spans are delivered again. */
export type DeliveryChanged = (code: string | null) => void;

export function observed(exporter: SpanExporter, changed: DeliveryChanged): SpanExporter {
  let isFailing = false;
  const note = ({ code, error }: ExportResult, spans: number) => {
    const failed = code !== ExportResultCode.SUCCESS;
    exportedSpans.publish(() => ({ outcome: failed ? 'failed' : 'delivered', spans }));
    if (failed === isFailing) return;
    isFailing = failed;
    // The message of the error can have the address, and with it what authorizes this server there.
    changed(failed ? codeOf(error) : null);
  };
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        note(result, spans.length);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}

/** Of the operating system, or the status of the collector. */
function codeOf(error: unknown): string {
  for (let one: unknown = error; one instanceof Error; one = one.cause) {
    const { code } = one as { code?: unknown };
    if (typeof code === 'number' || (typeof code === 'string' && /^[\w.]{1,40}$/.test(code))) return String(code);
  }
  return error instanceof Error ? error.name : 'unknown';
}
