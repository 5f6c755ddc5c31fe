/** Prometheus reads the metrics of real gates: promtool accepts them, and every query has an answer. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { hasPrometheus } from './install-prometheus.ts';
import { type MeteredGate, startGatesOnBoth } from './metered-gate.ts';
import { type RunningPrometheus, runPrometheus } from './run-prometheus.ts';

const PACKAGING = join(import.meta.dirname, '../../../../packaging');
const ALERTS = join(PACKAGING, 'prometheus-alerts.yaml');

interface Panel {
  id: number;
  title: string;
  targets?: { expr: string }[];
}

const dashboard = JSON.parse(readFileSync(join(PACKAGING, 'grafana-dashboard.json'), 'utf8')) as {
  panels: Panel[];
  templating: { list: { name: string; query: string | { query: string } }[] };
};
const alerts = (
  parse(readFileSync(ALERTS, 'utf8')) as { groups: { rules: { alert: string; expr: string }[] }[] }
).groups.flatMap((group) => group.rules);

let started: Awaited<ReturnType<typeof startGatesOnBoth>>;
let gates: readonly MeteredGate[];
let prometheus: RunningPrometheus;
beforeAll(async () => {
  if (!hasPrometheus()) throw new Error('no promtool, no prometheus: apt-get install prometheus');
  started = await startGatesOnBoth();
  ({ gates } = started);
  const makeTraffic = () => Promise.all(gates.map((gate) => gate.makeTraffic()));
  // There is traffic before the first scrape and after it, because a rate needs a change between two scrapes.
  await makeTraffic();
  prometheus = await runPrometheus(
    gates.map(({ address }) => address),
    ALERTS,
  );
  await prometheus.collectAgain();
  await makeTraffic();
  await prometheus.collectAgain();
});
afterAll(async () => {
  await prometheus?.stop();
  await started?.close();
});

/** The expression with a value for each variable of the dashboard. */
function filledIn(expression: string): string {
  return expression
    .replaceAll('$__rate_interval', '1m')
    .replaceAll('$job', 'permitry')
    .replaceAll('$instance', '.*');
}

async function expectAnswer(expression: string): Promise<void> {
  const values = await prometheus.query(expression);
  expect(values.filter(Number.isFinite)).not.toEqual([]);
}

test.each([
  ['SQLite', 0],
  ['PostgreSQL', 1],
])('promtool accepts the metrics of a gate on %s', async (_database, place) => {
  const input = await gates[place]?.scrape();
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' });
  expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
});

describe('the dashboard', () => {
  const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr] as const),
  );

  test('gives each panel its own ID, and has more than fifty queries', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(queries.length).toBeGreaterThan(50);
  });

  test.each(queries)('has data for the panel %s: %s', async (_title, expression) => {
    await expectAnswer(filledIn(expression));
  });

  test('finds jobs and gates to choose from', async () => {
    for (const { name, query } of dashboard.templating.list) {
      if (typeof query === 'string') continue;
      const [, selector = '', label] = /^label_values\((.*), (\w+)\)$/.exec(query.query) ?? [];
      expect(label).toBe(name);
      await expectAnswer(filledIn(selector));
    }
  });
});

describe('the example alerts', () => {
  test('can all be evaluated', async () => {
    await expect
      .poll(() => prometheus.alertHealth())
      .toEqual(Object.fromEntries(alerts.map(({ alert }) => [alert, 'ok'])));
  });

  // These gates have no failed answers, and a label has no series before its first value.
  test.each(alerts.filter(({ alert }) => alert !== 'PermitryErrors').map(({ alert, expr }) => [alert, expr]))(
    'have a value to compare in %s',
    async (_alert, expression) => {
      const compared = expression.replace(/ (?:==|>) [\d.e]+$/, '');
      expect(compared).not.toBe(expression);
      await expectAnswer(compared);
    },
  );
});
