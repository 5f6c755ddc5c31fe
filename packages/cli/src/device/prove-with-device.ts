import { type KeyObject, sign } from 'node:crypto';
import { deviceProofInput, type JsonObject, type ProofTerms, proofChallenge } from '@permitry/protocol';
import type { Permitry } from '@permitry/sdk';
import { type CommandFailure, refused } from '../command-failure.ts';
import { sayVisibly } from '../printing/say.ts';
import { askPassphrase } from './ask-passphrase.ts';
import { type KeyFile, listKeyFiles } from './key-files.ts';
import { openKey } from './make-key.ts';

/** A decision about something that the person was shown in full. */
export interface DecisionToProve {
  /** `intent_hash`: computed from what was shown, not taken from the gate. */
  intent: { id: string; intent_hash: string };
  decision: 'approve' | 'deny';
}

/**
 * The person at this terminal proves, with the passphrase of their device key, that the decision is theirs. The
 * signature covers what they were shown. The gate's own challenge is only compared with it.
 *
 * @returns the ID of the completed proof session (`prf_…`), for the decision
 * @throws CommandFailure without a key for this gate on this machine, without a terminal, and for a wrong passphrase
 * @throws CommandFailure if the gate asks for a signature over something else; PermitryError
 * @example const proof_session_id = await proveWithDevice(client, { intent: shown, decision: 'approve' });
 */
export async function proveWithDevice(client: Permitry, asked: DecisionToProve): Promise<string> {
  const own = listKeyFiles().filter(({ gate, email }) => gate === client.baseUrl && email !== null);
  if (own.length === 0) throw noKey(client.baseUrl);
  const { intent, decision } = asked;
  const { proof_session: session } = await client.proofs.start({
    intent_id: intent.id,
    decision,
    method: 'device',
  });
  const { keys, terms } = readOptions(session.options);
  const file = own.find(({ key_id }) => keys.includes(key_id));
  if (!file) throw noKey(client.baseUrl);
  assertTerms(terms, asked, file);
  const challenge = proofChallenge({ ...terms, intent_hash: intent.intent_hash });
  if (challenge !== session.challenge) throw somethingElse();
  const key = await askPassphrase(file.name, (passphrase) => openKey(file, passphrase));
  const jws = signProof(file, key, challenge);
  const { proof_session: proved } = await client.proofs.submit({
    proof_session_id: session.id,
    signals: { jws },
  });
  if (proved.status === 'completed') return session.id;
  throw refused('The gate refused the signature of this device key. Nothing was decided.');
}

interface Options {
  keys: readonly string[];
  terms: ProofTerms;
}

function readOptions(options: JsonObject | undefined): Options {
  const { keys, terms } = (options ?? {}) as Partial<{ keys: { key_id: string }[]; terms: ProofTerms }>;
  if (!Array.isArray(keys) || !terms) throw somethingElse();
  return { keys: keys.map(({ key_id }) => key_id), terms };
}

/** Throws if the gate's terms name another decision or another approver. */
function assertTerms(terms: ProofTerms, { decision }: DecisionToProve, { email }: KeyFile): void {
  if (terms.decision !== decision || terms.approver !== email) throw somethingElse();
}

function signProof({ key_id }: KeyFile, key: KeyObject, challenge: string): string {
  const input = deviceProofInput(key_id, challenge);
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

function noKey(gate: string): CommandFailure {
  return refused(
    `You have no device key for ${sayVisibly(gate)} on this machine. Nothing was decided. Create a key with: permitry device enroll ${sayVisibly(gate)}`,
    'proof_required',
  );
}

function somethingElse(): CommandFailure {
  return refused(
    'The gate asks for a signature over something other than what you were shown. Nothing was signed. Report it to the operator of the gate.',
    'conflict',
  );
}
