/** Everything derived from an intent before it is shown, the same on every page where people decide. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../api/client.ts';
import { checkHashes, type HashCheck, type ShownIntent } from './check-hashes.ts';
import { type Compared, compareWithLast } from './compared.ts';
import { findHidden, type HiddenText } from './find-hidden.ts';

export interface Review {
  intent: ShownIntent;
  check: HashCheck;
  compared: Compared | null;
  hidden: readonly HiddenText[];
}

function checked(intent: ShownIntent): Omit<Review, 'intent' | 'compared'> {
  const check = checkHashes(intent);
  const { metadata, source } = intent.hashed;
  const explanation = findHidden({ ...(source !== null && { source }), ...metadata });
  return { check, hidden: [...findHidden(check.params), ...explanation] };
}

/** The content behind a hash never changes, so the check runs again only when one of the values below changes. */
export function useReview(intent: ShownIntent): Review {
  const key = JSON.stringify([intent.hashed, intent.params_hash, intent.intent_hash, intent.erased_at]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the check reads nothing else
  const found = useMemo(() => checked(intent), [key, intent.canonical_params]);
  const compared = useMemo(() => compareWithLast(intent, found.check), [intent, found]);
  return useMemo(() => ({ intent, compared, ...found }), [intent, compared, found]);
}

/** The hash of the shown parameters; undefined when they are not what was requested. */
export function shownHash({ check }: Review): string | undefined {
  return check.kind === 'same' ? check.intentHash : undefined;
}

/** The cache key of one whole request, shared by all parts of a page. */
export function wholeIntentKey(id: string): readonly string[] {
  return ['intents', id];
}

export function readWholeIntent(id: string, signal: AbortSignal): Promise<ShownIntent> {
  return api.get<ShownIntent>(`/console/intents/${encodeURIComponent(id)}`, { signal });
}

/** Reads one request of a list in full. */
export function useWholeIntent(id: string) {
  return useQuery({
    queryKey: wholeIntentKey(id),
    queryFn: ({ signal }) => readWholeIntent(id, signal),
  });
}
