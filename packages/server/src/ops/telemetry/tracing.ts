/**
 * Traces have a span for each request, and within it one for the operation. Within that, each database read,
 * transaction (from request to commit) and signature has a span. Spans contain only IDs and route names: no secrets,
 * parameters or paths.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { readTraceParent } from './trace-parent.ts';
import { type SpanSketch, type TracedPorts, tracedPorts } from './traced-ports.ts';

/** Machines call these all the time, and nobody needs their traces. */
const UNTRACED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

export class Tracing {
  readonly #tracer: Tracer;
  readonly #shutDown: () => Promise<void>;
  /** The context of the current request. Background work has none, so only its deliveries have spans. */
  readonly #current = new AsyncLocalStorage<Context>();
  readonly #contexts = new WeakMap<FastifyRequest, Context>();

  constructor(tracer: Tracer, shutDown: () => Promise<void>) {
    this.#tracer = tracer;
    this.#shutDown = shutDown;
  }

  /** Sends the remaining spans. */
  close(): Promise<void> {
    return this.#shutDown();
  }

  /** For the access log. */
  traceOf(request: FastifyRequest): string | undefined {
    const context = this.#contexts.get(request);
    return context && trace.getSpanContext(context)?.traceId;
  }

  /** Call before any route or other hook is added. */
  observe(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => this.#nameOperation(route));
    app.addHook('onRequest', (request, reply, done) => {
      const route = request.routeOptions.url ?? '(no route)';
      if (UNTRACED.has(route)) {
        done();
        return;
      }
      const span = this.#tracer.startSpan(
        `${request.method} ${route}`,
        {
          kind: SpanKind.SERVER,
          attributes: {
            'http.request.method': request.method,
            'http.route': route,
            // The scheme may come from a header, which can contain anything.
            'url.scheme': request.protocol === 'https' ? 'https' : 'http',
            'permitry.request_id': request.id,
          },
        },
        readTraceParent(request.headers.traceparent),
      );
      const context = trace.setSpan(ROOT_CONTEXT, span);
      this.#contexts.set(request, context);
      reply.raw.once('close', () => {
        span.setAttribute('http.response.status_code', reply.statusCode);
        if (request.caller) {
          span.setAttribute('permitry.credential', request.caller.credentialId);
          span.setAttribute('permitry.caller', request.caller.kind);
        }
        if (reply.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      });
      this.#current.run(context, done);
    });
    // A body arrives in events of the connection, which do not know the request. So the context is set again.
    app.addHook('preValidation', (request, _reply, done) => {
      const context = this.#contexts.get(request);
      if (context) this.#current.run(context, done);
      else done();
    });
  }

  /** Wraps an object so that methods have spans during a request, if `spanOf` returns one. */
  methods<T extends object>(target: T, spanOf: (method: string, args: unknown[]) => SpanSketch | null): T {
    return wrapMethods(target, (method, args, call) => {
      const sketch = this.#current.getStore() && spanOf(method, args);
      return sketch ? this.#during(sketch, call) : call();
    });
  }

  /** Wraps the gate's storage and signer, so that traces follow requests through them. */
  ports(system: 'sqlite' | 'postgresql'): TracedPorts {
    return tracedPorts(this, system);
  }

  /**
   * Deliveries in the background: each attempt is a separate trace with its status. Targets may be secret and are left
   * out.
   */
  deliveries<T extends DeliveryClient>(client: T, name: string): T {
    return wrapMethods(client, (method, _args, call) => {
      if (method !== 'post') return call();
      const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT }, ROOT_CONTEXT);
      return endAfter(span, async () => {
        const answer = (await call()) as { status: number };
        span.setAttribute('http.response.status_code', answer.status);
        return answer;
      });
    });
  }

  #nameOperation(route: RouteOptions): void {
    const { handler } = route;
    const { operationId } = (route.schema ?? {}) as { operationId?: string };
    const name = operationId ?? `${[route.method].flat().join()} ${route.url}`;
    const during = this.#during.bind(this);
    route.handler = function operation(request, reply) {
      return during({ name, attributes: {} }, () => handler.call(this, request, reply));
    };
  }

  #during(sketch: SpanSketch, call: () => unknown): unknown {
    const parent = this.#current.getStore();
    if (!parent) return call();
    const { name, attributes, kind = SpanKind.INTERNAL } = sketch;
    const span = this.#tracer.startSpan(name, { kind, attributes }, parent);
    return this.#current.run(trace.setSpan(parent, span), () => endAfter(span, call));
  }
}

/** The client in `outgoing` that sends to addresses people entered. */
interface DeliveryClient {
  post(request: never): Promise<{ status: number }>;
}

/** Wraps an object so that `around` runs around each method call. */
function wrapMethods<T extends object>(
  target: T,
  around: (method: string, args: unknown[], call: () => unknown) => unknown,
): T {
  return new Proxy(target, {
    get: (of, name) => {
      const property: unknown = Reflect.get(of, name);
      if (typeof property !== 'function') return property;
      return (...args: unknown[]) => around(String(name), args, () => Reflect.apply(property, of, args));
    },
  });
}

function endAfter(span: Span, call: () => unknown): unknown {
  try {
    const result = call();
    if (result instanceof Promise)
      result.then(
        () => span.end(),
        (error) => fail(span, error),
      );
    else span.end();
    return result;
  } catch (error) {
    fail(span, error);
    throw error;
  }
}

/** Records the error's code or name only: its message may contain anything. */
function fail(span: Span, error: unknown): void {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', String(code ?? name ?? 'unknown').slice(0, 64));
  span.end();
}
