import { afterEach, beforeEach, expect, test } from 'vitest';
import { listUserTokens } from '../../src/people/keys/list-user-tokens.ts';
import { createUserToken, revokeUserToken } from '../../src/people/keys/user-token.ts';
import { addMember } from '../../src/people/members/add-member.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

const ANN = 'ann@example.org';

let t: TestGate;
beforeEach(async () => {
  t = await openTestGate({ mode: 'live' });
  await addMember(t.gate, OPERATOR, { projectId: t.projectId, email: ANN, role: 'approver' });
});
afterEach(() => t.close());

test('the operator sees one person’s tokens, including revoked ones, but not their secrets', async () => {
  const make = (name: string) => createUserToken(t.gate, OPERATOR, { name, email: ANN, rights: [] });
  const [laptop, phone] = [await make('laptop'), await make('phone')];
  const revoked = await revokeUserToken(t.gate, OPERATOR, { keyId: laptop.record.id });

  const { items, nextCursor } = await listUserTokens(t.gate, OPERATOR, { email: 'Ann@Example.org' });

  expect({ items, nextCursor }).toEqual({ items: [phone.record, revoked], nextCursor: null });
  expect(JSON.stringify(items)).not.toContain('hash');
  const first = await listUserTokens(t.gate, OPERATOR, { email: ANN, limit: 1 });
  expect(first.items).toEqual([phone.record]);
  const rest = await listUserTokens(t.gate, OPERATOR, { email: ANN, cursor: first.nextCursor ?? '' });
  expect(rest.items).toEqual([revoked]);
});

test('only the operator can list a person’s tokens, and an unknown person has none', async () => {
  for (const caller of [t.secret, t.agent, t.verifier, t.owner.caller])
    expect(await refusalOf(listUserTokens(t.gate, caller, { email: ANN }))).toMatchObject({
      code: 'forbidden',
    });
  expect(await refusalOf(listUserTokens(t.gate, OPERATOR, { email: 'bob@example.org' }))).toMatchObject({
    code: 'not_found',
  });
});
