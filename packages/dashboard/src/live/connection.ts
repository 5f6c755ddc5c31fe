import { attendanceHeaders } from '../api/attendance.ts';
import { readEventStream } from './event-stream.ts';

/** Says that something happened. The page then reads the current state. */
export interface Change {
  project_id: string;
  /** Null when the change concerns the project, or many requests at once. */
  intent_id: string | null;
  /** Type of the audit event, or `many`. */
  type: string;
}

/** `live`: the page shows the current state. `waiting`: the next attempt is at `retryAt` (ms since the epoch). */
export type LiveState =
  | { is: 'connecting' }
  | { is: 'live' }
  | { is: 'waiting'; retryAt: number }
  | { is: 'offline' }
  | { is: 'signed_out' };

export interface ConnectionEvents {
  onState: (state: LiveState) => void;
  onChange: (change: Change) => void;
  /** Events were missed and cannot be replayed, so the page must refetch everything it shows. */
  onReset: () => void;
  onPosition: (lastId: string) => void;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** The gate sends a heartbeat every 15 seconds. */
const SILENT_MS = 40_000;

/** Keeps one connection to the gate's stream, and reconnects until `signal` aborts. */
export async function keepConnected(
  events: ConnectionEvents,
  lastId: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  let position = lastId;
  let failures = 0;
  const listening: ConnectionEvents = {
    ...events,
    onPosition: (id) => {
      failures = 0;
      position = id;
      events.onPosition(id);
    },
  };
  while (!signal.aborted) {
    events.onState({ is: 'connecting' });
    const end = await listenOnce(listening, position, signal);
    if (signal.aborted) return;
    if (end === 'signed_out') {
      events.onState({ is: 'signed_out' });
      return;
    }
    // The person's projects or roles changed: reconnect at once and read everything.
    const waitMs = end === 'membership' ? 0 : backOff(failures);
    failures += 1;
    await pause(events, waitMs, signal);
  }
}

type End = 'signed_out' | 'membership' | 'lost';

async function listenOnce(
  events: ConnectionEvents,
  lastId: string | undefined,
  signal: AbortSignal,
): Promise<End> {
  const silence = new AbortController();
  let watch = setTimeout(() => silence.abort(), SILENT_MS);
  const alive = () => {
    clearTimeout(watch);
    watch = setTimeout(() => silence.abort(), SILENT_MS);
  };
  const cut = () => silence.abort();
  window.addEventListener('offline', cut);
  let end: End = 'lost';
  try {
    const answer = await fetch('/console/stream', {
      headers: {
        accept: 'text/event-stream',
        ...attendanceHeaders(),
        ...(lastId !== undefined && { 'last-event-id': lastId }),
      },
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (answer.status === 401) return 'signed_out';
    if (!answer.ok || !answer.body) return 'lost';
    await readEventStream(
      answer.body,
      (message) => {
        const said = JSON.parse(message.data) as Record<string, unknown>;
        if (message.event === 'end') end = endOf(said.reason);
        if (message.lastId !== undefined) events.onPosition(message.lastId);
        if (message.event === 'hello') {
          events.onState({ is: 'live' });
          if (said.resumed !== true) events.onReset();
        }
        if (message.event === 'changed') events.onChange(said as unknown as Change);
      },
      alive,
    );
  } catch {
    // The connection was cut, or silent for too long: reconnect.
  } finally {
    window.removeEventListener('offline', cut);
    clearTimeout(watch);
  }
  return end;
}

function endOf(reason: unknown): End {
  if (reason === 'session') return 'signed_out';
  return reason === 'membership' ? 'membership' : 'lost';
}

/** Doubles the wait each time, with jitter. */
function backOff(failures: number): number {
  const longest = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS);
  return longest * (0.5 + Math.random() / 2);
}

/** Waits until the time is up, the network returns, or the page becomes visible again. */
function pause({ onState }: ConnectionEvents, waitMs: number, signal: AbortSignal): Promise<void> {
  if (waitMs === 0) return Promise.resolve();
  onState(navigator.onLine ? { is: 'waiting', retryAt: Date.now() + waitMs } : { is: 'offline' });
  return new Promise((resolve) => {
    const goOn = () => {
      clearTimeout(timer);
      window.removeEventListener('online', goOn);
      document.removeEventListener('visibilitychange', checkAgain);
      signal.removeEventListener('abort', goOn);
      resolve();
    };
    const checkAgain = () => {
      if (document.visibilityState === 'visible') goOn();
    };
    const timer = setTimeout(goOn, waitMs);
    window.addEventListener('online', goOn);
    document.addEventListener('visibilitychange', checkAgain);
    signal.addEventListener('abort', goOn);
  });
}
