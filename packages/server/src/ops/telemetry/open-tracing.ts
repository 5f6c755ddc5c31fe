/**
 * Makes a tracer that sends spans by OTLP over HTTP. Only this file loads the SDK, and only tracing loads this file.
 */
import { DiagLogLevel, diag, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TraceSettings } from './trace-settings.ts';
import { Tracing } from './tracing.ts';

/** How long a stopping gate waits for an unreachable collector. */
const LAST_SPANS_MS = 1500;

/** @param onError Called when spans could not be sent. Only those spans are lost. */
export function openTracing(settings: TraceSettings, onError: (message: string) => void): Tracing {
  const report = (message: string, ...details: unknown[]): void => onError([message, ...details].join(' '));
  diag.setLogger(
    { error: report, warn: report, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'permitry' }))
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    sampler: samplerFor(settings.sampler),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: settings.url }) })],
  });
  const tracer: Tracer = provider.getTracer('permitry');
  return new Tracing(tracer, async () => {
    const late = Promise.withResolvers<void>();
    const patience = setTimeout(
      () => late.reject(new Error('the collector did not answer in time')),
      LAST_SPANS_MS,
    );
    await Promise.race([provider.shutdown(), late.promise]).catch((error) => report(String(error)));
    clearTimeout(patience);
    diag.disable();
  });
}

function samplerFor({ parentBased, ratio }: TraceSettings['sampler']): Sampler {
  const root = ratio === 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
  return parentBased ? new ParentBasedSampler({ root }) : root;
}
