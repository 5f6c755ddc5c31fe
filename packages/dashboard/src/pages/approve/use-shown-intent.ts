/** The intent as the gate has it now: read once, and again whenever anything may have happened to it. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { renew } from '../../api/query-client.ts';
import { useSignedIn } from '../../api/session.ts';
import { useOnline } from '../../api/use-online.ts';
import type { ShownIntent } from '../../decide/check-hashes.ts';
import { readWholeIntent, wholeIntentKey } from '../../decide/review.ts';
import { streamBegun, useLive, useLiveState } from '../../live/live.ts';
import { findNews, type News } from './what-changed.ts';

/** While the stream tells of changes, only to make sure. */
const CALM_MS = 20_000;
/** Without it. */
const POLL_MS = 1500;

export interface ShownIntentState {
  intent: ShownIntent | undefined;
  error: unknown;
  /** The last attempt to read it failed, or there is no network: what is shown may be old. */
  isStale: boolean;
  news: readonly News[];
  /** Called before this window sends a decision: what comes of it is no news. */
  expectOwn(): void;
  refresh(): Promise<unknown>;
}

export function useShownIntent(id: string): ShownIntentState {
  const readAgain = () => void renew(wholeIntentKey(id));
  useLive({
    onChange: ({ intent_id: changed }) => {
      if (changed === null || changed === id) readAgain();
    },
    onReset: readAgain,
  });
  const isStreaming = useLiveState().is === 'live';
  const isOnline = useOnline();
  const {
    data,
    error: latest,
    isRefetchError,
    refetch,
  } = useQuery({
    queryKey: wholeIntentKey(id),
    queryFn: async ({ signal }) => {
      // Read before the stream began, it would be read again as soon as it has.
      await streamBegun();
      return readWholeIntent(id, signal);
    },
    staleTime: 0,
    refetchInterval: ({ state }) => {
      if (state.error instanceof ApiError && state.error.status === 404) return false;
      return isStreaming ? CALM_MS : POLL_MS;
    },
  });
  const error = useLasting(latest, data);
  const { news, expectOwn } = useNews(data);
  return {
    intent: data,
    // Somebody who was removed from the project is shown nothing more of it.
    error: error instanceof ApiError && error.status === 404 ? error : data ? null : error,
    isStale: !isOnline || isRefetchError,
    news,
    expectOwn,
    refresh: () => refetch(),
  };
}

/** Asking again after a refusal must not make the page flicker: what was refused stays so until there is an answer. */
function useLasting(latest: unknown, data: ShownIntent | undefined): unknown {
  const last = useRef<unknown>(null);
  if (latest !== null || data !== undefined) last.current = latest;
  return last.current;
}

/** What others did while the page was open. */
function useNews(intent: ShownIntent | undefined): { news: readonly News[]; expectOwn: () => void } {
  const before = useRef<ShownIntent | undefined>(undefined);
  const decidedHere = useRef(false);
  const { email } = useSignedIn().user;
  const [news, setNews] = useState<readonly News[]>([]);
  useEffect(() => {
    const last = before.current;
    before.current = intent;
    if (!intent || !last || last.id !== intent.id) {
      setNews([]);
      return;
    }
    const found = findNews(last, intent, { email, decidedHere: decidedHere.current });
    if (found.length > 0) setNews((known) => [...known, ...found].slice(-4));
  }, [intent, email]);
  const expectOwn = useCallback(() => {
    decidedHere.current = true;
  }, []);
  return { news, expectOwn };
}
