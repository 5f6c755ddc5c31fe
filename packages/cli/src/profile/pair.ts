/**
 * Owns pairing from the program's side: asks for a code, and polls until a person confirmed it in their browser (RFC
 * 8628).
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { DeviceKeyJwk } from '@permitry/protocol';
import { CommandFailure, refused } from '../command-failure.ts';
import { sayVisibly } from '../printing/say.ts';

export interface Pairing {
  /** This program's secret. Never shown. */
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  /** Seconds. */
  expires_in: number;
  /** Seconds between two polls. */
  interval: number;
}

export interface Paired {
  status: 'approved';
  token: string;
  email: string;
  rights: readonly string[];
  expires_at: string | null;
}

export interface PairedKey {
  status: 'approved';
  device_key_id: string;
  email: string;
}

export type PairingAnswer<P = Paired> = P | { status: 'denied' } | { status: 'expired' };

const MOST_INTERVAL_SECONDS = 30;

export async function startPairing(
  baseUrl: string,
  asked: { name: string; rights: readonly string[]; expiresIn?: number; publicKey?: DeviceKeyJwk },
): Promise<Pairing> {
  const answer = await post(baseUrl, '/v1/pairings', {
    purpose: asked.publicKey === undefined ? 'token' : 'device_key',
    name: asked.name,
    ...(asked.publicKey === undefined ? {} : { public_key: asked.publicKey }),
    ...(asked.rights.length === 0 ? {} : { rights: asked.rights }),
    ...(asked.expiresIn === undefined ? {} : { expires_in: asked.expiresIn }),
  });
  if (answer.status === 201) return answer.body as Pairing;
  if (answer.status === 404)
    throw refused(`${baseUrl} is not a gate that supports this sign-in. Check the address.`);
  throw new CommandFailure(answer.status === 400 ? 2 : 1, sentenceOf(answer));
}

/** Polls no more often than the gate wants. Retries if the gate cannot be reached for a while. */
export async function waitForPairing<P = Paired>(
  baseUrl: string,
  { device_code, interval, expires_in }: Pairing,
): Promise<PairingAnswer<P>> {
  const until = Date.now() + expires_in * 1000;
  let seconds = Math.min(Math.max(interval, 0.1), MOST_INTERVAL_SECONDS);
  while (Date.now() < until) {
    await pause(seconds * 1000);
    const answer = await post(baseUrl, '/v1/pairings/poll', { device_code }).catch(() => undefined);
    if (!answer || answer.status >= 500) continue;
    if (answer.status === 429) {
      seconds = Math.min(seconds + 5, MOST_INTERVAL_SECONDS);
      continue;
    }
    if (answer.status !== 200) throw refused(sentenceOf(answer));
    const reply = answer.body as { status: string; interval?: number };
    seconds = Math.min(reply.interval ?? seconds, MOST_INTERVAL_SECONDS);
    if (reply.status !== 'pending' && reply.status !== 'slow_down') return answer.body as PairingAnswer<P>;
  }
  return { status: 'expired' };
}

interface Answer {
  status: number;
  body: unknown;
}

/** Sends no key: a program that pairs has none yet, and a key from the environment is meant for other calls. */
async function post(baseUrl: string, path: string, body: object): Promise<Answer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(10_000),
  }).catch((cause: unknown) => {
    throw refused(
      `Cannot reach ${baseUrl}. Check the address, and that the gate is running.`,
      'refused',
      cause,
    );
  });
  return { status: response.status, body: await response.json().catch(() => ({})) };
}

function sentenceOf({ status, body }: Answer): string {
  const { error } = body as { error?: { message?: string } };
  return sayVisibly(error?.message ?? `The gate answered ${status}.`);
}
