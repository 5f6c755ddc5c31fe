/** The intent as the gate has it now. Read once, and again whenever it may have changed. */
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

/** While the stream is live, polling is only a safeguard. */
const CALM_MS = 20_000;
/** The polling interval without the stream. */
const POLL_MS = 1500;

export interface ShownIntentState {
  intent: ShownIntent | undefined;
  error: unknown;
  /** The last read failed, or there is no network: the content may be old. */
  isStale: boolean;
  news: readonly News[];
  /** Called before this window sends a decision, so that its result is not reported as news. */
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
      // A read before the stream has started would need a second read right after it.
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
    // A person who was removed from the project no longer sees the request.
    error: error instanceof ApiError && error.status === 404 ? error : data ? null : error,
    isStale: !isOnline || isRefetchError,
    news,
    expectOwn,
    refresh: () => refetch(),
  };
}

/** A retry after a refusal must not make the page flicker: the refusal stays until there is an answer. */
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
