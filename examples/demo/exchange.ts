/** One call over HTTP with plain fetch. The call is stored completely, so that it can be shown and checked. */
import type { JsonObject } from '@permitry/protocol';

export interface Exchange {
  /** The owner of the credential that made the call. */
  who: string;
  method: string;
  path: string;
  /** Absent when nothing was sent. */
  body?: JsonObject;
  status: number;
  answer: JsonObject;
  milliseconds: number;
}

/** A person or program with a credential. */
export interface Client {
  who: string;
  gateUrl: string;
  key: string;
}

/** Longer than the longest `?wait=` of the demo. */
const TIMEOUT_MS = 30_000;

export async function call(
  client: Client,
  method: string,
  path: string,
  body?: JsonObject,
): Promise<Exchange> {
  const startedAt = performance.now();
  const response = await fetch(client.gateUrl + path, {
    method,
    headers: {
      authorization: `Bearer ${client.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const answer = (await response.json()) as JsonObject;
  const milliseconds = Math.round(performance.now() - startedAt);
  const { who } = client;
  return {
    who,
    method,
    path,
    ...(body === undefined ? {} : { body }),
    status: response.status,
    answer,
    milliseconds,
  };
}
