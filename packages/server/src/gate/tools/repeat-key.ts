import { hashJson } from '@permitry/protocol';
import type { Caller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import type { IdempotencyRecord, IdempotencyWriter } from '../kernel/idempotency.ts';
import { addSeconds } from '../kernel/instant.ts';
import { StaleReadError } from '../project-settings/stale-read.ts';
import type { GatewayCall } from './call-tool.ts';
import type { ConnectorRequest } from './connector-request.ts';
import { getRequest } from './find-request.ts';
import type { ToolDeps } from './tool-deps.ts';

/** The same as for any other stored answer. */
const KEPT_SECONDS = 24 * 60 * 60;

/** The values that identify a repeated call. */
export type RepeatKey = Pick<IdempotencyRecord, 'scope' | 'key' | 'bodyHash'>;

export function toRepeatKey({ credentialId }: Caller, call: GatewayCall): RepeatKey | undefined {
  if (call.idempotencyKey === undefined) return undefined;
  const { tool, source, sourceType, riskTier, proofTier, permitToken } = call;
  const named = { source, sourceType, riskTier, proofTier, permitToken };
  const given = Object.entries(named).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const body = { tool, arguments: call.arguments, ...Object.fromEntries(given) };
  return {
    scope: `${credentialId} POST /api/mcp-gateway`,
    key: call.idempotencyKey,
    bodyHash: hashJson(body).slice('sha256:'.length),
  };
}

/**
 * Finds the request that an earlier call with this key made. Throws `idempotency_mismatch` if that call was different.
 */
export async function findRepeated(
  gate: Pick<ToolDeps, 'clock' | 'storage'>,
  caller: Caller,
  { scope, key, bodyHash }: RepeatKey,
): Promise<ConnectorRequest | undefined> {
  const record = await gate.storage.read.findIdempotencyRecord(scope, key, gate.clock.now());
  if (!record) return undefined;
  if (record.bodyHash !== bodyHash) {
    throw new GateError(
      'idempotency_mismatch',
      'This Idempotency-Key was used with another call; use a new key for a new call.',
      {},
    );
  }
  const { connector_request_id: requestId } = record.body;
  if (typeof requestId !== 'string') throw new Error('a remembered call names its request');
  return getRequest(gate, caller, requestId);
}

/** Of two concurrent calls with one key, the second starts over and then finds the first call's request. */
export async function keepRepeatable(
  gate: Pick<ToolDeps, 'clock'>,
  tx: IdempotencyWriter,
  key: RepeatKey | undefined,
  requestId: string,
): Promise<void> {
  if (!key) return;
  const now = gate.clock.now();
  const record = {
    ...key,
    status: 202,
    body: { connector_request_id: requestId },
    expiresAt: addSeconds(now, KEPT_SECONDS),
  };
  if (!(await tx.insertIdempotencyRecord(record, now))) throw new StaleReadError();
}
