/** What Prometheus may know: how many requests, how long they took, how the process and its storage are. */
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** From well below a group commit to the longest wait a read may ask for. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #durations: Histogram<'method' | 'route'>;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: 'permitry_http_requests_total',
      help: 'Answered requests.',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'permitry_http_request_duration_seconds',
      help: 'From the first byte of a request to the last of its answer.',
      labelNames: ['method', 'route'],
      buckets: DURATION_BUCKETS,
      registers,
    });
  }

  /** Counts every request of the app. Routes stand by their pattern, so that nobody can make up labels. */
  observe(app: FastifyInstance): void {
    app.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'none';
      this.#requests.inc({ method: request.method, route, status: reply.statusCode });
      this.#durations.observe({ method: request.method, route }, reply.elapsedTime / 1000);
      done();
    });
  }

  /**
   * Shows counts somebody else keeps, looked up whenever they are asked for.
   *
   * @example metrics.expose('permitry_storage', 'Counts of the storage since it was opened', storage.stats)
   */
  expose(prefix: string, help: string, read: () => object): void {
    for (const name of Object.keys(read())) {
      new Gauge({
        name: `${prefix}_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
        help: `${help}: ${name}.`,
        registers: [this.#registry],
        collect() {
          const value = (read() as Record<string, unknown>)[name];
          if (typeof value === 'number') this.set(value);
        },
      });
    }
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The text Prometheus reads. */
  render(): Promise<string> {
    return this.#registry.metrics();
  }
}
