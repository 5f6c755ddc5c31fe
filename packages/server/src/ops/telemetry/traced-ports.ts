import { type Attributes, SpanKind } from '@opentelemetry/api';
import type { Signer } from '../../gate/kernel/signer.ts';
import type { OpenStorage } from '../../storage/storage.ts';

/** The name and attributes of a span. */
export interface SpanSketch {
  name: string;
  attributes: Attributes;
  kind?: SpanKind;
}

/** Wraps an object so that its methods have spans, if `spanOf` returns one. */
export interface MethodTracer {
  methods<T extends object>(target: T, spanOf: (method: string, args: unknown[]) => SpanSketch | null): T;
}

/** The gate's storage and signer while it is traced. */
export interface TracedPorts {
  storage(storage: OpenStorage): OpenStorage;
  signer(signer: Signer): Signer;
}

export function tracedPorts(tracing: MethodTracer, system: 'sqlite' | 'postgresql'): TracedPorts {
  const attributes = { 'db.system.name': system };
  return {
    storage(storage) {
      const read = tracing.methods(storage.read, (method) => ({
        name: `read ${method}`,
        attributes,
        kind: SpanKind.CLIENT,
      }));
      const traced = tracing.methods(storage, (method, args) => {
        if (method !== 'transaction') return null;
        const { guarded = false } = (args[1] ?? {}) as { guarded?: boolean };
        // The span lasts from the request to the commit. It includes earlier transactions in the group, and the disk.
        return {
          name: 'transaction',
          attributes: { ...attributes, 'permitry.guarded': guarded },
          kind: SpanKind.CLIENT,
        };
      });
      return new Proxy(traced, { get: (of, name) => (name === 'read' ? read : Reflect.get(of, name)) });
    },
    signer: (signer) =>
      tracing.methods(signer, (method, [kid]) =>
        method === 'sign' ? { name: 'sign', attributes: { 'permitry.kid': String(kid) } } : null,
      ),
  };
}
