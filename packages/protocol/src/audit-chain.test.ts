import { type CryptoKey, exportJWK, generateKeyPair } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyAuditChain } from './audit-chain.ts';
import { verifyAuditExport } from './audit-export.ts';
import {
  type AuditRecord,
  auditEventHash,
  auditRecordHash,
  commitText,
  genesisHash,
} from './audit-record.ts';
import { encodeBase64url } from './base64url.ts';
import { encodeSigningInput } from './compact-jws.ts';
import type { JsonObject } from './json.ts';
import type { PublicJwk } from './public-jwk.ts';
import { AUDIT_HEAD_TYP, RECEIPT_TYP } from './token-typ.ts';

const projectId = 'prj_1';
const SALT = 'AAAAAAAAAAAAAAAAAAAAAA';
const anotherHash = genesisHash('prj_other');

/** A chain as the gate writes it. Every record has a committed display name, and some have a committed reason. */
function chainOf(length: number, project = projectId): AuditRecord[] {
  const records: AuditRecord[] = [];
  let prev: string = genesisHash(project);
  for (let seq = 1; seq <= length; seq++) {
    const display = `person${seq}@example.org`;
    const reason = `because of ${seq}`;
    const data: JsonObject = seq % 2 === 0 ? { reason, list: [{ 'a/b~c': reason }, 1] } : { n: seq };
    const event = {
      id: `evt_${seq}`,
      type: 'intent.denied' as const,
      occurred_at: '2026-11-20T05:37:00.000Z',
      actor: { type: 'user' as const, id: 'usr_1', display },
      intent_id: seq % 3 === 0 ? null : 'int_1',
      data,
      commitments: {
        '/actor/display': { digest: commitText(display, SALT), salt: SALT },
        ...(seq % 2 === 0 && {
          '/data/reason': { digest: commitText(reason, SALT), salt: SALT },
          '/data/list/0/a~1b~0c': { digest: commitText(reason, SALT), salt: SALT },
        }),
      },
    };
    const eventHash = auditEventHash(project, event);
    const hash = auditRecordHash(prev, seq, eventHash);
    records.push({ ...event, seq, event_hash: eventHash, prev_hash: prev, hash });
    prev = hash;
  }
  return records;
}

function record(records: readonly AuditRecord[], seq: number): AuditRecord {
  const found = records[seq - 1];
  if (found === undefined) throw new Error(`no record ${seq}`);
  return found;
}

/** The chain with one record changed. */
function altered(length: number, seq: number, change: (record: AuditRecord) => object): unknown[] {
  return chainOf(length).map((each) => (each.seq === seq ? { ...each, ...change(each) } : each));
}

function headOf(records: readonly AuditRecord[]): { seq: number; hash: string } {
  const { seq, hash } = record(records, records.length);
  return { seq, hash };
}

describe('a chain', () => {
  it('verifies, and says where it ends', async () => {
    const records = chainOf(6);
    expect(await verifyAuditChain(records, { projectId })).toStrictEqual({
      valid: true,
      count: 6,
      head: headOf(records),
    });
  });

  it('verifies when empty', async () => {
    const head = { seq: 0, hash: genesisHash(projectId) };
    expect(await verifyAuditChain([], { projectId })).toStrictEqual({ valid: true, count: 0, head });
    expect((await verifyAuditChain([], { projectId, sinceHead: head })).valid).toBe(true);
  });

  it('verifies after committed texts were erased', async () => {
    const erased = altered(6, 4, ({ actor, data, commitments }) => ({
      actor: { ...actor, display: null },
      data: { ...data, reason: null },
      commitments: {
        ...commitments,
        '/actor/display': { ...commitments['/actor/display'], salt: null },
        '/data/reason': { ...commitments['/data/reason'], salt: null },
      },
    }));
    expect((await verifyAuditChain(erased, { projectId })).valid).toBe(true);
  });

  it('does not change the records that it hashes', () => {
    const event = record(chainOf(2), 2);
    const before = structuredClone(event);
    auditEventHash(projectId, event);
    expect(event).toStrictEqual(before);
  });

  it.each(['/actor/id', '/type', '/actor', '/data', '/data/none', '/data/n', 'data/n', ''])(
    'allows no commitment at %j, so nothing there can be erased',
    (pointer) => {
      const event = record(chainOf(1), 1);
      const commitments = { [pointer]: { digest: commitText('usr_1', SALT), salt: SALT } };
      expect(() => auditEventHash(projectId, { ...event, commitments })).toThrow(TypeError);
    },
  );

  it('does not verify for another project', async () => {
    const { firstBad } = await verifyAuditChain(chainOf(2), { projectId: 'prj_2' });
    expect(firstBad).toMatchObject({ seq: 1, problem: 'link_broken' });
  });

  const committed = (pointer: string, change: object) => (each: AuditRecord) => ({
    commitments: { ...each.commitments, [pointer]: { ...each.commitments[pointer], ...change } },
  });

  it.each<[string, number, string, (record: AuditRecord) => object]>([
    ['another type', 3, 'content_altered', () => ({ type: 'intent.approved' })],
    ['another moment', 3, 'content_altered', () => ({ occurred_at: '2026-11-20T05:37:00.001Z' })],
    ['another actor', 3, 'content_altered', ({ actor }) => ({ actor: { ...actor, id: 'usr_2' } })],
    ['another intent', 4, 'content_altered', () => ({ intent_id: 'int_2' })],
    ['another id', 4, 'content_altered', () => ({ id: 'evt_99' })],
    ['other data', 3, 'content_altered', () => ({ data: { n: 4 } })],
    ['more data', 3, 'content_altered', ({ data }) => ({ data: { ...data, more: null } })],
    ['another event hash', 3, 'content_altered', () => ({ event_hash: anotherHash })],
    ['another hash', 3, 'link_broken', () => ({ hash: anotherHash })],
    ['another link', 3, 'link_broken', () => ({ prev_hash: anotherHash })],
    ['another text', 4, 'text_altered', ({ data }) => ({ data: { ...data, reason: 'none' } })],
    ['another name', 3, 'text_altered', ({ actor }) => ({ actor: { ...actor, display: 'x@example.org' } })],
    [
      'a text erased without its salt',
      4,
      'text_altered',
      ({ data }) => ({ data: { ...data, reason: null } }),
    ],
    ['a salt erased without its text', 4, 'text_altered', committed('/data/reason', { salt: null })],
    ['another salt', 4, 'text_altered', committed('/data/reason', { salt: 'BBBB' })],
    ['another digest', 4, 'text_altered', committed('/data/reason', { digest: anotherHash })],
    [
      'text, salt and digest replaced together',
      4,
      'content_altered',
      (each) => ({
        data: { ...each.data, reason: 'none' },
        ...committed('/data/reason', { digest: commitText('none', SALT) })(each),
      }),
    ],
    ['a commitment omitted', 3, 'content_altered', () => ({ commitments: {} })],
    ['a committed text omitted', 4, 'text_altered', () => ({ data: {} })],
    [
      'a commitment to a value that is not a text',
      3,
      'text_altered',
      committed('/type', { digest: anotherHash, salt: null }),
    ],
    [
      'a commitment to a number',
      3,
      'text_altered',
      committed('/data/n', { digest: anotherHash, salt: null }),
    ],
    [
      'a commitment to nothing',
      3,
      'text_altered',
      committed('/data/no', { digest: anotherHash, salt: null }),
    ],
    [
      'a commitment to a length',
      4,
      'text_altered',
      committed('/data/list/length', { digest: anotherHash, salt: null }),
    ],
    ['an extra member', 3, 'malformed_record', () => ({ note: 'x' })],
    ['a hash in capitals', 3, 'malformed_record', ({ hash }) => ({ hash: hash.toUpperCase() })],
    ['a seq that is text', 3, 'malformed_record', () => ({ seq: '3' })],
    [
      'a moment that does not exist',
      3,
      'malformed_record',
      () => ({ occurred_at: '2026-02-30T05:37:00.000Z' }),
    ],
    ['a lone surrogate', 3, 'malformed_record', () => ({ data: { text: '\ud800' } })],
  ])('with %s in one record fails at that record', async (_, seq, problem, change) => {
    const { valid, count, head, firstBad } = await verifyAuditChain(altered(6, seq, change), { projectId });
    expect(valid).toBe(false);
    expect(firstBad?.problem).toBe(problem);
    expect(firstBad?.seq).toBe(seq);
    expect({ count, seq: head.seq }).toStrictEqual({ count: seq - 1, seq: seq - 1 });
    expect(firstBad?.message).toMatch(/\.$/);
  });

  it('with a member missing fails at that record', async () => {
    for (const property of Object.keys(record(chainOf(1), 1))) {
      const { [property]: _, ...rest } = { ...record(chainOf(1), 1) } as Record<string, unknown>;
      expect((await verifyAuditChain([rest], { projectId })).firstBad?.problem).toBe('malformed_record');
    }
  });

  it('fails at the next record after the hashes of a changed one were recomputed', async () => {
    const records = chainOf(4);
    const changed = { ...record(records, 2), type: 'intent.approved' as const };
    const eventHash = auditEventHash(projectId, changed);
    records[1] = {
      ...changed,
      event_hash: eventHash,
      hash: auditRecordHash(changed.prev_hash, 2, eventHash),
    };
    const { firstBad } = await verifyAuditChain(records, { projectId });
    expect(firstBad).toMatchObject({ seq: 3, id: 'evt_3', problem: 'link_broken' });
  });

  it('fails when records are missing, repeated or swapped', async () => {
    const [a, b, c, d] = chainOf(4);
    const problemOf = async (records: unknown[]) => (await verifyAuditChain(records, { projectId })).firstBad;
    expect(await problemOf([b, c])).toMatchObject({ seq: 2, problem: 'missing_record' });
    expect(await problemOf([a, b, d])).toMatchObject({ seq: 4, problem: 'missing_record' });
    expect(await problemOf([a, c, b])).toMatchObject({ seq: 3, problem: 'missing_record' });
    expect(await problemOf([a, b, b, c])).toMatchObject({ seq: 2, problem: 'out_of_order' });
    expect(await problemOf([a, null])).toMatchObject({ seq: 2, problem: 'malformed_record' });
    expect(await problemOf([a, []])).toMatchObject({ seq: 2, problem: 'malformed_record' });
  });

  it('is compared with a head saved earlier', async () => {
    const records = chainOf(4);
    const sinceHead = headOf(records);
    expect((await verifyAuditChain(chainOf(6), { projectId, sinceHead })).valid).toBe(true);
    const cut = await verifyAuditChain(records.slice(0, 3), { projectId, sinceHead });
    expect(cut.firstBad).toMatchObject({ seq: 4, problem: 'tail_missing' });
    const rewritten = await verifyAuditChain(records, {
      projectId,
      sinceHead: { seq: 3, hash: anotherHash },
    });
    expect(rewritten.firstBad).toMatchObject({ seq: 3, problem: 'history_rewritten' });
    const other = await verifyAuditChain(records, { projectId, sinceHead: { seq: 0, hash: anotherHash } });
    expect(other.firstBad).toMatchObject({ problem: 'history_rewritten' });
  });
});

describe('an audit export', () => {
  let key: CryptoKey;
  let jwk: PublicJwk;
  let foreignKey: CryptoKey;

  beforeAll(async () => {
    const pair = await generateKeyPair('ES256');
    key = pair.privateKey;
    const { x = '', y = '' } = await exportJWK(pair.publicKey);
    jwk = { kty: 'EC', crv: 'P-256', x, y, kid: 'k1', alg: 'ES256', use: 'sig' };
    foreignKey = (await generateKeyPair('ES256')).privateKey;
  });

  async function signHead(
    claims: object,
    {
      typ = AUDIT_HEAD_TYP,
      signer = key,
    }: { typ?: typeof AUDIT_HEAD_TYP | typeof RECEIPT_TYP; signer?: CryptoKey } = {},
  ): Promise<string> {
    const input = encodeSigningInput({ alg: 'ES256', typ, kid: 'k1' }, claims);
    const bytes = new TextEncoder().encode(input);
    const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, signer, bytes);
    return `${input}.${encodeBase64url(new Uint8Array(signature))}`;
  }

  function headClaims(records: readonly AuditRecord[]): object {
    return { iss: 'https://gate.example', project: projectId, iat: 1_795_000_000, ...headOf(records) };
  }

  async function header(records: readonly AuditRecord[], change: object = {}): Promise<string> {
    const head = records.length === 0 ? null : await signHead(headClaims(records));
    return JSON.stringify({
      format: 'permitry-audit/1',
      project_id: projectId,
      issuer: 'https://gate.example',
      exported_at: '2026-11-20T05:37:00.000Z',
      jwks: { keys: [jwk] },
      head,
      ...change,
    });
  }

  async function linesOf(records: readonly AuditRecord[], change?: object): Promise<string[]> {
    return [await header(records, change), ...records.map((each) => JSON.stringify(each))];
  }

  it('verifies with its own keys, and with keys from elsewhere', async () => {
    const records = chainOf(3);
    const lines = await linesOf(records);
    expect(await verifyAuditExport(lines)).toStrictEqual({
      valid: true,
      count: 3,
      head: headOf(records),
      projectId,
      issuer: 'https://gate.example',
      headSignedBy: 'keys_of_the_file',
      after: null,
    });
    const given = await verifyAuditExport([...lines, ''], { jwks: { keys: [jwk] } });
    expect(given).toMatchObject({ valid: true, headSignedBy: 'given_keys' });
  });

  it('verifies when the chain is empty', async () => {
    expect(await verifyAuditExport(await linesOf([]))).toMatchObject({
      valid: true,
      count: 0,
      headSignedBy: null,
    });
  });

  it('names the line of the first bad record', async () => {
    const lines = await linesOf(chainOf(4));
    lines[2] = (lines[2] ?? '').replace('because of 2', 'because of 3');
    const { firstBad } = await verifyAuditExport(lines);
    expect(firstBad).toMatchObject({ line: 3, seq: 2, id: 'evt_2', problem: 'text_altered' });
  });

  it('finds a missing tail, and records after the head', async () => {
    const lines = await linesOf(chainOf(4));
    const cut = await verifyAuditExport(lines.slice(0, 4));
    expect(cut.firstBad).toMatchObject({ line: 5, seq: 4, problem: 'tail_missing' });
    const longer = [...(await linesOf(chainOf(3))), JSON.stringify(record(chainOf(4), 4))];
    expect((await verifyAuditExport(longer)).firstBad).toMatchObject({
      line: 5,
      seq: 4,
      problem: 'beyond_head',
    });
    const headless = await linesOf(chainOf(3), { head: null });
    expect((await verifyAuditExport(headless)).firstBad).toMatchObject({ line: 2, problem: 'beyond_head' });
  });

  it('is compared with a saved head, given as a JWS or as its numbers', async () => {
    const lines = await linesOf(chainOf(4));
    const longer = chainOf(6);
    for (const sinceHead of [await signHead(headClaims(longer)), headOf(longer)]) {
      const { firstBad } = await verifyAuditExport(lines, { sinceHead });
      expect(firstBad).toMatchObject({ line: 6, problem: 'tail_missing' });
    }
    const saved = await signHead(headClaims(chainOf(2)));
    expect((await verifyAuditExport(lines, { sinceHead: saved })).valid).toBe(true);
    const rewritten = { seq: 2, hash: genesisHash('prj_other') };
    expect((await verifyAuditExport(lines, { sinceHead: rewritten })).firstBad).toMatchObject({
      line: 3,
      problem: 'history_rewritten',
    });
  });

  it('rebuilt with other keys fails against saved keys', async () => {
    const records = chainOf(2);
    const lines = await linesOf(records, {
      head: await signHead(headClaims(records), { signer: foreignKey }),
    });
    const { firstBad } = await verifyAuditExport(lines, { jwks: { keys: [jwk] } });
    expect(firstBad).toMatchObject({ line: 1, problem: 'head_invalid' });
  });

  it("does not accept another token, or another project's head, as its head", async () => {
    const records = chainOf(2);
    const wrong = [
      await signHead(headClaims(records), { typ: RECEIPT_TYP }),
      await signHead({ ...headClaims(records), project: 'prj_2' }),
      await signHead({ ...headClaims(records), more: 1 }),
      await signHead({ ...headClaims(records), seq: '2' }),
      'x',
    ];
    for (const head of wrong) {
      expect((await verifyAuditExport(await linesOf(records, { head }))).firstBad?.problem).toBe(
        'head_invalid',
      );
      const lines = await linesOf(records);
      expect((await verifyAuditExport(lines, { sinceHead: head })).firstBad?.problem).toBe('head_invalid');
    }
  });

  it.each([
    ['nothing', [], 1],
    ['an empty line', [''], 1],
    ['text', ['hello'], 1],
    ['no header', ['{}'], 1],
    ['a header that is null', ['null'], 1],
  ])('of %s is refused', async (_, lines, line) => {
    expect((await verifyAuditExport(lines)).firstBad).toMatchObject({ line, problem: 'malformed_line' });
  });

  it('with a line that is not strict JSON is refused at that line', async () => {
    const lines = await linesOf(chainOf(3));
    const second = lines[2] ?? '';
    for (const bad of ['{', second.replace('{', '{"seq":2,'), `${second} x`, '\ufeff{}', '{"__proto__":1}']) {
      const { firstBad } = await verifyAuditExport(lines.with(2, bad));
      expect(firstBad).toMatchObject({ line: 3, problem: 'malformed_line' });
    }
    expect((await verifyAuditExport(lines.toSpliced(2, 0, ''))).firstBad).toMatchObject({ line: 3 });
    expect((await verifyAuditExport(lines.with(2, '[]'))).firstBad).toMatchObject({ line: 3, seq: 2 });
  });

  describe('an export of a part of the chain', () => {
    const chain = chainOf(6);
    const positionAt = (seq: number) =>
      seq === 0 ? { seq, hash: genesisHash(projectId) } : headOf(chain.slice(0, seq));

    /** The records after one place up to another, with a signed head when they reach the end of the chain. */
    async function partOf(after: number, through: number, change: object = {}): Promise<string[]> {
      const part = { after: positionAt(after), through: positionAt(through), ...change };
      const head = through === chain.length ? await signHead(headClaims(chain)) : null;
      const records = chain.slice(after, through).map((each) => JSON.stringify(each));
      return [await header(chain, { head, part }), ...records];
    }

    it.each([
      [0, 3, null],
      [3, 5, null],
      [3, 3, null],
      [3, 6, 'keys_of_the_file'],
      [6, 6, 'keys_of_the_file'],
    ])('verifies after record %i through %i, and says where it begins', async (after, through, signer) => {
      expect(await verifyAuditExport(await partOf(after, through))).toMatchObject({
        valid: true,
        count: through - after,
        after: positionAt(after),
        head: positionAt(through),
        headSignedBy: signer,
      });
    });

    it('continues from the end of the part before it, and from a head within it', async () => {
      const lines = await partOf(3, 6);
      for (const seq of [3, 4, 6])
        expect(await verifyAuditExport(lines, { sinceHead: positionAt(seq) })).toMatchObject({ valid: true });
    });

    it.each([0, 2])('is refused when records are missing after a known head at %i', async (seq) => {
      const verdict = await verifyAuditExport(await partOf(3, 6), { sinceHead: positionAt(seq) });
      expect(verdict).toMatchObject({ valid: false, count: 0 });
      expect(verdict.firstBad).toMatchObject({ line: 1, seq: seq + 1, problem: 'missing_record' });
    });

    it('is refused when the record before it is not the one of the known head', async () => {
      const { firstBad } = await verifyAuditExport(await partOf(3, 6), {
        sinceHead: { seq: 3, hash: anotherHash },
      });
      expect(firstBad).toMatchObject({ line: 1, seq: 3, problem: 'history_rewritten' });
    });

    it.each([
      ['a record removed at its beginning', (lines: string[]) => lines.toSpliced(1, 1), 2, 'missing_record'],
      ['a record removed at its end', (lines: string[]) => lines.slice(0, -1), 3, 'tail_missing'],
      [
        'an extra record',
        (lines: string[]) => [...lines, JSON.stringify(record(chain, 6))],
        4,
        'beyond_head',
      ],
    ])('with %s is refused', async (_, change, line, problem) => {
      const { firstBad } = await verifyAuditExport(change(await partOf(3, 5)));
      expect(firstBad).toMatchObject({ line, problem });
    });

    it.each([
      ['another hash before its first record', { after: { seq: 3, hash: anotherHash } }, 'link_broken'],
      ['another beginning of the chain', { after: { seq: 0, hash: anotherHash } }, 'history_rewritten'],
      ['another last record', { through: { seq: 5, hash: anotherHash } }, 'history_rewritten'],
      ['an end before its beginning', { through: positionAt(2) }, 'missing_record'],
      ['an invalid place', { after: { seq: -1, hash: anotherHash } }, 'malformed_line'],
      ['a place without its hash', { through: { seq: 5 } }, 'malformed_line'],
    ])('whose header names %s is refused', async (_, change, problem) => {
      const { firstBad } = await verifyAuditExport(await partOf(3, 5, change));
      expect(firstBad).toMatchObject({ problem });
    });

    it('does not accept records after its signed head as signed', async () => {
      const head = await signHead(headClaims(chainOf(4)));
      const part = { after: positionAt(3), through: positionAt(6) };
      const records = chain.slice(3).map((each) => JSON.stringify(each));
      const { firstBad } = await verifyAuditExport([await header(chain, { head, part }), ...records]);
      expect(firstBad).toMatchObject({ line: 3, seq: 5, problem: 'beyond_head' });
    });
  });

  it.each([
    ['another format', { format: 'permitry-audit/2' }],
    ['an extra member', { more: 1 }],
    ['invalid keys', { jwks: { keys: [{}] } }],
    ['a private key among its keys', { jwks: { keys: [{ d: 'x' }] } }],
    ['no keys', { jwks: {} }],
    ['an invalid project', { project_id: 'x' }],
  ])('whose header has %s is refused', async (_, change) => {
    expect((await verifyAuditExport(await linesOf(chainOf(1), change))).firstBad).toMatchObject({ line: 1 });
  });
});
