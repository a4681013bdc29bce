/** Sends spans to a collector by OTLP over HTTP, as the standard variables of OpenTelemetry say. */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type DeliveryChanged, observed } from './export.ts';
import { traceRequests } from './spans.ts';

export type TracingOptions = {
  readonly version: string;
  /** `OTEL_TRACES_SAMPLER` and its argument; null: every request. */
  readonly sampler: string | null;
  readonly samplerArgument: string | null;
  readonly deliveryChanged: DeliveryChanged;
  /** For tests; default: OTLP, to the address in the environment. */
  readonly exporter?: SpanExporter;
};

/** Sends what is left, and ends it. */
export type Tracing = { readonly close: () => Promise<void> };

/** @throws Error for a sampler that does not exist. */
export function openTracing({ version, sampler, samplerArgument, deliveryChanged, exporter }: TracingOptions): Tracing {
  const own = resourceFromAttributes({ 'service.name': 'statehouse', 'service.version': version });
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES come last and win.
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(sampler ?? 'parentbased_always_on', Number(samplerArgument ?? 1)),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: observed(exporter ?? new OTLPTraceExporter(), deliveryChanged) }),
    ],
  });
  const end = traceRequests(provider.getTracer('statehouse', version));
  return {
    close: async () => {
      end();
      await provider.shutdown();
    },
  };
}

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
const SAMPLERS: Readonly<Record<string, (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

function samplerOf(name: string, ratio: number): Sampler {
  const make = SAMPLERS[name];
  if (make && ratio >= 0 && ratio <= 1) return make(ratio);
  throw new Error(
    `OTEL_TRACES_SAMPLER: Expected one of ${Object.keys(SAMPLERS).join(', ')}, with a ratio from 0 to 1 in OTEL_TRACES_SAMPLER_ARG.`,
  );
}
