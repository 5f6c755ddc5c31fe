import { ApiError, isRefusal } from '../../../../api/api-error.ts';
import { api } from '../../../../api/client.ts';
import type { Wire } from '../../../../api/wire.ts';
import * as words from './review.words.ts';

type Line = Wire<'SimulationLine'>;
export type SimulationProgress = Extract<Line, { type: 'progress' }>;
export type SimulationSummary = Extract<Line, { type: 'summary' }>;

/** The gate ends a simulation after five minutes, with its results so far. */
const TIMEOUT_MS = 330_000;
const MOST_ATTEMPTS = 8;
const PAUSE_MS = 250;

/**
 * Simulates a draft on the stored intents of the given number of days. Aborting the signal also stops it in the gate.
 *
 * @throws ApiError, also for a lost connection or an answer that ends before its summary
 */
export async function simulate(
  projectId: string,
  question: { policy: unknown; from: string },
  onProgress: (progress: SimulationProgress) => void,
  signal: AbortSignal,
): Promise<SimulationSummary> {
  const response = await askUntilFree(projectId, question, signal);
  for await (const line of linesOf(response)) {
    if (line.type === 'progress') onProgress(line);
    if (line.type === 'summary') return line;
    if (line.type === 'error')
      throw new ApiError(503, line.error as unknown as ConstructorParameters<typeof ApiError>[1]);
  }
  throw new ApiError(0, {
    code: 'offline',
    message: words.interrupted,
  });
}

/** A project runs one simulation at a time, and a stopped one takes a moment to end. This waits instead of failing. */
async function askUntilFree(
  projectId: string,
  { policy, from }: { policy: unknown; from: string },
  signal: AbortSignal,
): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await api.fetch(
        'POST',
        `/v1/projects/${encodeURIComponent(projectId)}/policies/simulate`,
        { policy, stored: { from } },
        { signal, timeoutMs: TIMEOUT_MS, headers: { accept: 'application/x-ndjson, application/json' } },
      );
    } catch (error) {
      if (!isRefusal(error, 'conflict') || attempt === MOST_ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      signal.throwIfAborted();
    }
  }
}

async function* linesOf(response: Response): AsyncGenerator<Line, void, void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
      yield JSON.parse(text.slice(0, end)) as Line;
      text = text.slice(end + 1);
    }
  }
}
