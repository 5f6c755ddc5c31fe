/** Threat 18: the audit log reveals any alteration. */
import {
  type AuditRecord,
  auditEventHash,
  auditRecordHash,
  type PublicJwks,
  verifyAuditChain,
  verifyAuditHead,
} from '@permitry/protocol';
import type { CatalogueEntry } from '../attack-case.ts';
import { check, expectDone, expectStatus } from '../range/expect.ts';
import type { Stage } from '../range/stage.ts';
import { NotProvided } from '../undefended.ts';

const MOST_PAGES = 15;
const LONG_AGO = '2001-01-01T00:00:00.000Z';

interface ReadLog {
  /** Oldest first. */
  records: AuditRecord[];
  isWhole: boolean;
  head: { seq: number; hash: string };
}

/**
 * The latest records, and the signed head that they must reach. Verifies the signatures here instead of trusting them.
 */
async function readLog(main: Stage): Promise<ReadLog> {
  const verdict = expectDone(
    await main.call('GET', `${main.root}/audit/verify`, { key: main.observer }),
    'asking the gate to verify',
  );
  check(verdict.body.valid === true, 'the gate itself calls its log invalid', verdict);
  const head = verdict.body.head as { seq: number; hash: string; jws: string } | null;
  check(head !== null, 'the log has no head', verdict);
  const jwks = expectDone(await main.call('GET', '/.well-known/jwks.json'), 'reading the keys')
    .body as unknown as PublicJwks;
  const signed = await verifyAuditHead(head.jws, { jwks });
  check(
    signed.ok &&
      signed.claims.seq === head.seq &&
      signed.claims.hash === head.hash &&
      signed.claims.project === main.projectId,
    'the head is not signed by a published key, or says another thing than its signature',
    verdict,
  );
  const records: AuditRecord[] = [];
  let cursor: unknown = '';
  for (let page = 0; page < MOST_PAGES && typeof cursor === 'string'; page += 1) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const answer = expectDone(
      await main.call('GET', `${main.root}/audit?limit=200${query}`, { key: main.observer }),
      'reading the log',
    );
    records.push(...(answer.body.data as AuditRecord[]));
    cursor = answer.body.next_cursor;
  }
  // Records sealed since then are not under that head.
  const sealed = records.filter(({ seq }) => seq <= head.seq).toReversed();
  return { records: sealed, isWhole: sealed[0]?.seq === 1, head };
}

/**
 * Checks each record's hash and its link to the record before it. If the chain is too long to read in full, only its
 * latest part is checked.
 */
function findBreak(projectId: string, records: readonly AuditRecord[]): string | undefined {
  for (const [index, record] of records.entries()) {
    const before = records[index - 1];
    if (before !== undefined && (record.seq !== before.seq + 1 || record.prev_hash !== before.hash))
      return `record ${record.seq} does not follow record ${before.seq}`;
    if (record.event_hash !== auditEventHash(projectId, record)) return `record ${record.seq} was altered`;
    if (record.hash !== auditRecordHash(record.prev_hash, record.seq, record.event_hash))
      return `record ${record.seq} has another hash`;
  }
  return undefined;
}

async function expectSound(main: Stage): Promise<ReadLog> {
  const log = await readLog(main);
  const broken = findBreak(main.projectId, log.records);
  check(broken === undefined, `the log is broken: ${broken}`);
  const last = log.records.at(-1);
  check(
    last?.seq === log.head.seq && last.hash === log.head.hash,
    'the log does not end where its signed head says',
  );
  if (log.isWhole) {
    const whole = await verifyAuditChain(log.records, { projectId: main.projectId, sinceHead: log.head });
    check(whole.valid, `the log is broken: ${whole.firstBad?.message}`);
  }
  return log;
}

export const THE_RECORD: readonly CatalogueEntry[] = [
  {
    id: 'T18-chain',
    title: 'a log that forks under parallel writes',
    threats: ['18'],
    aisvs: ['9.4.2'],
    attack:
      'Sixty changes are made at once; then the log is read and every hash and link is recomputed, here.',
    expected:
      'One chain without a gap, that ends in a head signed by a published key, before and after; every change is in it.',
    needs: ['agent', 'observer'],
    async run({ main, client }) {
      const before = await expectSound(main);
      await client.warmUp(60);
      const made = await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          main.surfaces[(i % 2) as 0 | 1].create(
            main.agentKey,
            main.action('parallel'),
            { i },
            { expires_in: 60 },
          ),
        ),
      );
      const after = await expectSound(main);
      check(
        after.head.seq >= before.head.seq + 60,
        `60 changes, and ${after.head.seq - before.head.seq} records`,
      );
      const told = new Set(after.records.map(({ intent_id: id }) => id));
      for (const answer of made)
        check(told.has(String(answer.body.id)), 'an acknowledged change is not in the log', answer);
      const old = after.records.find(({ seq }) => seq === before.head.seq);
      check(old === undefined || old.hash === before.head.hash, 'the history of before was rewritten');
      return `${after.records.length} records verified here${after.isWhole ? ', from the first on' : ''}`;
    },
  },
  {
    id: 'T18-tampered-copy',
    title: 'a copy of the log that somebody altered',
    threats: ['18'],
    aisvs: ['9.4.2'],
    attack:
      'In a copy of the log a byte is changed, a name, a record left out, two swapped, one doubled, the tail cut off, the hashes recomputed.',
    expected:
      'Verification names the first bad record, and the saved head shows a cut-off tail and a new history.',
    needs: ['agent', 'observer'],
    async run({ main }) {
      const { records, isWhole, head } = await readLog(main);
      if (!isWhole) throw new NotProvided(`a log of at most ${MOST_PAGES * 200} records`);
      const at = Math.floor(records.length / 2);
      const victim = records[at];
      const next = records[at + 1];
      check(victim !== undefined && next !== undefined, 'the log is too short to alter anything in it');
      const rewritten: AuditRecord[] = [];
      for (const record of records) {
        const changed = record.seq === victim.seq ? { ...record, occurred_at: LONG_AGO } : record;
        const prev_hash = rewritten.at(-1)?.hash ?? record.prev_hash;
        const event_hash = auditEventHash(main.projectId, changed);
        rewritten.push({
          ...changed,
          prev_hash,
          event_hash,
          hash: auditRecordHash(prev_hash, record.seq, event_hash),
        });
      }
      const copies: readonly (readonly [string, readonly AuditRecord[]])[] = [
        ['a changed member', records.with(at, { ...victim, occurred_at: LONG_AGO })],
        [
          'a changed name',
          records.with(at, { ...victim, actor: { ...victim.actor, display: 'somebody else' } }),
        ],
        ['a record left out', records.toSpliced(at, 1)],
        ['two records swapped', records.with(at, next).with(at + 1, victim)],
        ['a record doubled', records.toSpliced(at, 0, victim)],
        ['a tail cut off', records.slice(0, -1)],
        ['a rewritten history', rewritten],
      ];
      for (const [what, copy] of copies) {
        const verdict = await verifyAuditChain(copy, { projectId: main.projectId, sinceHead: head });
        check(!verdict.valid && verdict.firstBad !== undefined, `${what} is not noticed`);
      }
      return `${copies.length} alterations of ${records.length} records`;
    },
  },
  {
    id: 'T18-no-writing',
    title: 'writing to the log',
    threats: ['18'],
    aisvs: ['9.4.2'],
    attack: 'The log is posted to, replaced and deleted, with the mightiest keys there are.',
    expected: '404: there is no such operation; the log goes on where it was.',
    needs: ['agent', 'observer'],
    async run({ main }) {
      const before = await readLog(main);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        for (const path of ['/audit', `/audit/${before.records[0]?.id}`, '/audit/verify']) {
          const answer = await main.call(method, main.root + path, {
            key: main.observer,
            body: method === 'DELETE' ? undefined : {},
          });
          expectStatus(answer, [403, 404, 405], `${method} ${path}`);
        }
      }
      const after = await readLog(main);
      const same = after.records.find(({ seq }) => seq === before.head.seq);
      check(same?.hash === before.head.hash, 'the log is another one');
    },
  },
];
