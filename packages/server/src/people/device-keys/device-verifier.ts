import {
  checkDeviceProof,
  DEVICE_PROOF_TYP,
  decodeCompactJws,
  isDeviceEvidence,
  type JsonObject,
} from '@permitry/protocol';
import type { ProofVerdict, ProofVerifier } from '../../gate/proof/proof-session.ts';
import type { PeopleDeps } from '../people-deps.ts';
import type { DeviceKeyWriter } from './device-key.ts';

/** Proof by a key in a file on the person's own machine, under a passphrase. */
export const deviceVerifier: ProofVerifier<Pick<PeopleDeps, 'clock' | 'storage'>, DeviceKeyWriter> = {
  async prepare(gate, userId, { terms, intent }) {
    const keys = await gate.storage.read.listDeviceKeys(userId);
    if (keys.length === 0) return undefined;
    // Everything the CLI needs to show the person what they sign. The CLI computes the challenge from these fields, so
    // it need not trust a challenge from the gate.
    return {
      keys: keys.map(({ id, keyId, name }) => ({ id, key_id: keyId, name })),
      terms,
      intent: { ...intent },
    };
  },

  verify,
};

async function verify(
  gate: Pick<PeopleDeps, 'clock' | 'storage'>,
  { userId, challenge, signals }: { userId: string; challenge: string; signals: JsonObject },
): Promise<ProofVerdict<DeviceKeyWriter>> {
  const { jws, ...others } = signals;
  if (typeof jws !== 'string' || Object.keys(others).length > 0) return refused('no signature');
  const keys = await gate.storage.read.listDeviceKeys(userId);
  const keyId = keyIdOf(jws);
  const key = keys.find((own) => own.keyId === keyId);
  if (!key) return refused('no device key of this person');
  const assertion = { key_id: key.keyId, jws };
  // The same check that anyone can run offline later: the gate must accept exactly what an auditor accepts.
  const verdict = await checkDeviceProof(assertion, { challenge, key: key.jwk });
  if (verdict !== 'verified') return refused(verdict);
  const terms = { decision: 'approve' as const, approver: '-', nonce: '-', exp: 0 };
  if (!isDeviceEvidence({ ...assertion, challenge: terms })) return refused('no evidence');
  return {
    kind: 'verified',
    assertion,
    settle: (tx) => tx.useDeviceKey(key.id, gate.clock.now()),
  };
}

/** The key ID that the JWS claims. Only a lookup uses it before the signature is checked. */
function keyIdOf(jws: string): string | undefined {
  const decoded = decodeCompactJws(jws, { typ: DEVICE_PROOF_TYP });
  return decoded.ok ? decoded.header.kid : undefined;
}

function refused(why: string): ProofVerdict<DeviceKeyWriter> {
  return { kind: 'refused', why };
}
