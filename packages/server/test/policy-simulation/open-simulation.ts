/** A project with a past, and a client that reads answers line by line over a real connection. */
import { type ClientRequest, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@permitry/protocol';
import { SimulationLine } from '@permitry/protocol/schemas';
import type { FastifyInstance } from 'fastify';
import { Compile } from 'typebox/compile';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { runSimulation } from '../../src/gate/policy-management/simulation/run-simulation.ts';
import type { SimulationJob } from '../../src/gate/policy-management/simulation/simulation-job.ts';
import {
  type RunningSimulation,
  type SimulationRunner,
  Simulations,
} from '../../src/gate/policy-management/simulation/simulations.ts';
import { buildApp } from '../../src/http/app.ts';
import type { Reader } from '../../src/storage/nouns.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp, type TestAppOptions } from '../http/open-test-app.ts';

/** Refunds need approval, small sums are free, and everything else needs approval. */
export const IN_FORCE: JsonObject = {
  name: 'active',
  default: { approvers: ['role:approver'], min_approvals: 1 },
  rules: [
    {
      name: 'small refunds',
      match: { action: 'payments.refund' },
      when: 'params.amount < 100',
      effect: 'allow',
    },
    { name: 'no drops', match: { action: 'database.drop*' }, effect: 'deny', reason: 'Not by an agent.' },
  ],
};

/** Refunds from 50 on need two approvals, and drops need approval. A request without an amount fails. */
export const DRAFT: JsonObject = {
  name: 'draft',
  default: { approvers: ['role:approver'], min_approvals: 1 },
  rules: [
    {
      name: 'tiny refunds',
      match: { action: 'payments.refund' },
      when: 'params.amount < 50',
      effect: 'allow',
    },
    {
      name: 'big refunds',
      match: { action: 'payments.refund' },
      when: 'params.amount >= 50',
      effect: 'require_approval',
      require: [{ from: ['role:approver'], count: 2 }],
    },
    { name: 'drops are asked about', match: { action: 'database.drop*' }, effect: 'require_approval' },
  ],
};

export interface Line extends Record<string, unknown> {
  type: string;
}

/** An answer that is being read. */
interface Stream {
  status: number;
  headers: Record<string, unknown>;
  lines: AsyncIterableIterator<Line>;
  request: ClientRequest;
}

export interface SimulationApp extends TestApp {
  url: string;
  path: string;
  ask(body: object, key?: string): Promise<Stream>;
  /** All lines of an answer, each checked against its schema. */
  readAll(body: object, key?: string): Promise<Line[]>;
  put(document: JsonObject): Promise<void>;
  /** The same API on a gate with other simulations. */
  withSimulations(simulations: Simulations): Promise<FastifyInstance>;
  /** Creates this many of each: refunds of 10, 75 and 500, one without an amount, a drop, a mail. */
  makePast(times: number): Promise<void>;
}

const schema = Compile(SimulationLine);

export interface SimulationAppOptions extends TestAppOptions {
  /**
   * Runs the simulation in this thread, for tests of its results. In a separate thread, it would yield to all other
   * work.
   */
  inThisThread?: boolean;
}

export async function openSimulationApp(options: SimulationAppOptions = {}): Promise<SimulationApp> {
  const t = await openTestApp({ logLevel: 'silent', ...options });
  if (options.inThisThread)
    Object.assign(t.parts.gate, { simulations: new Simulations(new HereRunner(t.storage.read)) });
  await t.app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(t.app.server.address() as AddressInfo).port}`;
  const path = `/v1/projects/${t.projectId}/policies/simulate`;
  const put = async (document: JsonObject): Promise<void> => {
    await putPolicy(t.gate, OPERATOR, { projectId: t.projectId, document });
  };
  await put(IN_FORCE);

  async function ask(body: object, key = t.first.secret_key): Promise<Stream> {
    const asked = request(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    asked.end(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      asked.on('error', reject);
      asked.on('response', (response) => {
        // A connection that is cut on purpose is not a failure of the reader.
        response.on('error', () => undefined);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          request: asked,
          lines: linesOf(response),
        });
      });
    });
  }

  return {
    ...t,
    url,
    path,
    ask,
    put,
    withSimulations: (simulations) => buildApp({ ...t.parts, gate: { ...t.parts.gate, simulations } }),
    async readAll(body, key) {
      const { lines } = await ask(body, key);
      return collect(lines);
    },
    async makePast(times) {
      const actions = [
        { action: 'payments.refund', params: { amount: 10 } },
        { action: 'payments.refund', params: { amount: 75 } },
        { action: 'payments.refund', params: { amount: 500 } },
        { action: 'payments.refund', params: {} },
        { action: 'database.drop', params: {} },
        { action: 'mail.send', params: {} },
      ];
      for (let round = 0; round < times; round++) {
        await Promise.all(actions.map((asked) => submitIntent(t.gate, t.agent, asked)));
        t.clock.advance(1);
      }
    },
  };
}

/** Simulates while its reports are read. */
class HereRunner implements SimulationRunner {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  start(job: SimulationJob): RunningSimulation {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const reports = runSimulation(this.#reader, job, () => performance.now());
    const read = async function* () {
      try {
        yield* reports;
      } finally {
        end();
      }
    };
    return { reports: read(), ended, stop: end };
  }
}

async function* linesOf(response: AsyncIterable<Buffer>): AsyncGenerator<Line, void, void> {
  let text = '';
  for await (const chunk of response) {
    text += chunk.toString();
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
      const line = JSON.parse(text.slice(0, end)) as Line;
      text = text.slice(end + 1);
      if (!schema.Check(line))
        throw new Error(`${JSON.stringify(line)}: ${JSON.stringify(schema.Errors(line))}`);
      yield line;
    }
  }
  if (text !== '') throw new Error(`the last line has no end: ${text}`);
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** The last line, which must be a summary. */
export function summaryOf(lines: readonly Line[]): Record<string, unknown> {
  const last = lines.at(-1);
  if (last?.type !== 'summary') throw new Error(`no summary: ${JSON.stringify(last)}`);
  return last;
}
