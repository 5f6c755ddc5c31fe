import {
  canonicalJson,
  decodeCompactJws,
  decodeReceipt,
  hashJson,
  type JsonObject,
  LONGEST_RECEIPT,
  type ProjectMode,
  RECEIPT_TYP,
  type Receipt,
  type ReceiptContent,
  sha256Hex,
  signedContent,
} from '@permitry/protocol';
import type { Caller } from '../access/caller.ts';
import { seesIntent } from '../intents/find-intent.ts';
import type { Intent } from '../intents/intent.ts';
import { findAgentStatus } from '../intents/intent-view.ts';
import { GateError } from '../kernel/errors.ts';
import { unknownIntent } from '../kernel/not-found.ts';
import { permitInvalid } from '../tokens/permit-refusal.ts';
import { readReceipt } from '../tokens/read-receipt.ts';
import type { ReceiptDeps } from './receipt-deps.ts';

export interface VerifyReceiptRequest {
  /** `receipt_v2` as returned, or its `jws` alone. */
  receipt: string | JsonObject;
  action?: string;
  params?: JsonObject;
}

/** The receipt is from this gate, unaltered and not revoked. It authorises nothing. */
export interface VerifiedReceipt {
  receipt: Receipt;
  /** Whether action and parameters were both given and both match. */
  bound: boolean;
  mode: ProjectMode;
}

/**
 * Verifies that a receipt is genuine. The gate stores the receipts that it issued, so a receipt must match to the last
 * character. Throws `permit_invalid` with the reason otherwise, or when the approval was revoked since.
 */
export async function verifyReceipt(
  gate: ReceiptDeps,
  caller: Caller,
  request: VerifyReceiptRequest,
): Promise<VerifiedReceipt> {
  if (!('projectId' in caller)) {
    throw new GateError('forbidden', 'Verifying a receipt requires a key of its project.', {
      required: 'permits:verify',
    });
  }
  const jws = typeof request.receipt === 'string' ? request.receipt : request.receipt.jws;
  if (typeof jws !== 'string') throw permitInvalid('malformed');
  const receipt = await findReceipt(gate, caller, jws);
  if (typeof request.receipt !== 'string') assertSameContent(request.receipt, receipt);
  if (request.action !== undefined && request.action !== receipt.action)
    throw permitInvalid('action_mismatch');
  if (request.params !== undefined && hashJson(request.params) !== receipt.params_hash) {
    throw permitInvalid('params_mismatch');
  }
  await gate.losses.poll();
  if (receipt.receipt_expires_at <= gate.clock.now()) throw permitInvalid('expired');
  if (receipt.revocation_status === 'revoked') throw permitInvalid('revoked');
  if (receipt.revocation_status === 'suspended') throw permitInvalid('agent_paused');
  return {
    receipt,
    bound: request.action !== undefined && request.params !== undefined,
    mode: caller.mode,
  };
}

async function findReceipt(
  gate: Pick<ReceiptDeps, 'storage' | 'tokens'>,
  caller: Caller & { projectId: string },
  jws: string,
): Promise<Receipt> {
  const decoded = decodeCompactJws(jws, { typ: RECEIPT_TYP, longest: LONGEST_RECEIPT });
  if (!decoded.ok) throw permitInvalid('malformed');
  const { signer } = gate.tokens;
  const { header, signingInput, signature } = decoded;
  if (!signer.publicKey(header.kid)) await signer.refresh();
  if (!signer.publicKey(header.kid)) throw permitInvalid('unknown_key');
  // An attacker may have altered the stored receipt and the presented receipt together.
  if (!(await signer.verify(header.kid, signingInput, signature))) throw permitInvalid('tampered');
  const { intent_id: intentId } = decoded.claims;
  const found = typeof intentId === 'string' ? await gate.storage.read.findIntent(intentId) : undefined;
  const intent = found && { ...found, receipt: found.receipt ?? (await recallReceipt(gate, found, jws)) };
  if (!intent?.receipt || intent.receipt.jws !== jws) throw permitInvalid('tampered');
  if (intent.projectId !== caller.projectId) throw permitInvalid('wrong_project');
  if (!seesIntent(caller, intent)) throw unknownIntent();
  const receipt = readReceipt(intent, await findAgentStatus(gate, intent), signer);
  if (!receipt) throw permitInvalid('tampered');
  return receipt;
}

/** Restores the content of an erased receipt from the presented one. The gate keeps only its hash, which must match. */
async function recallReceipt(
  gate: Pick<ReceiptDeps, 'storage'>,
  intent: Intent,
  jws: string,
): Promise<ReceiptContent | null> {
  if (intent.receiptIndex === null) return null;
  const erased = await gate.storage.read.findErasedReceipt(intent.receiptIndex);
  const decoded = decodeReceipt(jws);
  if (!erased || !decoded.ok || erased.jwsHash !== `sha256:${sha256Hex(jws)}`) return null;
  return { ...signedContent(decoded.claims), jws };
}

/** The members around the `jws` must agree with it. The presented status may be out of date, so it is not compared. */
function assertSameContent(presented: JsonObject, stored: Receipt): void {
  const { revocation_status: _then, ...before } = presented;
  const { revocation_status: _now, ...now } = stored;
  if (canonicalJson(before) !== canonicalJson({ ...now })) throw permitInvalid('tampered');
}
