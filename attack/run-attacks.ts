/** Runs the attacks one after another, and reports the result of each. */
import { type AttackCase, type CatalogueEntry, isRunnable } from './attack-case.ts';
import { CATALOGUE } from './catalogue.ts';
import type { ProjectKeys } from './keys-file.ts';
import type { Exchange } from './range/exchange.ts';
import { missingFor } from './range/needs.ts';
import { Range } from './range/range.ts';
import { NotProvided, Undefended } from './undefended.ts';
import { UsageError } from './usage-error.ts';

/** `PASS`: defended. `REPORTED`: measured, for people to judge. */
export type Status = 'PASS' | 'FAIL' | 'NOT RUN' | 'REPORTED';

export interface CaseResult {
  id: string;
  title: string;
  threats: readonly string[];
  aisvs: readonly string[];
  attack: string;
  expected: string;
  status: Status;
  milliseconds: number;
  /** Why the case failed, or what it needs to run. */
  why?: string;
  /** A count or a measurement. */
  note?: string;
  /** The request and response that show the failure. */
  exchange?: Exchange;
}

export interface AttackReport {
  target: string;
  started_at: string;
  seconds: number;
  requests: number;
  results: readonly CaseResult[];
  /** What the run created and could not remove. */
  left_behind: readonly string[];
}

export interface AttackOptions {
  target: URL;
  projects: readonly ProjectKeys[];
  /** IDs, or their beginnings up to a hyphen, e.g. `T06`. Default: all. */
  only?: readonly string[];
  destructive?: boolean;
  /** Skips cases that wait for clocks. */
  quick?: boolean;
  /** After an abort, no further case starts, but the run still cleans up. */
  signal?: AbortSignal;
  onResult?: (result: CaseResult, done: number, of: number) => void;
  onWait?: (seconds: number) => void;
}

/**
 * @throws UsageError when there is no gate, the keys do not fit, or an ID is unknown
 * @example const report = await runAttacks({ target: new URL('http://localhost:8787'), projects: readKeysFile('keys.json') });
 */
export async function runAttacks(options: AttackOptions): Promise<AttackReport> {
  const entries = selectCases(options.only);
  const startedAt = new Date();
  const { target, projects, destructive = false, onWait } = options;
  const range = await Range.open({
    target,
    projects,
    destructive,
    ...(onWait === undefined ? {} : { onWait }),
  });
  const results = new Map<string, CaseResult>();
  let leftBehind: readonly string[] = [];

  async function settle(entry: CatalogueEntry): Promise<void> {
    const result = await resultOf(entry, range, options);
    results.set(entry.id, result);
    options.onResult?.(result, results.size, entries.length);
  }
  const at = (moment: AttackCase['when']) => (entry: CatalogueEntry) =>
    (isRunnable(entry) ? entry.when : undefined) === moment;
  try {
    for (const entry of entries.filter(at(undefined))) await settle(entry);
    // These cases wait for the gate's clock, so they can wait together.
    await Promise.all(entries.filter(at('slow')).map(settle));
    for (const entry of entries.filter(at('last'))) await settle(entry);
  } finally {
    leftBehind = await range.close();
  }
  return {
    target: target.href,
    started_at: startedAt.toISOString(),
    seconds: (Date.now() - startedAt.getTime()) / 1000,
    requests: range.client.heard.length,
    results: entries.flatMap(({ id }) => results.get(id) ?? []),
    left_behind: leftBehind,
  };
}

/** @throws UsageError */
export function selectCases(only: readonly string[] | undefined): readonly CatalogueEntry[] {
  if (only === undefined) return CATALOGUE;
  const isNamed = (id: string, name: string): boolean => id === name || id.startsWith(`${name}-`);
  const unknown = only.filter((name) => !CATALOGUE.some(({ id }) => isNamed(id, name)));
  if (unknown.length > 0)
    throw new UsageError(`There is no case ${unknown.join(', ')}; --list names them all.`);
  return CATALOGUE.filter(({ id }) => only.some((name) => isNamed(id, name)));
}

async function resultOf(
  entry: CatalogueEntry,
  range: Range,
  { quick, signal }: AttackOptions,
): Promise<CaseResult> {
  const { id, title, threats, aisvs, attack, expected } = entry;
  const about = { id, title, threats, aisvs, attack, expected };
  const notRun = (why: string): CaseResult => ({ ...about, status: 'NOT RUN', milliseconds: 0, why });
  if (!isRunnable(entry)) return notRun(entry.why);
  if (signal?.aborted) return notRun('interrupted');
  const missing = missingFor(entry.needs, range);
  if (missing.length > 0) return notRun(`takes ${missing.join('; and ')}`);
  if (quick && entry.when === 'slow') return notRun('waits for a clock; left out by --quick');

  const startedAt = performance.now();
  const lasted = (): number => Math.round(performance.now() - startedAt);
  try {
    const note = await entry.run(range);
    const status = entry.measures ? 'REPORTED' : 'PASS';
    return { ...about, status, milliseconds: lasted(), ...(note === undefined ? {} : { note }) };
  } catch (error) {
    if (error instanceof NotProvided) return notRun(`takes ${error.message}`);
    const exchange = error instanceof Undefended ? error.exchange : undefined;
    // A case that was interrupted proves nothing, so it must not pass.
    const why =
      error instanceof Undefended ? error.message : `broke off: ${(error as Error).stack ?? String(error)}`;
    return {
      ...about,
      status: 'FAIL',
      milliseconds: lasted(),
      why: range.client.secrets.scrub(why),
      ...(exchange === undefined ? {} : { exchange: { ...exchange } }),
    };
  }
}
