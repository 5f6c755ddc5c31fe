/** Pages of fifty, one request at a time: at the newest end, at the oldest, and behind every kind of filter. */
import { type Finding, PAGE_MS } from '../bars.ts';
import { type LoadResult, runLoad } from '../load.ts';
import type { Subject } from '../subject.ts';
import { printTable, showProgress } from '../table.ts';

/** The bar applies to each group's slowest page. */
type Group = 'list' | 'audit' | 'audit, filtered';

interface PageCase {
  group: Group;
  name: string;
  path: string;
  key: string;
}

export interface MeasuredPage {
  group: Group;
  name: string;
  p50: number;
  p99: number;
}

const REQUESTS = 300;
/** A page that takes seconds is requested only a few times. */
const PATIENCE_MS = 2000;
const FIRST_TRIES = 3;
const DAY_MS = 24 * 3600 * 1000;

function casesOf(subject: Subject, firstAt: string): PageCase[] {
  const { projectId, chainLength } = subject;
  const key = subject.secretKeyFor(0);
  const list = (name: string, query: string, by = key): PageCase => ({
    group: 'list',
    name: `list, ${name}`,
    path: `/api/intents?limit=50&${query}`,
    key: by,
  });
  const audit = (group: Group, name: string, query: string): PageCase => ({
    group,
    name: `audit, ${name}`,
    path: `/v1/projects/${projectId}/audit?limit=50&${query}`,
    key,
  });
  const end = `cursor=${subject.oldestListed}`;
  const middle = `cursor=${Math.max(Math.floor(chainLength / 2), 51)}`;
  const dayLater = new Date(Date.parse(firstAt) + DAY_MS).toISOString();
  const [ofAgent] = subject.takeListed(1);
  return [
    list('newest', ''),
    list('oldest', end),
    ...['pending', 'approved', 'denied', 'expired', 'resolved'].flatMap((status) => [
      list(`${status}, newest`, `status=${status}`),
      list(`${status}, oldest`, `status=${status}&${end}`),
    ]),
    list('of one agent', `cursor=${ofAgent?.id}`, subject.agentKey(ofAgent?.agent ?? 0)),
    audit('audit', 'newest', ''),
    audit('audit', 'middle', middle),
    audit('audit', 'oldest', 'cursor=51'),
    audit('audit', 'ascending from the middle', `order=asc&${middle}`),
    audit('audit, filtered', 'one intent', `intent_id=${subject.oldestListed}`),
    audit('audit, filtered', 'frequent type', `type=permit.consumed&${middle}`),
    audit('audit, filtered', 'rare type', 'type=policy.updated'),
    audit('audit, filtered', 'frequent actor', `actor=${encodeURIComponent('agent 1')}&${middle}`),
    audit('audit, filtered', 'rare actor', 'actor=operator'),
    audit('audit, filtered', 'first day', `to=${dayLater}`),
    audit('audit, filtered', 'since now', `from=${new Date().toISOString()}`),
  ];
}

export async function measurePages(subject: Subject): Promise<MeasuredPage[]> {
  await subject.settle();
  const measured: MeasuredPage[] = [];
  for (const { group, name, path, key } of casesOf(subject, await findFirstAt(subject))) {
    showProgress(`pages: ${name}`);
    const ask = (count: number): Promise<LoadResult> => {
      const requests = Array.from({ length: count }, () => ({ method: 'GET' as const, path, key }));
      return runLoad(subject.server.port, requests, 200, { connections: 1 });
    };
    const first = await ask(FIRST_TRIES);
    const { p50, p99 } = first.seconds * 1000 > PATIENCE_MS ? first : await ask(REQUESTS);
    measured.push({ group, name, p50, p99 });
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

export function printPages(pages: readonly MeasuredPage[]): void {
  printTable(
    'Pages of 50 on the full store, one at a time',
    ['', 'p50 ms', 'p99 ms'],
    pages.map(({ name, p50, p99 }) => [name, p50.toFixed(2), p99.toFixed(2)]),
  );
}

export function pageFindings(pages: readonly MeasuredPage[]): Finding[] {
  const groups = new Set(pages.map(({ group }) => group));
  return [...groups].map((group) => ({
    what: `page of 50, ${group}, p50 of the slowest`,
    figure: Math.max(...pages.filter((page) => page.group === group).map(({ p50 }) => p50)),
    unit: 'ms',
    bar: { most: PAGE_MS },
  }));
}
