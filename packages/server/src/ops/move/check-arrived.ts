/** Checks that the gate in the database is the one that was sent: nothing is lost, and everything still verifies. */
import { decodePermit, type ProjectMode } from '@permitry/protocol';
import type { OperatorCaller } from '../../gate/access/caller.ts';
import type { ChainHead } from '../../gate/audit/audit-event.ts';
import { verifyAudit } from '../../gate/audit/verify-audit.ts';
import type { SigningKey } from '../../gate/kernel/signing-key.ts';
import type { GateParts } from '../../open-gate.ts';
import { MoveError } from './move-error.ts';

/** The gate before the move, to compare with the one that arrived. */
export interface Portrait {
  projects: readonly { id: string; name: string; head: ChainHead | undefined }[];
  /** Published and withdrawn keys, with all their properties. */
  keys: readonly SigningKey[];
  publicKids: readonly string[];
}

export async function portraitOf(gate: GateParts): Promise<Portrait> {
  const projects = [];
  for (const { id, name } of await gate.storage.read.listProjects())
    projects.push({ id, name, head: await gate.storage.read.findChainHead(id) });
  return {
    projects,
    keys: gate.tokens.signer.keys(),
    publicKids: gate.tokens.signer.publicKeys().map(({ kid }) => kid),
  };
}

/** @throws MoveError `damaged` */
export async function checkArrived(
  gate: GateParts,
  operator: OperatorCaller,
  sent: Portrait,
  onChecked: (project: string) => void,
): Promise<void> {
  const arrived = await portraitOf(gate);
  if (JSON.stringify(arrived) !== JSON.stringify(sent))
    throw new MoveError(
      'damaged',
      'The projects, the ends of their audit logs or the signing keys are not those that were sent.',
    );
  for (const { id, name, head } of sent.projects) {
    const { firstBad, count } = await verifyAudit(gate, operator, id);
    if (firstBad)
      throw new MoveError('damaged', `The audit log of ${name} does not verify: ${firstBad.message}`);
    if (count !== (head?.seq ?? 0))
      throw new MoveError(
        'damaged',
        `The audit log of ${name} has ${count} records, and not ${head?.seq ?? 0}.`,
      );
    onChecked(name);
  }
}

/** @throws MoveError `damaged` for a permit that no longer verifies */
export async function checkPermits(
  gate: GateParts,
  permits: readonly { token: string; mode: ProjectMode }[],
  sent: Portrait,
): Promise<void> {
  for (const { token, mode } of permits) {
    const decoded = decodePermit(token, { mode });
    const kid = decoded.ok ? decoded.header.kid : '';
    // Permits of a withdrawn key were refused before the move as well.
    if (sent.keys.some((key) => key.kid === kid && key.state === 'compromised')) continue;
    await gate.tokens.recogniser.recognise(token, mode).catch((cause: unknown) => {
      throw new MoveError('damaged', 'A permit that may still be used no longer verifies.', { cause });
    });
  }
}
