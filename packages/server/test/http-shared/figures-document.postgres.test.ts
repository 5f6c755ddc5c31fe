/** Figures, their description and the example alerts are about the same things. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/http/shared/logger.ts';
import { type FirstCredentials, initialiseGate } from '../../src/identity/initialise-gate.ts';
import { type RunningServer, startServer } from '../../src/main.ts';
import { openTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const TOKEN = 'collector-token-0123456789';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

const operations = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
const { groups } = parse(readFileSync(join(ROOT, 'packaging/prometheus-alerts.yaml'), 'utf8')) as {
  groups: { name: string; rules: Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);

let directory: string;
let database: TestDatabase;
/** Names of all figures, on either database. */
let figures: Set<string>;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'permitry-figures-'));
  database = await openTestDatabase();
  figures = new Set([
    ...(await figuresOf({ PERMITRY_DATA: directory })),
    ...(await figuresOf({
      PERMITRY_DATABASE_URL: database.url,
      PERMITRY_KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    })),
  ]);
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await database.drop();
});

async function figuresOf(env: Record<string, string>): Promise<string[]> {
  let first: FirstCredentials | undefined;
  const config = readConfig({ ...env, PERMITRY_PORT: '0', PERMITRY_METRICS_TOKEN: TOKEN });
  const server: RunningServer = await startServer(config, {
    logger: createLogger('silent'),
    async prepare(gate) {
      first = await initialiseGate(gate, { mode: 'test', projectName: 'First', ownerEmail: 'o@example.org' });
    },
  });
  try {
    const get = async (path: string, key = ''): Promise<string> =>
      (await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${key}` } })).text();
    await get('/v1/intents/int_x', first?.agent_key);
    const text = await get('/metrics', TOKEN);
    return [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? '');
  } finally {
    await server.close();
  }
}

describe('the figures', () => {
  test('are described, every one of ours, and no other', () => {
    const described = [...operations.matchAll(/`(permitry_[a-z_]+)`/g)].map(([, name]) => name ?? '');
    const ours = [...figures].filter((name) => name.startsWith('permitry_'));
    expect(ours.length).toBeGreaterThan(20);
    expect(ours.filter((name) => !described.includes(name))).toEqual([]);
    expect(described.filter((name) => !figures.has(name))).toEqual([]);
  });
});

describe('the example alerts', () => {
  test.each(rules.map((rule) => [rule.alert, rule] as const))('%s', (_name, rule) => {
    const named = [...rule.expr.matchAll(/\b((?:permitry|nodejs|process)_[a-z0-9_]+)/g)].map(
      ([, name]) => name ?? '',
    );
    expect(named.filter((name) => !figures.has(name.replace(/_(?:bucket|count|sum)$/, '')))).toEqual([]);
    expect(named.length > 0 || rule.expr.startsWith('up{')).toBe(true);
    const depth = [...rule.expr].reduce((open, sign) => open + (sign === '(' ? 1 : sign === ')' ? -1 : 0), 0);
    expect(depth).toBe(0);
    expect(rule.labels.severity).toMatch(/^(page|ticket)$/);
    const [, anchor] = rule.annotations.runbook.split('#');
    const headings = [...operations.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
      (title ?? '')
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(headings).toContain(anchor);
  });
});
