/** The signing keys of a test's gate, with the parts that only its operator and its server use. */

import { recordSigningKeyChanges } from '../../src/gate/signing-keys/record-changes.ts';
import type { SigningKeys } from '../../src/keys/signing-keys.ts';
import type { GateParts } from '../../src/open-gate.ts';

export interface KeysOfGate {
  signer: SigningKeys;
  /** Does the same as `permitry signing-keys compromise`. */
  compromise(...kids: string[]): Promise<void>;
  record(): Promise<void>;
}

export function keysOf(gate: GateParts): KeysOfGate {
  const { signer } = gate.tokens;
  if (!isSigningKeys(signer)) throw new Error('the gate has another signer');
  const record = () => signer.recordChanges((changes) => recordSigningKeyChanges(gate, changes));
  return {
    signer,
    async compromise(...kids) {
      await signer.markCompromised(kids.length > 0 ? kids : undefined);
      await record();
    },
    record,
  };
}

function isSigningKeys(signer: GateParts['tokens']['signer']): signer is SigningKeys {
  return 'rotate' in signer && 'markCompromised' in signer;
}
