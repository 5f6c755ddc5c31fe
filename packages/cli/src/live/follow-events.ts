/** Owns the connection to a project's event stream: reads server-sent events, and resumes where it was cut off. */
import { setTimeout as pause } from 'node:timers/promises';
import type { AuditRecord } from '@permitry/protocol';
import { CommandFailure, refused } from '../command-failure.ts';
import { sayVisibly } from '../printing/say.ts';
import type { Profile } from '../profile/open-client.ts';
import { readServerEvents } from './read-server-events.ts';

export interface FollowOptions {
  projectId: string;
  /** Default: all types. */
  types?: readonly string[];
  signal: AbortSignal;
  /** Called when the stream is open. No event after that is missed. */
  onOpen?: () => void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** The gate sends something about every fifteen seconds. A connection that is silent for longer is dead. */
const SILENCE_MS = 60_000;

/**
 * Yields the events of a project that happen from now on, each exactly once, until the signal aborts. After an
 * interruption it resumes from the last event.
 *
 * @throws CommandFailure when the credential may not read events, or no longer may
 */
export async function* followEvents(
  profile: Profile,
  options: FollowOptions,
): AsyncGenerator<AuditRecord, void, void> {
  const { signal } = options;
  let lastId: string | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    try {
      const response = await connect(profile, options, lastId);
      options.onOpen?.();
      for await (const event of readServerEvents(response, SILENCE_MS)) {
        if (event.event === 'end') {
          if (event.data.includes('"credential"'))
            throw refused('Your sign-in is no longer valid. Sign in again with: permitry login');
          break;
        }
        pauseMs = FIRST_PAUSE_MS;
        lastId = event.id ?? lastId;
        if (event.data !== '') yield JSON.parse(event.data) as AuditRecord;
      }
    } catch (error) {
      if (error instanceof CommandFailure) throw error;
      if (signal.aborted) return;
    }
    await pause(pauseMs, undefined, { signal }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

async function connect(
  { baseUrl, key }: Profile,
  { projectId, types, signal }: FollowOptions,
  lastId: string | undefined,
): Promise<ReadableStream<Uint8Array>> {
  const query = types === undefined ? '' : `?type=${encodeURIComponent(types.join(','))}`;
  const response = await fetch(`${baseUrl}/v1/projects/${encodeURIComponent(projectId)}/events${query}`, {
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    },
    signal,
    // Never pass the key on to the target of a redirect.
    redirect: 'error',
  });
  if (response.ok && response.body) return response.body;
  const { error } = (await response.json().catch(() => ({}))) as { error?: { message?: string } };
  const sentence = sayVisibly(error?.message ?? `The gate answered ${response.status}.`);
  // The caller retries after an ordinary error, and not after a refusal.
  if (response.status === 429 || response.status >= 500) throw new Error(sentence);
  throw refused(sentence);
}
