import type { Actor } from '../access/caller.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { SigningKeyChange } from '../kernel/signing-key.ts';
import type { SigningKeyDeps } from './signing-key-deps.ts';

const ACTORS: Record<SigningKeyChange['by'], Actor> = {
  operator: { type: 'operator', id: 'operator', display: 'operator' },
  schedule: { type: 'system', id: 'schedule', display: 'the schedule' },
};

/**
 * Writes the changes into the audit log of every project, because the keys sign for all of them. Sealing the event
 * signs each chain's head again, so that no head keeps a signature by an untrusted key.
 */
export async function recordSigningKeyChanges(
  gate: SigningKeyDeps,
  changes: readonly SigningKeyChange[],
): Promise<void> {
  for (const { id: projectId } of await gate.storage.read.listProjects()) {
    await gate.storage.transaction(async (tx) => {
      for (const { kind, kid, at, by, other } of changes) {
        await recordEvent(gate, tx, {
          projectId,
          type: `signing_key.${kind}`,
          occurredAt: at,
          actor: ACTORS[by],
          data: kind === 'rotated' ? { kid, previous_kid: other } : { kid, active_kid: other },
        });
        // Makes cached status lists stale, because the compromised key may have signed them.
        if (kind === 'compromised') await tx.bumpReceiptStatusRevision();
      }
    });
  }
}
