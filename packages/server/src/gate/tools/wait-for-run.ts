import type { ConnectorRequest } from './connector-request.ts';
import type { ToolDeps } from './tool-deps.ts';

/** Interval between checks of a run at another gate, because the other gate's message may be lost. */
const POLL_EVERY_MS = 1000;

/**
 * Waits until the request is settled, `ms` are over, the requester disconnects, or this gate stops. Returns the request
 * in its state at that time.
 */
export async function waitForRun(
  gate: ToolDeps,
  request: ConnectorRequest,
  { ms, hungUp }: { ms: number; hungUp: AbortSignal | undefined },
): Promise<ConnectorRequest> {
  const over = new AbortController();
  const end = (): void => over.abort();
  const timer = setTimeout(end, ms);
  const signals = [gate.tools.runs.stopping, ...(hungUp ? [hungUp] : [])];
  for (const signal of signals) signal.addEventListener('abort', end, { once: true });
  if (signals.some((signal) => signal.aborted)) end();
  try {
    const here = gate.tools.runs.find(request.id);
    if (here) return (await Promise.race([here, aborted(over.signal)])) ?? (await readAgain(gate, request));
    return await waitForAnother(gate, request, over.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', end);
  }
}

async function waitForAnother(
  gate: Pick<ToolDeps, 'listeners' | 'storage'>,
  request: ConnectorRequest,
  over: AbortSignal,
): Promise<ConnectorRequest> {
  for (;;) {
    // Listens before it reads. Otherwise a wake-up between the two would be lost.
    const woken = gate.listeners.wakeups.listen(request.id, POLL_EVERY_MS, over);
    const current = await readAgain(gate, request);
    if (current.state !== 'executing' || over.aborted) return current;
    // A gate that is stopping releases all waiters immediately.
    if (!(await woken)) await Promise.race([aborted(over), pause()]);
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50).unref());
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

async function readAgain(
  gate: Pick<ToolDeps, 'storage'>,
  request: ConnectorRequest,
): Promise<ConnectorRequest> {
  return (await gate.storage.read.findConnectorRequest(request.id)) ?? request;
}
