/** Metrics for Prometheus: the number and duration of requests, and the state of the process and its storage. */
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The range is from well below a group commit to the longest wait that a read may ask for. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** A scrape leaves out a value that takes longer to look up. */
const PATIENCE_MS = 2000;

/** Gauges of prom-client with names like counters. They are removed, because each is only the sum of another gauge. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** The metrics of one route. They are cached, because finding them by labels costs more than counting. */
interface RouteFigures {
  count(status: number): void;
  observe(seconds: number): void;
}

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #durations: Histogram<'method' | 'route'>;
  readonly #routes = new Map<string, RouteFigures>();

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    for (const name of MISNAMED) this.#registry.removeSingleMetric(name);
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

  /** Counts every request of the app. The label is the route's pattern, so that nobody can invent labels. */
  observe(app: FastifyInstance): void {
    app.addHook('onResponse', (request, reply, done) => {
      const figures = this.#figuresOf(request.method, request.routeOptions.url ?? 'none');
      figures.count(reply.statusCode);
      figures.observe(reply.elapsedTime / 1000);
      done();
    });
    this.ask('permitry_http_connections', 'Connections that are open.', async () =>
      app.server.listening
        ? await new Promise<number>((resolve, reject) =>
            app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
          )
        : 0,
    );
  }

  /** A gauge whose value is stored elsewhere and read at every scrape. */
  gauge(name: string, help: string, read: () => number | undefined): void {
    this.ask(name, help, async () => read());
  }

  /** Like `gauge`, for a value that takes time to look up. A scrape that cannot get it leaves it out. */
  ask(name: string, help: string, read: () => Promise<number | undefined>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        const value = await inTime(read);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }

  /** Like `gauge`, for several values that differ in one label. */
  gauges<Label extends string>(
    name: string,
    help: string,
    label: Label,
    read: () => Readonly<Record<string, number>>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        for (const [value, size] of Object.entries(read())) this.labels(value).set(size);
      },
    });
  }

  /** A fact about the process, in labels. The value is always 1. */
  info(name: string, help: string, labels: Readonly<Record<string, string>>): void {
    new Gauge({ name, help, labelNames: Object.keys(labels), registers: [this.#registry] }).set(labels, 1);
  }

  /**
   * A count that only grows, is stored elsewhere and is read at every scrape. The name ends in `_total`.
   * @example metrics.counter('permitry_storage_commits_total', 'Commits.', () => storage.stats().commits)
   */
  counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** Like `counter`, for several counts that differ in one label. */
  counters<Label extends string>(
    name: string,
    help: string,
    label: Label,
    read: () => Readonly<Record<string, number>>,
  ): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(read())) this.labels(value).inc(count);
      },
    });
  }

  /**
   * Durations in seconds, observed as they happen, under labels from a fixed list.
   * @example const observe = metrics.histogram('permitry_resolution_seconds', 'Until …', ['status'], [1, 60]);
   */
  histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets: readonly number[],
  ): (labels: Record<Label, string>, seconds: number) => void {
    const histogram = new Histogram({
      name,
      help,
      labelNames: [...labelNames],
      buckets: [...buckets],
      registers: [this.#registry],
    });
    return (labels, seconds) => histogram.observe(labels, seconds);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The text that Prometheus reads. */
  render(): Promise<string> {
    return this.#registry.metrics();
  }

  #figuresOf(method: string, route: string): RouteFigures {
    const name = `${method} ${route}`;
    const known = this.#routes.get(name);
    if (known) return known;
    const byStatus = new Map<number, { inc(): void }>();
    const durations = this.#durations.labels({ method, route });
    const figures: RouteFigures = {
      observe: (seconds) => durations.observe(seconds),
      count: (status) => {
        let counter = byStatus.get(status);
        if (!counter) {
          counter = this.#requests.labels({ method, route, status: String(status) });
          byStatus.set(status, counter);
        }
        counter.inc();
      },
    };
    this.#routes.set(name, figures);
    return figures;
  }
}

/** Returns undefined for a late or failed read, because the other values must still be reported. */
async function inTime(read: () => Promise<number | undefined>): Promise<number | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), PATIENCE_MS);
  try {
    return await Promise.race([read(), late.promise]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
