import { type Context, ROOT_CONTEXT, trace } from '@opentelemetry/api';

/** W3C Trace Context: version, trace ID, parent ID, flags. A later version may add more at the end. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NOTHING = /^0+$/;

/** The trace that the request names. A new trace if it names none, or the header is invalid. */
export function readTraceParent(header: string | string[] | undefined): Context {
  const [, version, traceId = '', spanId = '', flags = '', rest] =
    TRACEPARENT.exec(typeof header === 'string' ? header.trim() : '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined))
    return ROOT_CONTEXT;
  if (NOTHING.test(traceId) || NOTHING.test(spanId)) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
  });
}
