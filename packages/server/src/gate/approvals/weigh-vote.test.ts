import { type ApprovalMethod, PROOF_TIERS, type ProjectMode, type ProofTier } from '@permitry/protocol';
import { describe, expect, test } from 'vitest';
import type { Intent } from '../intents/intent.ts';
import type { Approval } from './approval.ts';
import type { Member } from './people.ts';
import { People } from './people.ts';
import { peopleBehind } from './people-behind.ts';
import type { Requirement } from './requirement.ts';
import { tierReachedBy, tierSuffices, type Vote, weighVote } from './weigh-vote.ts';

const NOW = '2026-11-20T12:00:00.000Z';
const LATER = '2026-11-20T13:00:00.000Z';

const MEMBERS: readonly [userId: string, role: Member['role'], broughtInBy?: readonly string[]][] = [
  ['ann', 'approver'],
  ['bob', 'approver'],
  ['cem', 'approver'],
  ['new', 'approver', ['olga']],
  ['adam', 'admin'],
  ['olga', 'owner'],
  ['vic', 'viewer'],
];

const people = new People(
  MEMBERS.map(([userId, role, broughtInBy]) => ({
    projectId: 'prj_1',
    userId,
    email: `${userId}@example.org`,
    role,
    createdAt: NOW,
    ...(broughtInBy ? { broughtInBy } : {}),
  })),
  [
    { name: 'finance', memberIds: ['ann', 'bob', 'new', 'olga', 'vic'] },
    { name: 'security', memberIds: ['cem'] },
  ],
);
const finance: Requirement = [{ from: ['finance'], count: 1 }];

interface Case {
  userId: string;
  method?: ApprovalMethod;
  decision?: Vote['decision'];
  fixed?: Requirement;
  present?: Requirement;
  minApprovals?: number | null;
  mode?: ProjectMode;
  ownerId?: string | null;
  askedBy?: string | null;
  earlier?: readonly [userId: string, method: ApprovalMethod][];
  proofTier?: Intent['proofTier'];
}

const BY_PROGRAM = new Set<ApprovalMethod>(['key', 'token', 'device']);

function weigh(given: Case) {
  const { userId, method = 'session', decision = 'approve', fixed = finance, mode = 'live' } = given;
  const { ownerId = null, askedBy = null, earlier = [], minApprovals = null } = given;
  const requester = { type: 'key' as const, id: 'key_1', display: 'service', ownerId };
  const intent = {
    id: 'int_1',
    status: 'pending',
    expiresAt: LATER,
    proofTier: given.proofTier ?? 'none',
    requirement: fixed,
    minApprovals,
    requester,
    askedBy,
  } as Intent;
  const votes: Approval[] = earlier.map(([voter, how]) => ({
    intentId: 'int_1',
    userId: voter,
    by: `${voter}@example.org`,
    decision: 'approve',
    at: NOW,
    method: how,
    credentialId: 'ses_1',
    evidence: null,
  }));
  return weighVote({
    intent,
    terms: { requirements: [fixed, given.present ?? fixed], minApprovals, people, mode },
    behind: peopleBehind(intent, null, people),
    votes,
    vote: { userId, decision, method, byProgram: BY_PROGRAM.has(method) },
    now: NOW,
  });
}

describe('two requirements', () => {
  const security: Requirement = [{ from: ['security'], count: 1 }];

  test('are each met separately: one more person is needed if they name different people', () => {
    expect(weigh({ userId: 'ann', fixed: finance, present: security })).toEqual({
      kind: 'recorded',
      quorum: { received: 0, required: 1, met: false },
    });
    expect(
      weigh({ userId: 'cem', fixed: finance, present: security, earlier: [['ann', 'session']] }),
    ).toMatchObject({ kind: 'approved', slots: 1, counted: [{ userId: 'ann' }] });
  });

  test('accept one person for a slot in each', () => {
    const anyone: Requirement = [{ from: ['role:approver'], count: 1 }];
    expect(weigh({ userId: 'ann', fixed: finance, present: anyone })).toMatchObject({ kind: 'approved' });
  });

  test('are not added up: two slots of one list at creation and one now still need two people', () => {
    const present: Requirement = [{ from: ['finance'], count: 2 }];
    expect(weigh({ userId: 'ann', present })).toMatchObject({ quorum: { received: 1, required: 2 } });
    expect(weigh({ userId: 'bob', present, earlier: [['ann', 'session']] })).toMatchObject({
      kind: 'approved',
      slots: 2,
    });
  });

  test('may be empty if the current policy requires no one', () => {
    expect(weigh({ userId: 'ann', present: [], minApprovals: 1 })).toMatchObject({ kind: 'approved' });
  });
});

describe('min_approvals', () => {
  test('requires that many different people, each able to fill a slot', () => {
    expect(weigh({ userId: 'ann', minApprovals: 2 })).toEqual({
      kind: 'recorded',
      quorum: { received: 1, required: 2, met: false },
    });
    expect(weigh({ userId: 'bob', minApprovals: 2, earlier: [['ann', 'session']] })).toMatchObject({
      kind: 'approved',
      slots: 2,
    });
    expect(weigh({ userId: 'cem', minApprovals: 2, earlier: [['ann', 'session']] })).toEqual({
      kind: 'not_an_approver',
    });
  });

  test('counts nobody twice', () => {
    expect(weigh({ userId: 'ann', minApprovals: 2, earlier: [['ann', 'session']] })).toEqual({
      kind: 'already_voted',
    });
  });

  test('changes nothing below the number of slots', () => {
    const fixed: Requirement = [...finance, { from: ['security'], count: 1 }];
    expect(weigh({ userId: 'ann', fixed, minApprovals: 1 })).toMatchObject({
      quorum: { received: 1, required: 2 },
    });
  });
});

describe('a program in live mode', () => {
  const open: Requirement = [{ from: ['finance'], count: 1, programs: true }];

  test.each<ApprovalMethod>(['key', 'token'])(
    'approves by %s only where an entry allows programs',
    (method) => {
      expect(weigh({ userId: 'ann', method })).toEqual({ kind: 'person_required', required: 'person' });
      expect(weigh({ userId: 'ann', method, fixed: open })).toMatchObject({ kind: 'approved' });
      expect(weigh({ userId: 'ann', method, mode: 'test' })).toMatchObject({ kind: 'approved' });
    },
  );

  test('fills its slot in each requirement only if each allows programs', () => {
    expect(weigh({ userId: 'ann', method: 'key', fixed: open, present: finance })).toMatchObject({
      kind: 'recorded',
      quorum: { received: 0, required: 1 },
    });
    // The person themselves may still fill the slot that their program cannot.
    expect(weigh({ userId: 'ann', fixed: open, present: finance, earlier: [['ann', 'key']] })).toMatchObject({
      kind: 'approved',
      counted: [],
    });
  });

  test('no longer counts once policy stops allowing programs', () => {
    expect(
      weigh({ userId: 'bob', fixed: [{ from: ['finance'], count: 2 }], earlier: [['ann', 'key']] }),
    ).toMatchObject({ kind: 'recorded', quorum: { received: 1, required: 2 } });
  });

  test('approves no request that its own person is behind, whatever the entry allows', () => {
    for (const method of ['key', 'token'] as const) {
      expect(weigh({ userId: 'ann', method, fixed: open, ownerId: 'ann' })).toEqual({
        kind: 'person_required',
        required: 'person',
      });
    }
  });

  test('with a device proof fills slots as its person does, but not for their own service', () => {
    expect(weigh({ userId: 'ann', method: 'device' })).toMatchObject({ kind: 'approved' });
    expect(weigh({ userId: 'ann', method: 'device', ownerId: 'ann' })).toEqual({
      kind: 'person_required',
      required: 'session',
    });
    expect(weigh({ userId: 'ann', method: 'session', ownerId: 'ann' })).toMatchObject({ kind: 'approved' });
    expect(weigh({ userId: 'ann', method: 'passkey', ownerId: 'ann' })).toMatchObject({ kind: 'approved' });
  });

  test('is refused for a missing proof first, if one is required', () => {
    expect(weigh({ userId: 'ann', method: 'token', proofTier: 'device' })).toEqual({
      kind: 'proof_required',
      tier: 'device',
    });
  });
});

describe('in live mode nobody approves', () => {
  test.each<ApprovalMethod>(['key', 'token', 'session', 'device', 'passkey'])(
    'a request that they resubmitted for the requester, by %s',
    (method) => {
      expect(weigh({ userId: 'ann', method, askedBy: 'ann' })).toEqual({ kind: 'own_request' });
    },
  );

  test('a request of the person whose program added them', () => {
    expect(weigh({ userId: 'new', ownerId: 'olga' })).toEqual({ kind: 'own_request' });
    expect(weigh({ userId: 'new', ownerId: 'new' })).toEqual({ kind: 'own_request' });
    expect(weigh({ userId: 'new', ownerId: 'cem' })).toMatchObject({ kind: 'approved' });
  });
});

describe('a request can be denied', () => {
  const narrowed: Requirement = [{ from: ['finance'], count: 1, among: ['bob@example.org'] }];

  test.each<[who: string, given: Case]>([
    ['a person it names', { userId: 'bob' }],
    ['a person who could fill a slot if the request named nobody', { userId: 'ann' }],
    ['an admin', { userId: 'adam' }],
    ['an owner', { userId: 'olga' }],
    ['a person behind the request', { userId: 'cem', ownerId: 'cem' }],
    ['the person who resubmitted it for the requester', { userId: 'cem', askedBy: 'cem' }],
    ['a member whom the requester’s program added', { userId: 'new', ownerId: 'olga' }],
    [
      'a person whom only the current policy asks',
      { userId: 'cem', present: [{ from: ['security'], count: 1 }] },
    ],
    ['a person who has approved it before', { userId: 'bob', earlier: [['bob', 'session']] }],
  ])('by %s, with any credential, in any mode, without proof', (_who, given) => {
    for (const method of ['key', 'token', 'session'] as const) {
      for (const mode of ['live', 'test'] as const) {
        const vote = { fixed: narrowed, ...given, method, mode, decision: 'deny' as const };
        expect(weigh({ ...vote, proofTier: 'passkey' })).toEqual({ kind: 'denied' });
      }
    }
  });

  test.each<[who: string, given: Case]>([
    ['an approver who is not asked', { userId: 'cem' }],
    ['a viewer in a group that is asked', { userId: 'vic' }],
    ['a viewer behind the request', { userId: 'vic', ownerId: 'vic' }],
    ['a stranger', { userId: 'zoe', ownerId: 'zoe' }],
  ])('not by %s', (_who, given) => {
    expect(weigh({ fixed: narrowed, ...given, decision: 'deny' })).toEqual({ kind: 'not_an_approver' });
  });

  test('by people whom it does not name, who still may not approve it', () => {
    for (const userId of ['ann', 'adam', 'olga']) {
      expect(weigh({ userId, fixed: narrowed })).toEqual({ kind: 'not_an_approver' });
    }
  });
});

test('approvals reach the tier of the weakest proof among them', () => {
  const cases: readonly [methods: ApprovalMethod[], reached: ProofTier][] = [
    [['passkey'], 'passkey'],
    [['passkey', 'passkey'], 'passkey'],
    [['device', 'passkey'], 'device'],
    [['passkey', 'device'], 'device'],
    [['session', 'passkey', 'device'], 'session'],
    [['token', 'passkey'], 'none'],
    [['passkey', 'key'], 'none'],
    [['policy'], 'none'],
    [[], 'none'],
  ];
  expect(cases.map(([methods]) => [methods, tierReachedBy(methods.map((method) => ({ method })))])).toEqual(
    cases,
  );
});

test('a tier suffices for itself and those below it, and for no unknown tier', () => {
  for (const [slot, tier] of PROOF_TIERS.entries()) {
    expect(PROOF_TIERS.filter((asked) => tierSuffices(tier, asked))).toEqual(PROOF_TIERS.slice(0, slot + 1));
    expect(tierSuffices(tier, 'blood' as ProofTier)).toBe(false);
  }
});
