import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, Receipt } from '@permitry/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decideIntent } from '../../server/src/gate/intents/decide.ts';
import { readForPerson } from '../../server/src/gate/intents/read-for-person.ts';
import { submitIntent } from '../../server/src/gate/intents/submit.ts';
import { toConsoleIntent } from '../../server/src/http/console/to-console-intent.ts';
import { exportOwnKeys } from '../../server/src/people/passkeys/own-passkeys.ts';
import { enrolPasskey, proveDecision } from '../../server/test/fixtures/enrol-passkey.ts';
import { openTestGate, type TestGate } from '../../server/test/fixtures/open-test-gate.ts';
import { signedIn } from '../../server/test/fixtures/signed-in.ts';
import { permitry, spawnPermitry } from './fixtures/permitry.ts';

interface Verdict {
  valid: boolean;
  problem: string | null;
  approvals: { by: string; signed: boolean; reason?: string; credential_id?: string }[] | null;
  intent_matches: boolean | null;
  signed_by_gate: boolean | null;
}

const PARAMS = { amount: 120, to: 'Zoë' };
let t: TestGate;
let folder: string;
/** Approved by two people, each with a passkey. */
let receipt: Receipt;
let files: Record<'receipt' | 'ana' | 'ben' | 'intent' | 'page' | 'params' | 'jwks', string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'permitry-receipt-'));
  t = await openTestGate({ mode: 'live' });
  const [ana, ben] = [await approver('ana@example.org'), await approver('ben@example.org')];
  const { intent } = await submitIntent(t.gate, t.agent, {
    action: 'payments.refund',
    params: PARAMS,
    proofTier: 'passkey',
    minApprovals: 2,
  });
  const intentId = intent.id;
  for (const { caller, device } of [ana, ben]) {
    const proofSessionId = await proveDecision(t.gate, caller, device, { intentId });
    const { intentHash } = intent;
    await decideIntent(t.gate, caller, { intentId, decision: 'approve', intentHash, proofSessionId });
  }
  const page = toConsoleIntent(await readForPerson(t.gate, ana.caller, intentId), ana.caller.user.id);
  receipt = page.receipt as Receipt;
  files = {
    receipt: save('receipt.json', receipt),
    ana: save('ana.json', await exportOwnKeys(t.gate, ana.caller)),
    ben: save('ben.json', await exportOwnKeys(t.gate, ben.caller)),
    page: save('page.json', page),
    intent: save('intent.json', { ...page.hashed, params: PARAMS }),
    params: save('params.json', PARAMS),
    jwks: save('jwks.json', { keys: t.gate.tokens.signer.publicKeys() }),
  };
});

afterAll(async () => {
  await t?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function approver(email: string) {
  const { userId } = await t.addPerson(email, 'approver');
  const caller = await (await signedIn(t.gate, userId)).caller();
  return { caller, device: (await enrolPasskey(t.gate, caller)).device };
}

function save(name: string, value: object | string): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

async function verify(...args: string[]): Promise<Verdict & { code: number | null }> {
  const { code, stdout } = await permitry(['receipt', 'verify', ...args, '--json']);
  return { ...(JSON.parse(stdout) as Verdict), code };
}
const people = () => ['--approvers', files.ana, '--approvers', files.ben];

describe('permitry receipt verify', () => {
  test('shows for each approver that their own key signed exactly this request', async () => {
    const verdict = await verify(files.receipt, ...people(), '--intent', files.intent);
    expect(verdict).toMatchObject({ code: 0, valid: true, problem: null, intent_matches: true });
    expect(verdict.approvals).toMatchObject([
      { by: 'ana@example.org', signed: true, credential_id: expect.any(String) },
      { by: 'ben@example.org', signed: true },
    ]);
    expect(verdict.signed_by_gate).toBeNull();
  });

  test('shows people the same in words', async () => {
    const { code, stdout } = await permitry([
      'receipt',
      'verify',
      files.receipt,
      ...people(),
      '--intent',
      files.page,
      '--jwks',
      files.jwks,
      '--issuer',
      t.gate.issuer,
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^proved {2}\S+receipt\.json: payments\.refund, rct_/);
    expect(stdout).toMatch(/signed {6}ana@example\.org, 20\d\d-/);
    expect(stdout).toMatch(/request {5}matches the request given, exactly/);
    expect(stdout).toMatch(/gate {8}signed with a key from --jwks/);
  });

  test('takes a receipt as in answers of the API, as a token, and from stdin', async () => {
    const inAnswer = save('answer.json', { id: receipt.intent_id, receipt_v2: receipt });
    const token = save('receipt.jws', `${receipt.jws}\n`);
    for (const file of [inAnswer, token, files.page]) {
      expect(await verify(file, ...people())).toMatchObject({ code: 0, valid: true });
    }
    const { code } = await spawnPermitry(['receipt', 'verify', '-', ...people()], {
      stdin: JSON.stringify(receipt),
    });
    expect(code).toBe(0);
  });

  test('finds the request in the file that the approval page saves', async () => {
    expect(await verify(files.page, ...people())).toMatchObject({ code: 0, intent_matches: true });
    expect(await verify(files.receipt, ...people())).toMatchObject({ code: 0, intent_matches: null });
    const page = JSON.parse(readFileSync(files.page, 'utf8')) as JsonObject;
    const altered = save('altered-page.json', { ...page, canonical_params: '{"amount":121,"to":"Zoë"}' });
    expect(await verify(altered, ...people())).toMatchObject({
      code: 1,
      problem: 'intent_mismatch',
      intent_matches: false,
    });
  });

  test('names approvers whose signature the key files cannot confirm', async () => {
    const verdict = await verify(files.receipt, '--approvers', files.ana);
    expect(verdict).toMatchObject({
      code: 1,
      valid: false,
      approvals: [{ signed: true }, { by: 'ben@example.org', signed: false, reason: 'unknown_approver' }],
    });
    const { stdout } = await permitry(['receipt', 'verify', files.receipt, '--approvers', files.ana]);
    expect(stdout).toMatch(/^NOT PROVED/);
    expect(stdout).toMatch(
      /not proved {2}ben@example\.org[\s\S]*The key files have no entry for this address\./,
    );
  });

  test.each<[string, () => string[], string]>([
    ['another action', () => ['--action', 'payments.payout'], 'action_mismatch'],
    ['other parameters', () => ['--params', save('other.json', { amount: 121 })], 'params_mismatch'],
    ['another request', () => ['--intent', save('i.json', otherIntent())], 'intent_mismatch'],
    ['another gate', () => ['--jwks', files.jwks, '--issuer', 'https://other.example'], 'wrong_issuer'],
    [
      'keys of another gate',
      () => ['--jwks', save('k.json', otherKeys()), '--issuer', t.gate.issuer],
      'unknown_key',
    ],
  ])('exits with 1 for %s', async (_what, flags, problem) => {
    expect(await verify(files.receipt, ...people(), ...flags())).toMatchObject({
      code: 1,
      valid: false,
      problem,
    });
  });

  test('exits with 0 for the right action and parameters', async () => {
    const flags = ['--action', 'payments.refund', '--params', files.params];
    expect(await verify(files.receipt, ...people(), ...flags)).toMatchObject({ code: 0, valid: true });
  });

  test('checks only the gate if no key files are given', async () => {
    const verdict = await verify(files.receipt, '--jwks', files.jwks, '--issuer', t.gate.issuer);
    expect(verdict).toMatchObject({ code: 0, valid: true, approvals: null, signed_by_gate: true });
  });

  test('exits with 1 for an altered receipt', async () => {
    const altered = save('altered.json', { ...receipt, approved_by: 'eve@example.org' });
    expect(await verify(altered, ...people())).toMatchObject({ code: 1, problem: 'content_mismatch' });
    const token = save('altered.jws', `${receipt.jws.slice(0, -8)}AAAAAAAA`);
    const gate = ['--jwks', files.jwks, '--issuer', t.gate.issuer];
    expect(await verify(token, ...gate)).toMatchObject({
      code: 1,
      problem: 'tampered',
      signed_by_gate: false,
    });
  });

  test('shows control characters in addresses as their numbers', async () => {
    const [header = '', claims = '', signature = ''] = receipt.jws.split('.');
    const content = JSON.parse(Buffer.from(claims, 'base64url').toString()) as JsonObject;
    const { approvals: _, ...rest } = content;
    const steering = { ...rest, approved_by: 'eve\u001b[2J\u202e@example.org' };
    const forged = [header, Buffer.from(JSON.stringify(steering)).toString('base64url'), signature].join('.');
    const path = save('steering.jws', forged);
    const { code, stdout } = await permitry(['receipt', 'verify', path, ...people()]);
    expect(code).toBe(1);
    expect(stdout).toContain('eve\\u{1b}[2J\\u{202e}@example.org');
  });

  test.each<[string, () => string[], RegExp]>([
    ['no keys of any kind', () => [files.receipt], /Pass --approvers/],
    [
      '--jwks without --issuer',
      () => [files.receipt, '--jwks', files.jwks],
      /Pass --jwks and --issuer together/,
    ],
    [
      '--issuer without --jwks',
      () => [files.receipt, ...people(), '--issuer', 'x'],
      /Pass --jwks and --issuer together/,
    ],
    ['a missing file', () => ['/nowhere', ...people()], /Cannot read/],
    ['a file without a receipt', () => [files.params, ...people()], /contains no receipt/],
    ['a file that is not JSON', () => [save('x.txt', 'hello'), ...people()], /neither JSON nor a token/],
    [
      'a missing key file',
      () => [files.receipt, '--approvers', 'KEYS'],
      /KEYS cannot be read. Check that the file exists/,
    ],
    [
      'a file that is not a key file',
      () => [files.receipt, '--approvers', files.params],
      /--approvers cannot be used/,
    ],
    [
      'a name twice in a key file',
      () => [files.receipt, '--approvers', save('d.json', '{"a":1,"a":2}')],
      /as JSON/,
    ],
    [
      'an incomplete request',
      () => [files.receipt, ...people(), '--intent', files.params],
      /does not contain everything that was hashed/,
    ],
  ])('exits with 2 for %s', async (_what, args, words) => {
    const { code, stdout, stderr } = await permitry(['receipt', 'verify', ...args()]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(words);
  });
});

const otherIntent = () => ({ ...baseIntent(), params: { amount: 1 } });
const baseIntent = () => ({
  project: t.projectId,
  intent: receipt.intent_id,
  action: 'payments.refund',
  requester: t.agentId,
  source: null,
  source_type: 'ai_agent',
  risk_tier: 'medium',
  metadata: {},
  expires_at: '2026-11-20T10:00:00.000Z',
});
const otherKeys = () => ({
  keys: t.gate.tokens.signer.publicKeys().map((key) => ({ ...key, kid: 'another' })),
});
