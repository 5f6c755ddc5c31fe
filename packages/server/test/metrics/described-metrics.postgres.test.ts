/** The metrics follow Prometheus' conventions. The metrics, their description and the example alerts agree. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { VERSION } from '../../src/runtime/version.ts';
import { type MeteredGate, type Metric, parseMetrics, startGatesOnBoth } from './metered-gate.ts';

const ROOT = join(import.meta.dirname, '../../../..');

interface Rule {
  alert: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

const operations = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
const dashboard = readFileSync(join(ROOT, 'packaging/grafana-dashboard.json'), 'utf8');
const { groups } = parse(readFileSync(join(ROOT, 'packaging/prometheus-alerts.yaml'), 'utf8')) as {
  groups: { name: string; rules: Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

let started: Awaited<ReturnType<typeof startGatesOnBoth>>;
let gates: readonly MeteredGate[];
beforeAll(async () => {
  started = await startGatesOnBoth();
  ({ gates } = started);
});
afterAll(() => started.close());

/** The metrics of the gates on both databases together. */
async function allMetrics(): Promise<[string, Metric][]> {
  const texts = await Promise.all(gates.map((gate) => gate.scrape()));
  return texts.flatMap((text) => [...parseMetrics(text)]);
}

/** Gauges that are higher than before, except those whose level does not depend on traffic. */
async function risenGauges(gate: MeteredGate, before: Map<string, Metric>): Promise<string[]> {
  const after = parseMetrics(await gate.scrape());
  return [...after]
    .filter(([name, { type }]) => isOurs(name) && type === 'gauge' && !name.endsWith('_connections'))
    .flatMap(([name, { samples }]) =>
      [...samples].flatMap(([sample, value]) =>
        value > (before.get(name)?.samples.get(sample) ?? 0) ? [sample] : [],
      ),
    );
}

function isOurs(name: string): boolean {
  return name.startsWith('permitry_');
}

describe('metrics', () => {
  test('end in _total exactly when they are counters', async () => {
    const metrics = await allMetrics();
    expect(metrics.filter(([name]) => isOurs(name)).length).toBeGreaterThan(80);
    expect(metrics.filter(([name, { type }]) => (type === 'counter') !== name.endsWith('_total'))).toEqual(
      [],
    );
  });

  test('all have a type, a help text and a name in base units', async () => {
    for (const [name, { type, help, samples }] of await allMetrics()) {
      expect([name, type]).toEqual([name, expect.stringMatching(/^(counter|gauge|histogram|summary)$/)]);
      if (!isOurs(name)) continue;
      expect([name, help]).toEqual([name, expect.stringMatching(/\.$/)]);
      expect(name).toMatch(/^permitry(_[a-z]+)+$/);
      expect(name).not.toMatch(/_(ms|milliseconds|minutes|hours|days|kb|mb|percent|count|sum|bucket)(_|$)/);
      if (type === 'histogram') expect(name).toMatch(/_seconds$/);
      expect([name, [...samples.values()].filter((value) => !(value >= 0))]).toEqual([name, []]);
    }
  });

  test('include no gauge that is higher than before once the traffic is over', async () => {
    for (const gate of gates) {
      const before = parseMetrics(await gate.scrape());
      await gate.makeTraffic();
      const after = parseMetrics(await gate.scrape());
      const [commits] = after.get('permitry_storage_commits_total')?.samples.values() ?? [];
      const [earlier] = before.get('permitry_storage_commits_total')?.samples.values() ?? [];
      expect(commits).toBeGreaterThan(earlier ?? Number.POSITIVE_INFINITY);
      await expect.poll(() => risenGauges(gate, before)).toEqual([]);
    }
  });

  test('include the version, as a label of permitry_build_info', async () => {
    const [info] = (await allMetrics()).filter(([name]) => name === 'permitry_build_info');
    const labels = `version="${VERSION}",node_version="${process.versions.node}"`;
    expect(info?.[1].samples).toEqual(new Map([[`permitry_build_info{${labels}}`, 1]]));
  });

  test('named permitry_… are all described in docs/operations.md, which names no others', async () => {
    const described = new Set(
      [...operations.matchAll(/`(permitry_[a-z_]+)`/g)].map(([, name]) => name ?? ''),
    );
    const ours = new Set((await allMetrics()).map(([name]) => name).filter(isOurs));
    expect([...ours].filter((name) => !described.has(name))).toEqual([]);
    expect([...described].filter((name) => !ours.has(name))).toEqual([]);
  });

  test('named permitry_… are all on the dashboard', async () => {
    const ours = new Set((await allMetrics()).map(([name]) => name).filter(isOurs));
    expect([...ours].filter((name) => !dashboard.includes(name))).toEqual([]);
  });
});

describe('the example alert', () => {
  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s has a severity and a runbook in docs/operations.md',
    (_name, rule) => {
      expect(rule.labels.severity).toMatch(/^(page|ticket)$/);
      const [, anchor] = rule.annotations.runbook.split('#');
      const headings = [...operations.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
        (title ?? '')
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, '')
          .replaceAll(' ', '-'),
      );
      expect(headings).toContain(anchor);
    },
  );
});
