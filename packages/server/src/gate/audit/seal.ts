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

/** Dependencies of sealing. */
export interface SealingGate {
  storage: Storage<AuditReader, AuditWriter>;
  clock: Clock;
  tokens: Pick<Tokens, 'issuer' | 'signer'>;
}

/** Events per transaction: few enough that other transactions do not notice the wait. */
const BATCH = 500;
/**
 * How many times in a row other gates may seal first. The chain grows each time, so this limit only keeps a fault from
 * looping.
 */
const MOST_LOST = 100;
const LONGEST_PAUSE_MS = 100;

/**
 * Gives every event that any gate committed before the call its place in the project's chain. Returns how many events
 * this call sealed.
 *
 * The chain cannot fork, however many gates seal at once. A batch is computed and its head signed from committed data,
 * outside any transaction, because a transaction may wait for nothing but its own methods. Then one transaction appends
 * the batch to the end that it was computed from, or finds another end and writes nothing. In the second case the gate
 * waits a short random time and starts over. The next batch is whatever has no seal, not whatever follows the last
 * seal. So an event whose transaction began early and committed late is sealed late, but never missed.
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
    // After a full batch, events may arrive as fast as they are sealed. The next call seals those.
    throughPosition ??=
      events.length < BATCH ? last.position : await read.findLastUnsealedPosition(projectId);
    const next = (head?.seq ?? 0) + 1;
    // The head covers this event, so it was sealed and its seal is gone. Verification must report that.
    if (last.seq !== null && last.seq < next) return sealed;
    const [first] = events;
    if (first && first.seq !== null && first.seq !== next) {
      // Either another gate sealed the event since the head was read, or an event or the head itself is gone.
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
    // A seal would make the gap permanent. Without one, verification still reports the gap.
    if (seq !== null && seq !== ownSeq) throw new Error(`event ${ownSeq} of ${projectId} is missing`);
    prevHash = auditRecordHash(prevHash, ownSeq, eventHash);
    return prevHash;
  });
  return { projectId, firstSeq, positions: events.map(({ position }) => position), prevHash: before, hashes };
}

/** False when the chain has grown in the meantime, and then nothing was written. */
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
  // Reads the current keys first: a withdrawn key must not sign the event that records its withdrawal.
  await gate.tokens.signer.refresh();
  const { kid, alg } = gate.tokens.signer.current;
  const claims = { iss: gate.tokens.issuer, project: projectId, seq, hash, iat: epochSeconds(sealedAt) };
  const signingInput = encodeSigningInput({ alg, typ: AUDIT_HEAD_TYP, kid }, claims);
  const jws = `${signingInput}.${await gate.tokens.signer.sign(kid, signingInput)}`;
  return { projectId, seq, hash, sealedAt, jws };
}

/** Random, so that two gates that collided do not wait equally long. */
function pause(lost: number): Promise<void> {
  const longest = Math.min(5 * 2 ** Math.min(lost, 10), LONGEST_PAUSE_MS);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
