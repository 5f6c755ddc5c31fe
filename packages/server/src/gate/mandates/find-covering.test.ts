import type { ApprovalMethod, MandateEntry, ProjectMode, ProofTier } from '@permitry/protocol';
import { describe, expect, test } from 'vitest';
import { People } from '../approvals/people.ts';
import type { Requirement } from '../approvals/requirement.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import { type ActiveMandate, dayOf, findCovering } from './find-covering.ts';

const NOW = '2026-11-24T12:00:00.000Z';
const FINANCE: Requirement = [{ from: ['finance'], count: 1 }];
const people = new People(
  (['ann', 'bob', 'cem'] as const).map((userId) => ({
    projectId: 'prj_1',
    userId,
    email: `${userId}@example.org`,
    role: 'approver',
    createdAt: NOW,
    ...(userId === 'cem' ? { broughtInBy: ['olga'] } : {}),
  })),
  [{ name: 'finance', memberIds: ['ann', 'cem'] }],
);

function anEntry(change: Partial<MandateEntry> = {}): MandateEntry {
  return {
    action: 'payments.refund',
    constraints: [{ path: '/amount', at_most: 50 }],
    limits: { uses: { total: 5 }, amounts: [{ path: '/amount', unit: null, total: 100 }] },
    ...change,
  };
}

interface Given {
  id?: string;
  entries?: MandateEntry[];
  startsAt?: string;
  endsAt?: string;
  votes?: readonly [userId: string, method: ApprovalMethod][];
  agentId?: string;
}

function aMandate({ id = 'mnd_1', entries = [anEntry()], startsAt, ...given }: Given = {}): ActiveMandate {
  return {
    id,
    agentId: given.agentId ?? 'agt_1',
    document: {
      entries,
      ends_at: given.endsAt ?? '2026-11-27T17:00:00.000Z',
      ...(startsAt === undefined ? {} : { starts_at: startsAt }),
    },
    approvedAt: '2026-11-23T12:00:00.000Z',
    votes: (given.votes ?? [['ann', 'session']]).map(([userId, method]) => ({
      intentId: id,
      userId,
      by: `${userId}@example.org`,
      decision: 'approve',
      at: NOW,
      method,
      credentialId: 'ses_1',
      evidence: null,
    })),
    behind: new Set(),
  };
}

interface Asked {
  params?: { amount: number };
  action?: string;
  agentId?: string;
  effect?: PolicyOutcome['effect'];
  terms?: PolicyOutcome['mandates'];
  proofTier?: ProofTier;
  requirement?: Requirement;
  mode?: ProjectMode;
  behind?: readonly string[];
}

/** `mnd_1/0`: the mandate and its entry. */
function covering(mandates: readonly ActiveMandate[], asked: Asked = {}): string[] {
  const { effect = 'require_approval', terms = { isOn: true, maxDays: null }, proofTier = 'none' } = asked;
  const uses = findCovering(
    mandates,
    {
      agentId: asked.agentId ?? 'agt_1',
      action: asked.action ?? 'payments.refund',
      params: asked.params ?? { amount: 20 },
    },
    {
      outcome: { effect, mandates: terms, proofTier } as PolicyOutcome,
      terms: {
        requirements: [asked.requirement ?? FINANCE],
        minApprovals: null,
        people,
        mode: asked.mode ?? 'live',
      },
      behind: new Set(asked.behind ?? []),
      now: NOW,
    },
  );
  return uses.map(({ mandateId, entry }) => `${mandateId}/${entry}`);
}

describe('a mandate covers a request', () => {
  test('whose action and parameters fit an entry, of the agent that it names', () => {
    expect(covering([aMandate()])).toEqual(['mnd_1/0']);
    expect(covering([aMandate()], { params: { amount: 51 } })).toEqual([]);
    expect(covering([aMandate()], { params: { amount: 20.0000001 } })).toEqual([]);
    expect(covering([aMandate()], { action: 'payments.refunds' })).toEqual([]);
    expect(covering([aMandate()], { agentId: 'agt_2' })).toEqual([]);
  });

  test('from its start, or its approval, and before its end', () => {
    expect(covering([aMandate({ startsAt: NOW })])).toEqual(['mnd_1/0']);
    expect(covering([aMandate({ startsAt: '2026-11-24T12:00:00.001Z' })])).toEqual([]);
    expect(covering([aMandate({ endsAt: NOW })])).toEqual([]);
  });

  test('only where policy requires approval and has mandates on', () => {
    expect(covering([aMandate()], { effect: 'deny' })).toEqual([]);
    expect(covering([aMandate()], { effect: 'allow' })).toEqual([]);
    expect(covering([aMandate()], { terms: { isOn: false } })).toEqual([]);
  });

  test('for as many days after its approval as policy says', () => {
    expect(covering([aMandate()], { terms: { isOn: true, maxDays: 1 } })).toEqual([]);
    expect(covering([aMandate()], { terms: { isOn: true, maxDays: 2 } })).toEqual(['mnd_1/0']);
  });

  test('when its votes meet everything that policy requires now', () => {
    const both: Requirement = [...FINANCE, { from: ['role:approver'], count: 1 }];
    expect(covering([aMandate({ votes: [['bob', 'session']] })])).toEqual([]);
    expect(covering([aMandate()], { requirement: both })).toEqual([]);
    const two = aMandate({
      votes: [
        ['ann', 'session'],
        ['bob', 'session'],
      ],
    });
    expect(covering([two], { requirement: both })).toEqual(['mnd_1/0']);
    expect(covering([aMandate({ votes: [['gone', 'session']] })])).toEqual([]);
  });

  test('when each vote reaches the tier that is required now', () => {
    expect(covering([aMandate()], { proofTier: 'passkey' })).toEqual([]);
    const passkey = aMandate({ votes: [['ann', 'passkey']] });
    expect(covering([passkey], { proofTier: 'passkey' })).toEqual(['mnd_1/0']);
    const one = aMandate({
      votes: [
        ['ann', 'passkey'],
        ['cem', 'session'],
      ],
    });
    const two: Requirement = [{ from: ['finance'], count: 2 }];
    expect(covering([one], { proofTier: 'passkey', requirement: two })).toEqual([]);
    expect(covering([one], { requirement: two })).toEqual(['mnd_1/0']);
  });

  test('unless somebody behind the request could not approve it now', () => {
    expect(covering([aMandate()], { behind: ['ann'] })).toEqual(['mnd_1/0']);
    expect(covering([aMandate({ votes: [['ann', 'key']] })], { behind: ['ann'], mode: 'test' })).toEqual([
      'mnd_1/0',
    ]);
    expect(covering([aMandate({ votes: [['cem', 'session']] })])).toEqual(['mnd_1/0']);
    expect(covering([aMandate({ votes: [['cem', 'session']] })], { behind: ['olga'] })).toEqual([]);
  });

  test('in order: the one that ends first, then by id, and its entries as they are written', () => {
    const entries = [anEntry({ action: 'other' }), anEntry(), anEntry()];
    const late = aMandate({ id: 'mnd_a', entries });
    const soon = aMandate({ id: 'mnd_z', endsAt: '2026-11-25T00:00:00.000Z' });
    const tied = aMandate({ id: 'mnd_b' });
    expect(covering([tied, late, soon])).toEqual(['mnd_z/0', 'mnd_a/1', 'mnd_a/2', 'mnd_b/0']);
  });
});

test.each([
  ['2026-11-24T00:00:00.000Z', undefined, '2026-11-24'],
  ['2026-11-24T21:59:59.999Z', '22:00Z', '2026-11-23'],
  ['2026-11-24T22:00:00.000Z', '22:00Z', '2026-11-24'],
  ['2027-01-01T00:15:00.000Z', '00:30Z', '2026-12-31'],
])('at %s, with days from %s, it is the day %s', (instant, startsAt, day) => {
  expect(dayOf(instant, startsAt)).toBe(day);
});
