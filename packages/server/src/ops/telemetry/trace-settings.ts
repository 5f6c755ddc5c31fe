/** The standard OpenTelemetry variables that turn traces on. The exporter reads the others. */
export interface TraceSettings {
  /** Where spans are sent, by OTLP over HTTP. */
  url: string;
  sampler: {
    /** Whether a request that is already part of a trace follows that trace's sampling. */
    parentBased: boolean;
    /** Share of the traces that start here, 0 to 1. */
    ratio: number;
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

const SAMPLERS: Record<string, { parentBased: boolean; ratio: number | 'argument' }> = {
  always_on: { parentBased: false, ratio: 1 },
  always_off: { parentBased: false, ratio: 0 },
  traceidratio: { parentBased: false, ratio: 'argument' },
  parentbased_always_on: { parentBased: true, ratio: 1 },
  parentbased_always_off: { parentBased: true, ratio: 0 },
  parentbased_traceidratio: { parentBased: true, ratio: 'argument' },
};

/**
 * Null: no traces, and nothing of OpenTelemetry is loaded.
 * @throws Error that says which variable is wrong
 */
export function readTraceSettings(env: Environment): TraceSettings | null {
  const url = endpointOf(env);
  if (url === null || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return null;
  const exporters = env.OTEL_TRACES_EXPORTER ?? 'otlp';
  if (exporters === 'none') return null;
  if (exporters !== 'otlp') throw new Error('OTEL_TRACES_EXPORTER must be otlp or none');
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/json';
  if (!protocol.startsWith('http/')) {
    throw new Error(
      'OTEL_EXPORTER_OTLP_PROTOCOL must be http/json: spans are sent as OTLP over HTTP in JSON',
    );
  }
  return { url, sampler: samplerOf(env) };
}

function endpointOf(env: Environment): string | null {
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const text = own || (base ? `${base.replace(/\/+$/, '')}/v1/traces` : '');
  if (text === '') return null;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new Error('OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that begins with http:// or https://');
  }
  return text;
}

function samplerOf(env: Environment): TraceSettings['sampler'] {
  const named = SAMPLERS[env.OTEL_TRACES_SAMPLER || 'parentbased_always_on'];
  if (!named) throw new Error(`OTEL_TRACES_SAMPLER must be one of: ${Object.keys(SAMPLERS).join(', ')}`);
  if (named.ratio !== 'argument') return { parentBased: named.parentBased, ratio: named.ratio };
  const ratio = Number(env.OTEL_TRACES_SAMPLER_ARG || '1');
  if (!(ratio >= 0 && ratio <= 1)) throw new Error('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  return { parentBased: named.parentBased, ratio };
}
