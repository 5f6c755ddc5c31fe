/**
 * Runs every case of the YAML files beside this one through the gate itself. The policy is published and the intent
 * submitted, then the answer and the audit log are compared with the expectation.
 *
 * A value `{ $text: a, times: 28, then: b }` represents a long text, `{ $list: 1, times: 3000 }` a long list.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { JsonObject, JsonValue, ProofTier, RiskTier, SourceType } from '@permitry/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { AgentCaller } from '../../src/gate/access/caller.ts';
import { narrowRequirement } from '../../src/gate/approvals/narrow.ts';
import type { Intent } from '../../src/gate/intents/intent.ts';
import { toPolicyRequest } from '../../src/gate/intents/policy-request.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { parsePolicy } from '../../src/gate/policy/policy.ts';
import { explainOutcome } from '../../src/gate/policy-management/explanation/explain-outcome.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { EFFECT_OF } from '../../src/gate/policy-management/simulation/simulation-job.ts';
import { saveGroup } from '../../src/people/groups/save-group.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

interface PolicyCase {
  name: string;
  rules: JsonValue[];
  default?: JsonObject;
  requester_may_narrow?: boolean;
  /** Default: 2026-11-20, a Friday, 12:00 UTC. */
  now?: string;
  /** The requester: the agent `deploy-bot` (label team: platform) with its own key, or a secret key. */
  by?: 'agent' | 'service';
  input?: {
    action: string;
    params?: JsonObject;
    metadata?: JsonObject;
    source?: string;
    source_type?: SourceType;
    risk_tier?: RiskTier;
    proof_tier?: ProofTier;
    approvers?: string[];
    min_approvals?: number;
    expires_in?: number;
  };
  /** Members of the outcome. */
  expect?: JsonObject;
  /** `events`: the types of the intent's events. `event`: the content of the first one. */
  events?: string[];
  event?: JsonObject;
  /** If present, there is no input, and the policy is refused when it is saved. */
  refused?: { code: string; fields?: { path: string; message: string }[]; approvers?: string[] };
  /**
   * If present, there is no outcome. The request is refused because of its approvers, and the refusal repeats these
   * names.
   */
  not_made?: string[];
  warnings?: { path: string; message: string }[];
}

const NOON = '2026-11-20T12:00:00.000Z';

let t: TestGate;
let bot: AgentCaller;
let documentInForce: JsonObject;
beforeAll(async () => {
  t = await openTestGate();
  for (const name of ['fay', 'finn', 'sam']) await t.addPerson(`${name}@example.org`, 'approver');
  const { gate, projectId } = t;
  await saveGroup(gate, OPERATOR, {
    projectId,
    name: 'finance',
    members: ['fay@example.org', 'finn@example.org'],
  });
  await saveGroup(gate, OPERATOR, { projectId, name: 'security', members: ['sam@example.org'] });
  const agent = await t.addAgent({ name: 'deploy-bot', labels: { team: 'platform' }, riskTier: 'medium' });
  bot = agent.caller;
});
afterAll(() => t.close());

function expand(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(expand);
  if (typeof value !== 'object' || value === null) return value;
  const { $text, $list, times, then } = value;
  if (typeof $text === 'string') return $text.repeat(Number(times)).concat(String(then ?? ''));
  if ($list !== undefined) return Array.from({ length: Number(times) }, () => $list);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expand(member)]));
}

function documentOf({ rules, default: fallback, requester_may_narrow }: PolicyCase): JsonObject {
  return {
    name: 'case',
    default: fallback ?? { approvers: ['role:approver'], min_approvals: 1 },
    ...(requester_may_narrow === undefined ? {} : { requester_may_narrow }),
    rules,
  };
}

function put(policyCase: PolicyCase) {
  return putPolicy(t.gate, OPERATOR, { projectId: t.projectId, document: documentOf(policyCase) });
}

async function submit({ by = 'service', input }: PolicyCase) {
  if (!input) throw new Error('the case has neither an input nor a refusal');
  const {
    params = {},
    source,
    source_type,
    risk_tier,
    proof_tier,
    min_approvals,
    expires_in,
    ...rest
  } = input;
  const expanded = expand(params);
  if (typeof expanded !== 'object' || expanded === null || Array.isArray(expanded)) throw new Error('params');
  const { intent } = await submitIntent(t.gate, by === 'agent' ? bot : t.secret, {
    ...rest,
    params: expanded,
    ...(source === undefined ? {} : { source }),
    ...(source_type === undefined ? {} : { sourceType: source_type }),
    ...(risk_tier === undefined ? {} : { riskTier: risk_tier }),
    ...(proof_tier === undefined ? {} : { proofTier: proof_tier }),
    ...(min_approvals === undefined ? {} : { minApprovals: min_approvals }),
    ...(expires_in === undefined ? {} : { expiresInSeconds: expires_in }),
  });
  return intent;
}

async function hold(policyCase: PolicyCase): Promise<void> {
  t.clock.set(policyCase.now ?? NOON);
  const { refused, warnings = [] } = policyCase;
  if (refused) {
    const before = await t.gate.storage.read.findPolicy(t.projectId);
    const { code, details } = await refusalOf(put(policyCase));
    expect({ code, ...details }).toEqual({
      ...refused,
      ...(refused.fields
        ? {
            fields: refused.fields.map(({ path, message }) => ({
              path,
              message: expect.stringContaining(message),
            })),
          }
        : {}),
    });
    expect(await t.gate.storage.read.findPolicy(t.projectId)).toEqual(before);
    return;
  }
  documentInForce = documentOf(policyCase);
  const stored = await put(policyCase);
  expect(stored.warnings).toEqual(
    warnings.map(({ path, message }) => ({ path, message: expect.stringContaining(message) })),
  );

  if (policyCase.not_made) return holdNotMade(policyCase, policyCase.not_made);
  const intent = await submit(policyCase);
  expect(intent.policyHash).toBe(stored.policy.hash);
  await expectExplained(intent);
  expect({
    decision: intent.decision,
    rule: intent.rule,
    reason: intent.reason,
    requirement: intent.requirement,
    risk_tier: intent.riskTier,
    proof_tier: intent.proofTier,
    expires_in: (Date.parse(intent.expiresAt) - Date.parse(intent.createdAt)) / 1000,
    permit_ttl: intent.permitTtlSeconds,
  }).toMatchObject(policyCase.expect ?? {});
  const events = (await t.events(t.projectId)).filter((event) => event.intentId === intent.id);
  expect(events.map(({ type }) => type)).toEqual(policyCase.events);
  expect({ ...events[0]?.data, type: events[0]?.type }).toMatchObject(policyCase.event ?? {});
}

/** Expects the same sentence whatever is wrong with the names. The sentence contains none of the policy's names. */
async function holdNotMade(policyCase: PolicyCase, approvers: string[]): Promise<void> {
  const before = (await t.events(t.projectId)).length;
  const refusal = await refusalOf(submit(policyCase));
  expect({ code: refusal.code, ...refusal.details }).toEqual({ code: 'approver_not_found', approvers });
  expect(refusal.message).toMatch(/^The approvers that this request names cannot approve it/);
  expect(refusal.message).not.toMatch(/finance|security|fay/);
  expect((await t.events(t.projectId)).length).toBe(before);
}

/** The explanation must equal the decision. */
async function expectExplained(intent: Intent): Promise<void> {
  const parsed = parsePolicy(documentInForce);
  if (!parsed.ok) throw new Error('the active policy parses');
  const agent = intent.agentId === null ? null : bot.agent;
  const request = toPolicyRequest(intent, agent, intent.createdAt);
  const { outcome, rules } = explainOutcome(parsed.policy, request);
  expect({ effect: outcome.effect, rule: outcome.rule }).toEqual({
    effect: EFFECT_OF[intent.decision],
    rule: intent.rule,
  });
  const { people } = await t.gate.projectSettings.current(t.projectId);
  expect(
    narrowRequirement(outcome.requirement, intent.approvers, parsed.policy.requesterMayNarrow, people),
  ).toEqual(intent.requirement);
  expect(rules.find(({ part }) => part === 'decides')?.rule ?? null).toBe(intent.rule);
}

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.yaml'));
const cases = new Map(
  files.map((file) => [file, parse(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')) as PolicyCase[]]),
);

test('there are at least 30 cases, and each states its expected result', () => {
  const all = [...cases.values()].flat();
  expect(all.length).toBeGreaterThanOrEqual(30);
  for (const { name, refused, not_made, expect: outcome, event, events } of all) {
    const complete =
      refused !== undefined ||
      not_made !== undefined ||
      (outcome !== undefined && event !== undefined && events !== undefined);
    expect(complete, name).toBe(true);
  }
});

for (const [file, policyCases] of cases) {
  describe(file, () => {
    for (const policyCase of policyCases) test(policyCase.name, () => hold(policyCase));
  });
}
