/** The whole gate on PostgreSQL: reopened, updated, restored to an older state. */
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { authenticateKey } from '../../src/gate/access/authenticate-key.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import { simulatePolicy } from '../../src/gate/policy-management/simulation/simulate-policy.ts';
import { startProject } from '../../src/gate/projects/stop-switch.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { type OpenGate, openGate } from '../../src/open-gate.ts';
import { adoptDatabase } from '../../src/ops/backup/adopt-database.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { readSchemaStatus, updateSchema } from '../../src/storage/postgres/schema.ts';
import { OPERATOR, openTestGate, TEST_KEY_SETTINGS, type TestGate } from '../fixtures/open-test-gate.ts';
import { withClient } from '../fixtures/postgres/create-template.ts';
import { openTestDatabase } from '../fixtures/postgres/open-test-database.ts';

const REFUND = { action: 'payments.refund', params: { amount: 120 } };

let t: TestGate | undefined;
afterEach(async () => {
  await t?.close();
  t = undefined;
});

function openAnother({ database, gate }: TestGate, more: { serving?: boolean } = {}): Promise<OpenGate> {
  return openGate({ database, issuer: gate.issuer, signingKeys: TEST_KEY_SETTINGS, ...more });
}

describe('a gate on PostgreSQL', () => {
  test('opens again with the same keys, projects and secrets', async () => {
    t = await openTestGate({ on: 'postgres' });
    const sealed = t.gate.secretEncryption.encrypt('test', 'a secret');
    const again = await openAnother(t);
    try {
      expect(again.signer.keys()).toEqual(t.gate.tokens.signer.keys());
      expect(again.signer.current.kid).toBe(t.gate.tokens.signer.current.kid);
      expect(again.gate.secretEncryption.decrypt('test', sealed)).toBe('a secret');
      expect((await again.gate.storage.read.listProjects()).map(({ id }) => id)).toEqual([t.projectId]);
    } finally {
      await again.close();
    }
  });

  test('does not open without a key-encryption key, and says how to create one', async () => {
    t = await openTestGate({ on: 'postgres' });
    await expect(openGate({ database: t.database, issuer: t.gate.issuer })).rejects.toThrow(
      /PERMITRY_KEY_ENCRYPTION_KEY.*openssl rand -base64 32/,
    );
  });

  test('simulates a policy on its stored intents', async () => {
    t = await openTestGate({ on: 'postgres' });
    for (let n = 0; n < 3; n += 1) await submitIntent(t.gate, t.agent, REFUND);
    const document = {
      name: 'strict',
      default: { approvers: ['role:approver'], min_approvals: 1 },
      rules: [{ name: 'no refunds', match: { action: 'payments.refund' }, effect: 'deny', reason: 'None.' }],
    };
    const simulation = await simulatePolicy(t.gate, OPERATOR, {
      projectId: t.projectId,
      document,
      against: { stored: {} },
    });
    const reports = [];
    for await (const report of simulation.reports) reports.push(report);
    expect(reports.at(-1)).toMatchObject({ kind: 'finished' });
    expect(JSON.stringify(reports.at(-1))).toContain('no refunds');
  });
});

describe('a database schema', () => {
  async function aDatabase(empty: boolean): Promise<string> {
    const database = await openTestDatabase({ empty });
    onTestFinished(() => database.drop());
    return database.url;
  }

  test('is created once, even when three processes try at once', async () => {
    const url = await aDatabase(true);
    const { needed } = await readSchemaStatus(url);
    await Promise.all([updateSchema(url), updateSchema(url), updateSchema(url)]);
    expect(await readSchemaStatus(url)).toEqual({ version: needed, servesFrom: 1, needed });
    expect(await updateSchema(url)).toEqual({ version: needed, servesFrom: 1, needed });
  });

  test('that is missing is reported and left alone when a gate may only check it', async () => {
    const empty = await aDatabase(true);
    await expect(openStorage({ url: empty }, { schema: 'check' })).rejects.toThrow(
      'no gate in this database',
    );
    expect((await readSchemaStatus(empty)).version).toBe(0);
  });

  test('of a newer release is accepted if it is compatible and refused if not, and a running gate goes on serving', async () => {
    const url = await aDatabase(false);
    const running = await openStorage({ url });
    onTestFinished(() => running.close());
    const { needed } = await readSchemaStatus(url);
    const record = (servesFrom: number) =>
      withClient(url, (client) =>
        client.query(`insert into permitry_migrations values (${servesFrom + 1}, ${servesFrom}, 1, 1, '')`),
      );
    await record(needed);
    for (const schema of ['check', 'update'] as const)
      await openStorage({ url }, { schema }).then((opened) => opened.close());
    await record(needed + 1);
    for (const schema of ['check', 'update'] as const)
      await expect(openStorage({ url }, { schema })).rejects.toThrow(/written by a newer release/);
    expect(await running.read.listProjects()).toEqual([]);
  });
});

describe('a database restored to an older state', () => {
  async function approved(gate: GateParts, key: string): Promise<string> {
    const { caller } = await authenticateKey(gate, key);
    const { intent } = await submitIntent(gate, caller, REFUND);
    const decided = await decideIntent(gate, caller, { intentId: intent.id, decision: 'approve' });
    return decided.intent.permit?.token ?? '';
  }

  test('has its approvals revoked, and its project stays stopped until a person starts it', async () => {
    t = await openTestGate({ on: 'postgres' });
    const { gate, first } = t;
    const token = await approved(gate, first.secret_key);
    await gate.ledger.sealNow(t.projectId);
    const adopted = await adoptDatabase(t, OPERATOR, { revokeKeys: false });
    expect(adopted).toMatchObject({ keysRevoked: 0, restored: [{ approvalsRevoked: 1 }] });
    const consume = async () =>
      verifyPermit(gate, (await authenticateKey(gate, first.verifier_key)).caller, {
        token,
        ...REFUND,
        consume: true,
      });
    await expect(consume()).rejects.toMatchObject({ code: 'permit_invalid' });
    await startProject(gate, OPERATOR, { projectId: t.projectId });
    await expect(consume()).rejects.toMatchObject({ details: { reason: 'revoked' } });
    expect(await t.events(t.projectId, 'project.restored')).toHaveLength(1);
  });

  test('cannot be declared restored while a gate serves it', async () => {
    t = await openTestGate({ on: 'postgres' });
    const serving = await openAnother(t, { serving: true });
    try {
      await expect(adoptDatabase(t, OPERATOR, { revokeKeys: false })).rejects.toMatchObject({
        reason: 'occupied',
      });
      expect(await t.events(t.projectId, 'project.restored')).toEqual([]);
    } finally {
      await serving.close();
    }
  });
});
