/** Everything that was answered must exist with the same content, whatever happened since. */
import { isDeepStrictEqual } from 'node:util';
import { type Chronicle, type Deed, type DoneDeed, errorOf, isDeniedByPolicy } from '../stories/chronicle.ts';
import type { GateSeen, IntentSeen } from './read-gate.ts';

type Thing = Record<string, unknown>;

/**
 * Returns what is missing or different, in sentences.
 *
 * @param through Checks only deeds up to this answer. Later ones may or may not have happened.
 */
export function findLost(seen: GateSeen, chronicle: Chronicle, through = chronicle.answered): string[] {
  const findings: string[] = [];
  for (const deed of chronicle.done(through)) {
    const problem = CHECKS[deed.kind](deed, seen, laterThan(deed, chronicle));
    if (problem !== null)
      findings.push(`answer ${deed.answeredAs}, ${deed.ask.method} ${deed.ask.path}: ${problem}`);
  }
  return [...findings, ...findMadeTwice(seen, chronicle), ...findDespiteRefusal(seen, chronicle)];
}

/** Deeds about the same thing that were sent later, or were never answered. They may have changed the thing since. */
function laterThan(deed: DoneDeed, { deeds }: Chronicle): Deed[] {
  return deeds.filter(
    ({ subject, sentAs, answeredAs, era }) =>
      subject === deed.subject && (sentAs > deed.sentAs || (answeredAs === null && era === deed.era)),
  );
}

type Check = (deed: DoneDeed, seen: GateSeen, later: readonly Deed[]) => string | null;

const CHECKS: Record<Deed['kind'], Check> = {
  create: ({ answer, ask }, seen) => {
    if (isDeniedByPolicy(answer))
      return statusProblem(seen.intents.get(String(errorOf(answer).intent_id)), ['denied']);
    const intent = seen.intents.get(String(answer.body.id));
    if (!intent) return 'the intent is gone';
    const body = ask.body as { action: string; context?: object; params?: object };
    if (!isDeepStrictEqual(intent.listed.context, body.context ?? body.params))
      return 'its parameters are others';
    const differing = FIXED.filter(
      (member) => member in answer.body && intent.listed[member] !== answer.body[member],
    );
    if (differing.length > 0) return `its ${differing.join(', ')} changed`;
    return answer.body.status === 'pending' ? null : statusProblem(intent, [String(answer.body.status)]);
  },
  'ask-tool': ({ answer, ask }, seen) => {
    const intent = seen.intents.get(String(answer.body.intent_id));
    if (!intent) return 'the intent is gone';
    const { arguments: given } = ask.body as { arguments: object };
    return isDeepStrictEqual(intent.listed.context, given) ? null : 'its arguments are others';
  },
  'run-tool': ({ answer, subject }, seen) => {
    const { status } = answer.body;
    if (status !== 'executed' && status !== 'unknown') return null;
    const expected = status === 'executed' ? 'succeeded' : 'unknown';
    const outcome = seen.intents.get(subject)?.listed.outcome;
    return outcome === expected ? null : `the call was ${status}, its outcome is ${String(outcome)}`;
  },
  vote: ({ answer, subject }, seen) => {
    const intent = seen.intents.get(subject);
    const { status, approvals } = answer.body as { status: string; approvals: Thing[] };
    if (status !== 'pending') return resolutionProblem(answer.body, intent);
    const left = statusProblem(intent, ['pending', 'approved', 'denied', 'expired']);
    if (left !== null) return left;
    const events = seen.events.get(subject) ?? [];
    if (events.filter(({ type }) => type === 'approval.recorded').length < approvals.length)
      return 'the vote is not recorded';
    const kept = intent?.listed.approvals as Thing[];
    const lost = approvals.filter((vote) => !kept.some((other) => isDeepStrictEqual(vote, other)));
    return intent?.listed.status === 'denied' || lost.length === 0 ? null : 'the vote is gone';
  },
  withdraw: ({ answer, subject }, seen) => resolutionProblem(answer.body, seen.intents.get(subject)),
  redeem: ({ answer, subject }, seen, later) => {
    const newest = (answer.body.permit as Thing).token;
    if (later.some(({ kind }) => kind === 'redeem')) return null;
    const intent = seen.intents.get(subject);
    return intent?.onA?.permit_token === newest ? null : 'the fresh permit is not the one that is there';
  },
  consume: ({ subject }, seen) => {
    if (seen.intents.get(subject)?.permit === 'valid') return 'it can be used again';
    return eventProblem(seen, subject, 'permit.consumed');
  },
  revoke: ({ subject }, seen) => {
    const receipt = seen.intents.get(subject)?.onA?.receipt_v2 as Thing | undefined;
    if (receipt?.revocation_status !== 'revoked') return 'it is not revoked';
    return eventProblem(seen, subject, 'permit.revoked');
  },
  outcome: ({ answer, subject }, seen) => {
    const outcome = seen.intents.get(subject)?.listed.outcome;
    return outcome === answer.body.outcome ? null : `its outcome is ${String(outcome)}`;
  },
  policy: ({ answer, ask }, seen) => {
    const { version, hash } = answer.body;
    const kept = seen.policies.find((policy) => policy.version === version);
    if (kept?.hash !== hash) return `version ${String(version)} of the policy is gone`;
    return isDeepStrictEqual(kept?.policy, ask.body) ? null : 'the policy has another text';
  },
  register: ({ answer, ask }, seen) => {
    const agent = seen.agents.get(String(answer.body.id));
    const { name, labels } = ask.body as Thing;
    return agent?.name === name && isDeepStrictEqual(agent?.labels, labels) ? null : 'the agent is gone';
  },
  'agent-status': (deed, seen, later) => {
    const status = String(seen.agents.get(deed.subject)?.status);
    const possible = [deed, ...later].map(({ ask }) => STATUS_AFTER[ask.path.split('/').at(-1) ?? '']);
    return possible.includes(status) ? null : `the agent is ${status}`;
  },
  mint: ({ answer }, seen) => (seen.keys.has(String(answer.body.id)) ? null : 'the key is gone'),
  'revoke-key': ({ subject }, seen) => {
    return seen.keys.get(subject)?.revoked_at ? null : 'the key is not revoked';
  },
  member: (deed, seen, later) => {
    const role = seen.members.get(deed.subject)?.role;
    const possible = [deed, ...later].map(({ ask }) => (ask.body as { role?: string } | undefined)?.role);
    return possible.includes(role as string | undefined) ? null : `the member is ${String(role)}`;
  },
  group: (deed, seen, later) => {
    const members = seen.groups.get(deed.subject.split('/').at(-1) ?? '')?.members;
    const possible = [deed, ...later].map(({ ask }) => (ask.body as { members: string[] }).members);
    return possible.some((list) => isDeepStrictEqual(new Set(list), new Set(members as string[])))
      ? null
      : 'the group has other members';
  },
  switch: (deed, seen, later) => {
    const possible = [deed, ...later].map(({ ask }) => ask.path.endsWith('/stop'));
    return possible.includes(seen.otherIsStopped)
      ? null
      : `the project is ${seen.otherIsStopped ? '' : 'not '}stopped`;
  },
  head: ({ answer }, { records }) => {
    const head = answer.body.head as { seq: number; hash: string } | null;
    if (head === null || records[head.seq - 1]?.hash === head.hash) return null;
    return `record ${head.seq} of the log is not the one that was its head`;
  },
};

const STATUS_AFTER: Record<string, string> = { pause: 'paused', resume: 'active', revoke: 'revoked' };
/** On both surfaces. */
const FIXED = ['action', 'params_hash', 'source', 'source_type', 'created_at', 'expires_at', 'approval_url'];
/** Members that must never change again. */
const RESOLVED = ['status', 'resolved_at', 'resolved_by', 'reason'];

function statusProblem(intent: IntentSeen | undefined, expected: readonly string[]): string | null {
  if (!intent) return 'the intent is gone';
  return expected.includes(String(intent.listed.status)) ? null : `it is ${String(intent.listed.status)}`;
}

function resolutionProblem(answered: Thing, intent: IntentSeen | undefined): string | null {
  if (!intent) return 'the intent is gone';
  const differing = RESOLVED.filter((member) => intent.listed[member] !== answered[member]);
  if (differing.length > 0)
    return `its ${differing.join(', ')} changed: it is ${String(intent.listed.status)}`;
  return isDeepStrictEqual(intent.listed.approvals, answered.approvals) ? null : 'its approvals are others';
}

function eventProblem(seen: GateSeen, intentId: string, type: string): string | null {
  const count = seen.events.get(intentId)?.filter((event) => event.type === type).length ?? 0;
  return count === 1 ? null : `there are ${count} events ${type}`;
}

/** Each create request, answered or not, made at most one intent. */
function findMadeTwice(seen: GateSeen, _chronicle: Chronicle): string[] {
  const markers = [...seen.intents.values()].map(({ listed }) => {
    const { n, charge } = listed.context as Thing;
    return String(n ?? charge);
  });
  const counts = Map.groupBy(markers, (marker) => marker);
  return [...counts]
    .filter(([, all]) => all.length > 1)
    .map(([marker, all]) => `${marker}: made ${all.length} intents`);
}

/**
 * Finds intents that exist although the gate said "nothing was changed". If one request was sent twice, both answers
 * must say so.
 */
function findDespiteRefusal(seen: GateSeen, chronicle: Chronicle): string[] {
  const markers = new Set([...seen.intents.values()].map(({ listed }) => (listed.context as Thing).n));
  const creations = chronicle.deeds.filter(({ kind, subject }) => kind === 'create' && markers.has(subject));
  return [...Map.groupBy(creations, ({ subject }) => subject)]
    .filter(([, same]) => same.every(({ answer }) => answer?.status === 503))
    .map(
      ([subject, [deed]]) => `${subject}: made, though it was answered ${JSON.stringify(deed?.answer?.body)}`,
    );
}
