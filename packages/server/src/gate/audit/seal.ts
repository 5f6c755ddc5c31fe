import {
  AUDIT_HEAD_TYP,
  auditRecordHash,
  encodeSigningInput,
  epochSeconds,
  genesisHash,
} from '@permitry/protocol';
import type { Clock } from '../kernel/clock.ts';
import type { Storage } from '../kernel/storage.ts';
import type { Tokens } from '../tokens/tokens.ts';
import type { AuditReader, AuditWriter, ChainHead, Seal, UnsealedEvent } from './audit-event.ts';

/** What sealing takes. */
export interface SealingGate {
  storage: Storage<AuditReader, AuditWriter>;
  clock: Clock;
  tokens: Pick<Tokens, 'issuer' | 'signer'>;
}

/** Events of one transaction: few enough that those who wait behind it do not notice. */
const BATCH = 500;
/** Times in a row that others were first. Each time the chain grew, so this only keeps a fault from spinning. */
const MOST_LOST = 100;
const LONGEST_PAUSE_MS = 100;

/**
 * Gives every event of the project that was committed before the call, by any gate, its place in the chain; answers
 * how many it sealed itself.
 *
 * The chain cannot fork, however many gates seal at once. A batch is computed and its head signed from committed
 * data, outside any transaction, for a transaction may wait for nothing but itself; then one transaction puts it at
 * the end that it was computed from, or finds another end and writes nothing. Whoever comes second waits a moment,
 * each gate another, and starts over. What is sealed next is what has no seal yet, and not what comes after the last
 * one: so an event whose transaction was begun early and committed late is sealed late, and missed by nobody.
 */
export async function sealProject(gate: SealingGate, projectId: string): Promise<number> {
  const { read } = gate.storage;
  let throughPosition: number | undefined;
  let sealed = 0;
  let lost = 0;
  for (;;) {
    const head = await read.findChainHead(projectId);
    const events = await read.listUnsealedEvents(projectId, BATCH, throughPosition);
    const last = events.at(-1);
    if (!last) return sealed;
    // A full batch may be followed by events that arrive as fast as they are sealed; those are for the next call.
    throughPosition ??=
      events.length < BATCH ? last.position : await read.findLastUnsealedPosition(projectId);
    const next = (head?.seq ?? 0) + 1;
    // Sealed, as the head says: that the seal is gone is for verification to tell.
    if (last.seq !== null && last.seq < next) return sealed;
    const [first] = events;
    if (first && first.seq !== null && first.seq !== next) {
      // Sealed by somebody else since the head was read; or else an event or the head itself is gone.
      const now = await read.findChainHead(projectId);
      if (now?.seq === head?.seq) throw new Error(`event ${next} of ${projectId} is missing, or its head is`);
    } else if (await append(gate, chain(projectId, head, events))) {
      sealed += events.length;
      lost = 0;
      continue;
    }
    lost += 1;
    if (lost > MOST_LOST) throw new Error(`others seal ${projectId} all the time`);
    await pause(lost);
  }
}

function chain(projectId: string, head: ChainHead | undefined, events: readonly UnsealedEvent[]): Seal {
  const firstSeq = (head?.seq ?? 0) + 1;
  const before = head?.hash ?? genesisHash(projectId);
  let prevHash: string = before;
  const hashes = events.map(({ seq, eventHash }, index) => {
    const ownSeq = firstSeq + index;
    // A gap would be sealed for good; left open, it stays a gap that verification names.
    if (seq !== null && seq !== ownSeq) throw new Error(`event ${ownSeq} of ${projectId} is missing`);
    prevHash = auditRecordHash(prevHash, ownSeq, eventHash);
    return prevHash;
  });
  return { projectId, firstSeq, positions: events.map(({ position }) => position), prevHash: before, hashes };
}

/** False when the chain has grown in the meantime; nothing was written then. */
async function append(gate: SealingGate, seal: Seal): Promise<boolean> {
  const { projectId, firstSeq, hashes } = seal;
  const hash = hashes.at(-1);
  if (hash === undefined) return true;
  const head = await signHead(gate, projectId, { seq: firstSeq + hashes.length - 1, hash });
  return gate.storage.transaction((tx) => tx.appendSeal(seal, head), { guarded: true });
}

async function signHead(
  gate: SealingGate,
  projectId: string,
  last: { seq: number; hash: string },
): Promise<ChainHead> {
  const sealedAt = gate.clock.now();
  const { seq, hash } = last;
  // The event that tells of a withdrawn key is sealed by whoever comes first: not with that key.
  await gate.tokens.signer.refresh();
  const { kid, alg } = gate.tokens.signer.current;
  const claims = { iss: gate.tokens.issuer, project: projectId, seq, hash, iat: epochSeconds(sealedAt) };
  const signingInput = encodeSigningInput({ alg, typ: AUDIT_HEAD_TYP, kid }, claims);
  const jws = `${signingInput}.${await gate.tokens.signer.sign(kid, signingInput)}`;
  return { projectId, seq, hash, sealedAt, jws };
}

/** Of two gates that met, none shall wait as long as the other. */
function pause(lost: number): Promise<void> {
  const longest = Math.min(5 * 2 ** Math.min(lost, 10), LONGEST_PAUSE_MS);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
