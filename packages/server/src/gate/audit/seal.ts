import {
  AUDIT_HEAD_TYP,
  auditRecordHash,
  encodeSigningInput,
  epochSeconds,
  genesisHash,
} from '@permitry/protocol';
import type { Gate } from '../gate.ts';
import type { ChainHead, Seal } from './audit-event.ts';

/** What sealing needs of the gate. */
export type SealingGate = Pick<Gate, 'issuer' | 'storage' | 'clock' | 'signer'>;

/** Events of one transaction: few enough that those who wait behind it do not notice. */
const BATCH = 200;

/**
 * Gives every event of the project that was committed before the call its place in the chain, and answers how many
 * it sealed.
 *
 * The chain cannot fork, however many processes seal at once. A batch is computed and its head signed from committed
 * data, outside any transaction, for a transaction may wait for nothing but itself; then one transaction looks
 * whether the head is still the one it was computed from, and writes all or nothing. Whoever comes second finds
 * another head and starts over.
 */
export async function sealProject(gate: SealingGate, projectId: string): Promise<number> {
  let goal = Number.POSITIVE_INFINITY;
  let sealed = 0;
  while (sealed < goal) {
    const head = await gate.storage.read.findChainHead(projectId);
    const events = await gate.storage.read.listUnsealedEvents(projectId, head?.seq ?? 0, BATCH);
    if (events.length === 0) break;
    const next = (head?.seq ?? 0) + 1;
    if (events[0]?.seq !== next) {
      // Sealed by somebody else since the head was read; or else an event or the head itself is gone.
      const now = await gate.storage.read.findChainHead(projectId);
      if (now?.seq === head?.seq) throw new Error(`event ${next} of ${projectId} is missing, or its head is`);
      continue;
    }
    // A full batch may be followed by events that arrive as fast as they are sealed; those are for the next call.
    if (goal === Number.POSITIVE_INFINITY) {
      goal = events.length < BATCH ? events.length : await gate.storage.read.countUnsealedEvents(projectId);
    }
    if (await applySeal(gate, head, chain(projectId, head, events))) sealed += events.length;
  }
  return sealed;
}

function chain(
  projectId: string,
  head: ChainHead | undefined,
  events: readonly { seq: number; eventHash: string }[],
): Seal {
  const firstSeq = (head?.seq ?? 0) + 1;
  const before = head?.hash ?? genesisHash(projectId);
  let prevHash: string = before;
  const hashes = events.map(({ seq, eventHash }, index) => {
    // A gap would be sealed for good; left open, it stays a gap that verification names.
    if (seq !== firstSeq + index) throw new Error(`event ${firstSeq + index} of ${projectId} is missing`);
    prevHash = auditRecordHash(prevHash, seq, eventHash);
    return prevHash;
  });
  return { projectId, firstSeq, prevHash: before, hashes };
}

/** False when the chain has grown in the meantime; nothing was written then. */
async function applySeal(gate: SealingGate, from: ChainHead | undefined, seal: Seal): Promise<boolean> {
  const { projectId, firstSeq, hashes } = seal;
  const hash = hashes.at(-1);
  if (hash === undefined) return true;
  const head = await signHead(gate, projectId, { seq: firstSeq + hashes.length - 1, hash });
  return gate.storage.transaction(async (tx) => {
    const found = await tx.findChainHead(projectId);
    if (found?.hash !== from?.hash || found?.seq !== from?.seq) return false;
    await tx.insertSeal(seal);
    await tx.saveChainHead(head);
    return true;
  });
}

async function signHead(
  gate: SealingGate,
  projectId: string,
  last: { seq: number; hash: string },
): Promise<ChainHead> {
  const sealedAt = gate.clock.now();
  const { seq, hash } = last;
  const { kid, alg } = gate.signer.current;
  const claims = { iss: gate.issuer, project: projectId, seq, hash, iat: epochSeconds(sealedAt) };
  const signingInput = encodeSigningInput({ alg, typ: AUDIT_HEAD_TYP, kid }, claims);
  const jws = `${signingInput}.${await gate.signer.sign(kid, signingInput)}`;
  return { projectId, seq, hash, sealedAt, jws };
}
