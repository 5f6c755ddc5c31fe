import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import * as words from '../document/document.words.ts';
import { type LocatedFinding, lineAndColumn, locateFindings } from '../document/locate-findings.ts';
import { checkQuery } from '../policy-queries.ts';
import type { Draft } from './use-draft.ts';

export interface DraftCheck {
  /** `unknown`: the gate has not answered yet. */
  state: 'unknown' | 'valid' | 'invalid';
  /** In the order of their text. */
  findings: readonly LocatedFinding[];
  /** The text that was checked. In a text typed since, the findings may be in other places. */
  text: string;
  error: unknown;
}

const PAUSE_MS = 300;

/**
 * The gate's check of the draft, a moment after the last key press, for people who can change the policy. Mistakes in
 * the JSON itself appear at once.
 */
export function useCheck(projectId: string, { text, located }: Draft, mayChange: boolean): DraftCheck {
  const settled = useSettled(text, PAUSE_MS);
  const isObject = located.ok && typeof located.value === 'object' && !Array.isArray(located.value);
  const value = located.ok && located.value !== null ? located.value : {};
  const { data, error } = useQuery({
    ...checkQuery(projectId, text, value),
    enabled: mayChange && settled === text && isObject,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => {
    if (!located.ok) return broken(text, located.message, located.at);
    if (!isObject) return broken(text, words.policyIsObject, 0);
    if (!data || data.text !== text) return { state: 'unknown', findings: [], text, error };
    const findings = locateFindings(text, located.ranges, [
      ...data.problems.map((found) => ({ ...found, severity: 'error' as const })),
      ...data.warnings.map((found) => ({ ...found, severity: 'warning' as const })),
    ]);
    return { state: data.valid ? 'valid' : 'invalid', findings, text, error };
  }, [located, isObject, data, text, error]);
}

function broken(text: string, message: string, at: number): DraftCheck {
  const range = { from: Math.min(at, Math.max(0, text.length - 1)), to: Math.min(at + 1, text.length) };
  const finding: LocatedFinding = {
    path: '',
    message: `${message}.`,
    place: null,
    severity: 'error',
    range,
    ...lineAndColumn(text, at),
  };
  return { state: 'invalid', findings: [finding], text, error: null };
}

function useSettled(value: string, pauseMs: number): string {
  const [settled, settle] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => settle(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}
