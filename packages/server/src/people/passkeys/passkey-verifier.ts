import type { JsonObject } from '@permitry/protocol';
import type { ProofVerdict, ProofVerifier } from '../../gate/proof/proof-session.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { readAssertion } from './credential-json.ts';
import type { PasskeyWriter } from './passkey.ts';
import { requestOptions } from './passkey-options.ts';
import { verifyAssertion } from './verify-assertion.ts';

/** Proof by passkey, for a proof session. */
export const passkeyVerifier: ProofVerifier<PeopleDeps<'issuer'>, PasskeyWriter> = {
  async prepare(gate, userId, { challenge }) {
    const passkeys = await gate.storage.read.listPasskeys(userId);
    return passkeys.length === 0 ? undefined : requestOptions(gate, challenge, passkeys);
  },

  verify,
};

async function verify(
  gate: PeopleDeps<'issuer'>,
  { userId, challenge, signals }: { userId: string; challenge: string; signals: JsonObject },
): Promise<ProofVerdict<PasskeyWriter>> {
  const assertion = readAssertion(signals);
  const passkey = assertion && (await gate.storage.read.findPasskey(assertion.id));
  if (!assertion || passkey?.userId !== userId) return { kind: 'refused', why: 'no passkey of this person' };
  const verdict = await verifyAssertion(gate, passkey, { assertion, challenge });
  if (verdict.kind === 'refused') return verdict;
  return {
    kind: 'verified',
    assertion: verdict.assertion,
    settle: (tx) => tx.usePasskey(passkey.id, { ...verdict.use, at: gate.clock.now() }),
  };
}
