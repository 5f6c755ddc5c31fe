import {
  AUDIT_HEAD_TYP,
  auditRecordHash,
  encodeSigningInput,
  epochSeconds,
  genesisHash,
} from '@permitry/protocol';
import type { Gate } from '../gate.ts';
import type { ChainHead } from './audit-event.ts';

/** What sealing needs of the gate. */
export type SealingGate = Pick<Gate, 'issuer' | 'storage' | 'clock' | 'signer'>;

/** Events of one transaction: few enough that those who wait behind it do not notice. */
const BATCH = 200;

interface Seal {
  position: number;
  seq: number;
  prevHash: string;
  hash: string;
}

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
    // The head before the events: read the other way round, events sealed in between would look unsealed under a
    // head that already contains them.
    const head = await gate.storage.read.findChainHead(projectId);
    const events = await gate.storage.read.listUnsealedEvents(projectId, BATCH);
    if (events.length === 0) break;
    // A full batch may be followed by events that arrive as fast as they are sealed; those are for the next call.
    if (goal === Number.POSITIVE_INFINITY) {
      goal = events.length < BATCH ? events.length : await gate.storage.read.countUnsealedEvents(projectId);
    }
    const seals = chain(projectId, head, events);
    if (await applySeals(gate, projectId, head, seals)) sealed += seals.length;
  }
  return sealed;
}

function chain(
  projectId: string,
  head: ChainHead | undefined,
  events: readonly { position: number; eventHash: string }[],
): Seal[] {
  let seq = head?.seq ?? 0;
  let prevHash: string = head?.hash ?? genesisHash(projectId);
  return events.map(({ position, eventHash }) => {
    seq += 1;
    const seal = { position, seq, prevHash, hash: auditRecordHash(prevHash, seq, eventHash) };
    prevHash = seal.hash;
    return seal;
  });
}

/** False when the chain has grown in the meantime; nothing was written then. */
async function applySeals(
  gate: SealingGate,
  projectId: string,
  from: ChainHead | undefined,
  seals: readonly Seal[],
): Promise<boolean> {
  const last = seals.at(-1);
  if (!last) return true;
  const head = await signHead(gate, projectId, last);
  return gate.storage.transaction(async (tx) => {
    const found = await tx.findChainHead(projectId);
    if (found?.hash !== from?.hash || found?.seq !== from?.seq) return false;
    for (const { position, ...seal } of seals) await tx.sealEvent(position, seal);
    await tx.saveChainHead(head);
    return true;
  });
}

async function signHead(gate: SealingGate, projectId: string, last: Seal): Promise<ChainHead> {
  const sealedAt = gate.clock.now();
  const { seq, hash } = last;
  const { kid, alg } = gate.signer.current;
  const claims = { iss: gate.issuer, project: projectId, seq, hash, iat: epochSeconds(sealedAt) };
  const signingInput = encodeSigningInput({ alg, typ: AUDIT_HEAD_TYP, kid }, claims);
  const jws = `${signingInput}.${await gate.signer.sign(kid, signingInput)}`;
  return { projectId, seq, hash, sealedAt, jws };
}
