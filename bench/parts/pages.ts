/** Pages of fifty, one request at a time: at the newest end, at the oldest, behind every kind of filter. */
import { type Finding, PAGE_MS } from '../bars.ts';
import { type LoadResult, runLoad } from '../load.ts';
import type { Subject } from '../subject.ts';
import { printTable, showProgress } from '../table.ts';

export interface PageCase {
  name: string;
  p50: number;
  p99: number;
}

const REQUESTS = 300;
/** A page that takes seconds is asked for a few times only. */
const PATIENCE_MS = 2000;
const FIRST_TRIES = 3;
const DAY_MS = 24 * 3600 * 1000;

/** By name; each path is asked for with the first project's secret key. */
function casesOf(subject: Subject, firstAt: string): Record<string, string> {
  const { projectId, chainLength } = subject;
  const oldest = `cursor=${subject.oldestListed}`;
  const audit = `/v1/projects/${projectId}/audit?limit=50`;
  // The page that ends with the first record of the chain, and the one that a reader of the whole finds in its middle.
  const [end, middle] = [51, Math.max(Math.floor(chainLength / 2), 51)];
  const dayLater = new Date(Date.parse(firstAt) + DAY_MS).toISOString();
  return {
    'list, newest': '/api/intents?limit=50',
    'list, oldest': `/api/intents?limit=50&${oldest}`,
    'list pending, newest': '/api/intents?limit=50&status=pending',
    'list pending, oldest': `/api/intents?limit=50&status=pending&${oldest}`,
    'list approved, oldest': `/api/intents?limit=50&status=approved&${oldest}`,
    'list expired, newest': '/api/intents?limit=50&status=expired',
    'list expired, oldest': `/api/intents?limit=50&status=expired&${oldest}`,
    'list resolved, newest': '/api/intents?limit=50&status=resolved',
    'list resolved, oldest': `/api/intents?limit=50&status=resolved&${oldest}`,
    'audit, newest': audit,
    'audit, middle': `${audit}&cursor=${middle}`,
    'audit, oldest': `${audit}&cursor=${end}`,
    'audit, ascending from the middle': `${audit}&order=asc&cursor=${middle}`,
    'audit of one type, middle': `${audit}&type=permit.consumed&cursor=${middle}`,
    'audit of a rare type': `${audit}&type=policy.updated`,
    'audit of one intent': `${audit}&intent_id=${subject.oldestListed}`,
    'audit of a frequent actor': `${audit}&actor=${encodeURIComponent('agent 1')}&cursor=${middle}`,
    'audit of a rare actor': `${audit}&actor=operator`,
    'audit of the first day': `${audit}&to=${dayLater}`,
    'audit since now': `${audit}&from=${new Date().toISOString()}`,
  };
}

export async function measurePages(subject: Subject): Promise<PageCase[]> {
  await subject.settle();
  const measured: PageCase[] = [];
  for (const [name, path] of Object.entries(casesOf(subject, await findFirstAt(subject)))) {
    showProgress(`pages: ${name}`);
    const ask = (count: number): Promise<LoadResult> =>
      runLoad(
        subject.server.port,
        Array.from({ length: count }, () => ({ method: 'GET', path, key: subject.secretKeyFor(0) })),
        200,
        { connections: 1 },
      );
    const first = await ask(FIRST_TRIES);
    const { p50, p99 } = first.seconds * 1000 > PATIENCE_MS ? first : await ask(REQUESTS);
    measured.push({ name, p50, p99 });
  }
  showProgress('');
  return measured;
}

/** When the first event of the chain occurred. */
async function findFirstAt(subject: Subject): Promise<string> {
  const path = `/v1/projects/${subject.projectId}/audit?limit=1&order=asc`;
  const request = { method: 'GET' as const, path, key: subject.secretKeyFor(0) };
  const { bodies } = await runLoad(subject.server.port, [request], 200, { keep: true });
  const { data } = JSON.parse(bodies[0] ?? '') as { data: { occurred_at: string }[] };
  return data[0]?.occurred_at ?? '';
}

export function printPages(cases: readonly PageCase[]): void {
  printTable(
    'Pages of 50 on the full store, one at a time',
    ['', 'p50 ms', 'p99 ms'],
    cases.map(({ name, p50, p99 }) => [name, p50.toFixed(2), p99.toFixed(2)]),
  );
}

export function pageFindings(cases: readonly PageCase[]): Finding[] {
  return cases.map(({ name, p50 }) => ({
    what: `page: ${name}, p50`,
    figure: p50,
    unit: 'ms',
    bar: { most: PAGE_MS },
  }));
}
