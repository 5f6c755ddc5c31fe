/**
 * Live updates from the person's projects. All tabs of a browser share one stream, because browsers allow few
 * connections per host. If each tab held one, they would soon block every other request.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { queryClient } from '../api/query-client.ts';
import { sessionQuery } from '../api/session.ts';
import { type Change, keepConnected, type LiveState } from './connection.ts';

export type { LiveState } from './connection.ts';

export interface Listener {
  onChange: (change: Change) => void;
  /** Events may have been missed: refetch everything. */
  onReset: () => void;
}

type Message =
  | { kind: 'state'; state: LiveState }
  | { kind: 'change'; change: Change }
  | { kind: 'reset' }
  | { kind: 'position'; lastId: string }
  | { kind: 'ask' };

const NAME = 'permitry-live';
/** Navigation from one page to the next must not drop the stream. */
const LINGER_MS = 5000;

const listeners = new Set<Listener>();
const watchers = new Set<() => void>();
let state: LiveState = { is: 'connecting' };
let lastId: string | undefined;
let running: AbortController | undefined;
let stopping: ReturnType<typeof setTimeout> | undefined;

/** Calls `listener` while the component is mounted. */
export function useLive(listener: Listener): void {
  const current = useRef(listener);
  current.current = listener;
  useEffect(
    () =>
      listen({
        onChange: (change) => current.current.onChange(change),
        onReset: () => current.current.onReset(),
      }),
    [],
  );
}

/** Whether the page receives live updates. */
export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => state,
  );
}

/** Longer than a stream takes to start on a slow phone network. */
const BEGIN_MS = 1000;
const EARLY_MS = 15_000;

/**
 * Resolves when the stream has started, or after a second. Data that is read after the start needs no second read,
 * because the stream reports every later change.
 */
export function streamBegun(): Promise<void> {
  if (running === undefined || state.is !== 'connecting') return Promise.resolve();
  return new Promise((resolve) => {
    const check = () => {
      if (state.is === 'connecting') return;
      clearTimeout(timer);
      watchers.delete(check);
      resolve();
    };
    const timer = setTimeout(() => {
      watchers.delete(check);
      resolve();
    }, BEGIN_MS);
    watchers.add(check);
  });
}

/** Starts the stream while the code of the page that will listen is still loading. */
export function beginStreamEarly(): void {
  const stopListening = listen({ onChange: () => undefined, onReset: () => undefined });
  setTimeout(stopListening, EARLY_MS);
}

function listen(listener: Listener): () => void {
  listeners.add(listener);
  clearTimeout(stopping);
  if (running === undefined || state.is === 'signed_out') start();
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) stopping = setTimeout(stop, LINGER_MS);
  };
}

function stop(): void {
  running?.abort();
  running = undefined;
  lastId = undefined;
}

function start(): void {
  running?.abort();
  const controller = new AbortController();
  running = controller;
  const { signal } = controller;
  setState({ is: 'connecting' });
  if (!('locks' in navigator) || !('BroadcastChannel' in window)) {
    void lead(() => undefined, signal);
    return;
  }
  const channel = new BroadcastChannel(NAME);
  let leads = false;
  const tell = (message: Message) => channel.postMessage(message);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind !== 'ask') hear(data);
    else if (leads) tell({ kind: 'state', state });
  };
  signal.addEventListener('abort', () => channel.close());
  tell({ kind: 'ask' });
  // The tab with the lock holds the stream. When that tab closes, the next in line continues at the same position.
  navigator.locks
    .request(NAME, { signal }, () => {
      leads = true;
      return lead(tell, signal);
    })
    .catch(() => undefined);
}

function lead(tell: (message: Message) => void, signal: AbortSignal): Promise<void> {
  const both = (message: Message) => {
    if (signal.aborted) return;
    hear(message);
    tell(message);
  };
  return keepConnected(
    {
      onState: (next) => both({ kind: 'state', state: next }),
      onChange: (change) => both({ kind: 'change', change }),
      onReset: () => both({ kind: 'reset' }),
      onPosition: (id) => both({ kind: 'position', lastId: id }),
    },
    lastId,
    signal,
  );
}

function hear(message: Message): void {
  if (message.kind === 'position') lastId = message.lastId;
  if (message.kind === 'state') setState(message.state);
  if (message.kind === 'state' && message.state.is === 'signed_out') {
    void queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }
  for (const listener of [...listeners]) {
    if (message.kind === 'change') listener.onChange(message.change);
    if (message.kind === 'reset') listener.onReset();
  }
}

function setState(next: LiveState): void {
  state = next;
  for (const watcher of [...watchers]) watcher();
}
