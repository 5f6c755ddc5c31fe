/** The results by threat and by requirement, which readers look for first. */
import { AISVS, AISVS_IDS, type AisvsId } from '../aisvs.ts';
import type { CaseResult, Status } from '../run-attacks.ts';
import { THREAT_IDS, THREATS, type ThreatId } from '../threats.ts';

export type Verdict =
  | 'defended'
  /** Some cases passed; others did not run. */
  | 'defended where tried'
  | 'FAILED'
  | 'not tried'
  /** The agent runtime's job, or not offered. */
  | 'not the gate’s';

export interface Row {
  id: string;
  text: string;
  verdict: Verdict;
  counts: Readonly<Record<Status, number>>;
}

export interface RequirementRow extends Row {
  level: number;
  whose: 'gate' | 'part' | 'elsewhere';
  note: string;
}

export function countStatuses(results: readonly CaseResult[]): Record<Status, number> {
  const counts: Record<Status, number> = { PASS: 0, FAIL: 0, 'NOT RUN': 0, REPORTED: 0 };
  for (const { status } of results) counts[status] += 1;
  return counts;
}

export function summariseThreats(results: readonly CaseResult[]): readonly Row[] {
  return THREAT_IDS.map((id: ThreatId) => {
    const counts = countStatuses(results.filter(({ threats }) => threats.includes(id)));
    return { id, text: THREATS[id], verdict: verdictOf(counts), counts };
  });
}

export function summariseRequirements(results: readonly CaseResult[]): readonly RequirementRow[] {
  return AISVS_IDS.map((id: AisvsId) => {
    const { level, text, whose, note } = AISVS[id];
    const counts = countStatuses(results.filter(({ aisvs }) => aisvs.includes(id)));
    const verdict = whose === 'elsewhere' ? 'not the gate’s' : verdictOf(counts);
    return { id, text, level, whose, note, verdict, counts };
  });
}

function verdictOf(counts: Readonly<Record<Status, number>>): Verdict {
  if (counts.FAIL > 0) return 'FAILED';
  if (counts.PASS === 0) return 'not tried';
  return counts['NOT RUN'] > 0 ? 'defended where tried' : 'defended';
}
