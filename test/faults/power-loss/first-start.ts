/**
 * `permitry serve` on an empty directory: once the gate listens, the first keys must be on the disk, because they are
 * shown nowhere else.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FirstCredentials } from '@permitry/server';
import { startGate } from '../gate/gate-process.ts';
import { assertNoFindings } from '../scenario.ts';
import { findProblemsOfFirstStart, withGateOn } from './check-disk.ts';
import type { JournalRecord } from './journal.ts';
import { openRecorder } from './recorder.ts';

export interface FirstStart {
  dataDir: string;
  /** Mark 0: the gate listens. Mark 1: an intent was approved with the first keys. */
  journal: JournalRecord[];
  credentials: FirstCredentials;
  intentId: string;
}

export async function recordFirstStart(folder: string, shim: string): Promise<FirstStart> {
  const recorder = openRecorder(folder, shim);
  const { dataDir } = recorder;
  const gate = await startGate(dataDir, recorder.env);
  recorder.mark(0);
  const credentials = readCredentials(dataDir);
  const { secret_key: key } = credentials;
  const made = await gate.client.ask({
    method: 'POST',
    path: '/v1/intents',
    key,
    body: { action: 'deploy' },
  });
  const intentId = String(made?.body.id);
  const path = `/v1/intents/${intentId}/approve`;
  const approved = await gate.client.ask({ method: 'POST', path, key, body: {} });
  recorder.mark(1);
  await gate.kill();
  assertNoFindings(approved?.status === 200 ? [] : ['the first keys do not serve'], 'first start');
  return { dataDir, journal: recorder.finish(), credentials, intentId };
}

/** @param through The last mark before the power failed; -1: none. */
export async function findLostOfFirstStart(
  image: string,
  first: FirstStart,
  through: number,
): Promise<string[]> {
  if (through < 0) return findProblemsOfFirstStart(image);
  const { credentials, intentId } = first;
  try {
    if (readCredentials(image).secret_key !== credentials.secret_key)
      return ['credentials.json holds other keys'];
  } catch (error) {
    return [`credentials.json: ${(error as Error).message}`];
  }
  return withGateOn(image, async (client) => {
    const key = credentials.agent_key;
    await client.get(`/v1/projects/${credentials.project_id}`, credentials.secret_key);
    if (through < 1) return [];
    const { status } = await client.get(`/v1/intents/${intentId}`, credentials.secret_key);
    const jwks = await client.get('/.well-known/jwks.json', key);
    const kids = (jwks.keys as { kid: string }[]).map(({ kid }) => kid);
    const { receipt_v2: receipt } = await client.get(`/api/intents/${intentId}`, credentials.secret_key);
    const { kid } = receipt as { kid: string };
    return [
      ...(status === 'approved' ? [] : [`the approved intent is ${String(status)}`]),
      ...(kids.includes(kid) ? [] : ['the key that signed its receipt is gone']),
    ];
  });
}

function readCredentials(dataDir: string): FirstCredentials {
  return JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as FirstCredentials;
}
