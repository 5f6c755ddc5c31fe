/**
 * The state machine of contract §§3 to 6, small enough to be read at a glance and written from the contract alone.
 * It changes nothing but itself; a command is answered with what the gate has to answer.
 */
import {
  type AgentName,
  approversNamed,
  type Credential,
  emailOf,
  isAgent,
  type Person,
  type RequesterName,
  voterBehind,
} from './cast.ts';
import { ACTIONS, type Action, type Command, type Effect } from './commands.ts';

const PERMIT_SECONDS = 300;
const DEFAULT_LIFETIME_SECONDS = 3600;

/** Contract codes in lower case; a refused permit with its reason, as `permit_invalid:expired`. */
export type Refusal = string;

/** `refusals`: each of them is right, where several things are wrong at once. */
export type Expected =
  | { ok: true; status: 200 | 201; intent?: ModelIntent; consumed?: boolean; bound?: boolean }
  | { ok: false; refusals: readonly Refusal[]; intent?: ModelIntent };

interface Entry {
  from: readonly string[];
  count: number;
}

export interface ModelIntent {
  /** Learnt from the gate. */
  id: string;
  number: number;
  requester: RequesterName;
  agent: AgentName | null;
  action: Action;
  approvers: readonly string[] | null;
  minApprovals: number;
  createdAt: number;
  expiresAt: number;
  decision: 'require_approval' | 'auto_approve' | 'auto_deny';
  status: 'pending' | 'approved' | 'denied' | 'expired';
  requirement: readonly Entry[];
  votes: { person: Person; by: Credential; at: number }[];
  received: number;
  required: number;
  resolvedAt: number | null;
  resolvedBy: Credential | string | null;
  reason: string | null;
  /** Oldest first; tokens are learnt from the gate. */
  permits: { token: string; expiresAt: number }[];
  consumedBy: Credential | null;
  revoked: boolean;
  outcome: string | null;
}

export interface ModelEvent {
  type: string;
  intent: ModelIntent | null;
  actor: Credential | 'policy' | 'clock';
}

type CommandOf<K extends Command['kind']> = Extract<Command, { kind: K }>;

export class GateModel {
  readonly mode: 'test' | 'live';
  /** Seconds since the start. */
  now = 0;
  stopped = false;
  readonly agents: Record<AgentName, 'active' | 'paused' | 'revoked'> = {
    agent1: 'active',
    agent2: 'active',
  };
  readonly policy = Object.fromEntries(ACTIONS.map((action) => [action, 'none'])) as Record<Action, Effect>;
  readonly intents: ModelIntent[] = [];
  /** In order, but for expiries: whoever finds one writes it. */
  readonly history: ModelEvent[] = [];

  constructor(mode: 'test' | 'live') {
    this.mode = mode;
  }

  advance(seconds: number): void {
    this.now += seconds;
    for (const intent of this.intents) {
      if (intent.status !== 'pending' || intent.expiresAt > this.now) continue;
      intent.status = 'expired';
      this.#tell('intent.expired', intent, 'clock');
    }
  }

  create(command: CommandOf<'create'>): Expected {
    const { who, action, approvers } = command;
    if (this.#isRevoked(who)) return refuse('agent_revoked');
    const agent = isAgent(who) ? who : command.source;
    const standing = this.#standing(agent);
    if (standing.length > 0) return refuse(...standing);
    const minApprovals = approvers === null ? 1 : command.minApprovals;
    const asked = this.#outcome(action, approvers, minApprovals);
    const places = placesOf(asked.requirement);
    if (asked.effect === 'ask' && seats(places, [...new Set(places.flat())]) < places.length) {
      return refuse('approver_not_found');
    }
    const intent: ModelIntent = {
      id: '',
      number: this.intents.length,
      requester: who,
      agent,
      action,
      approvers,
      minApprovals,
      createdAt: this.now,
      expiresAt: this.now + (command.expiresIn ?? DEFAULT_LIFETIME_SECONDS),
      decision: ({ ask: 'require_approval', allow: 'auto_approve', deny: 'auto_deny' } as const)[
        asked.effect
      ],
      status: 'pending',
      requirement: asked.requirement,
      votes: [],
      received: 0,
      required: places.length,
      resolvedAt: null,
      resolvedBy: null,
      reason: null,
      permits: [],
      consumedBy: null,
      revoked: false,
      outcome: null,
    };
    this.intents.push(intent);
    this.#tell('intent.created', intent, who);
    if (asked.effect === 'allow') this.#approve(intent, 'policy', policyName(action));
    if (asked.effect === 'deny') this.#deny(intent, 'policy', policyName(action), REASON);
    // Surface B answers a denial by policy as a refusal, and records it all the same (contract §2).
    if (asked.effect === 'deny' && command.surface === 'b') return { ...refuse('policy_violation'), intent };
    return { ok: true, status: 201, intent };
  }

  decide({ who, decision, reason }: CommandOf<'decide'>, intent: ModelIntent): Expected {
    if (this.#isRevoked(who)) return refuse('agent_revoked');
    const person = voterBehind(who);
    if (!person) return refuse('forbidden');
    const left = refuseResolved(intent);
    if (left) return left;
    const asked = this.#outcome(intent.action, intent.approvers, intent.minApprovals);
    const places = placesOf(strictest(intent.requirement, asked.requirement));
    if (!places.some((able) => able.includes(person))) return refuse('forbidden');
    if (this.mode === 'live' && intent.requester === 'secret' && person === 'owner')
      return refuse('forbidden');
    if (decision === 'deny') {
      this.#tell('approval.recorded', intent, who);
      this.#deny(intent, who, who, reason);
      return { ok: true, status: 200, intent };
    }
    if (intent.votes.some((vote) => vote.person === person)) return refuse('already_voted');
    if (asked.effect === 'deny') {
      this.#deny(intent, 'policy', policyName(intent.action), REASON);
      return { ...refuse('policy_violation'), intent };
    }
    const voters = [...intent.votes.map((vote) => vote.person), person];
    const received = seats(places, voters);
    this.#tell('approval.recorded', intent, who);
    intent.votes.push({ person, by: who, at: this.now });
    intent.received = received;
    intent.required = places.length;
    if (received === places.length) this.#approve(intent, who, who);
    return { ok: true, status: 200, intent };
  }

  withdraw({ who }: CommandOf<'withdraw'>, intent: ModelIntent): Expected {
    const refusal = this.#refuseOther(who, intent) ?? refuseResolved(intent);
    if (refusal) return refusal;
    this.#deny(intent, who, who, 'withdrawn');
    return { ok: true, status: 200, intent };
  }

  redeem({ who }: CommandOf<'redeem'>, intent: ModelIntent): Expected {
    const refusal = this.#refuseOther(who, intent);
    if (refusal) return refusal;
    const wrong = this.#standing(intent.agent);
    if (intent.status === 'pending') wrong.push('conflict');
    if (intent.status === 'denied') wrong.push('intent_already_resolved');
    if (intent.expiresAt <= this.now) wrong.push('intent_expired');
    if (intent.revoked) wrong.push('permit_invalid:revoked');
    if (intent.consumedBy) wrong.push('permit_invalid:already_used');
    // What would be refused at once is not issued.
    if (intent.status === 'approved' && this.#isNowStricter(intent))
      wrong.push('permit_invalid:policy_changed');
    if (wrong.length > 0) return refuse(...wrong);
    this.#issuePermit(intent, who);
    return { ok: true, status: 201, intent };
  }

  /** `permit`: one of the intent's. */
  verify(
    { who, twist, consume }: CommandOf<'verify'>,
    intent: ModelIntent,
    permit: { expiresAt: number },
  ): Expected {
    if (this.#isRevoked(who)) return refuse('agent_revoked');
    if (consume && twist === 'unbound') return refuse('missing_fields');
    const wrong: Refusal[] = this.#standing(intent.agent);
    if (permit.expiresAt <= this.now) wrong.push('expired');
    if (intent.revoked) wrong.push('revoked');
    if (intent.consumedBy) wrong.push('already_used');
    if (twist === 'params') wrong.push('params_mismatch');
    if (twist === 'action') wrong.push('action_mismatch');
    if (this.#isNowStricter(intent)) wrong.push('policy_changed');
    const refusals = wrong.map((reason) => `permit_invalid:${reason}`);
    if (!isSeen(who, intent)) refusals.push('intent_not_found');
    if (refusals.length > 0) return refuse(...refusals);
    if (consume) {
      intent.consumedBy = who;
      this.#tell('permit.consumed', intent, who);
    }
    return { ok: true, status: 200, intent, consumed: consume, bound: twist === 'none' };
  }

  outcome({ who, outcome }: CommandOf<'outcome'>, intent: ModelIntent): Expected {
    if (this.#isRevoked(who)) return refuse('agent_revoked');
    if (!isAgent(who) && who !== 'secret' && who !== 'verifier') return refuse('forbidden');
    if (!isSeen(who, intent)) return refuse('intent_not_found');
    if (!intent.consumedBy) return refuse('conflict');
    if (intent.consumedBy !== who) return refuse('forbidden');
    if (intent.outcome) return refuse('conflict');
    intent.outcome = outcome;
    this.#tell('outcome.reported', intent, who);
    return { ok: true, status: 201, intent };
  }

  revoke({ who }: CommandOf<'revoke'>, intent: ModelIntent): Expected {
    if (this.#isRevoked(who)) return refuse('agent_revoked');
    if (who === 'ann' || who === 'agent1') return refuse('forbidden');
    if (intent.status !== 'approved') return refuse('conflict');
    if (!intent.revoked) this.#tell('permit.revoked', intent, who);
    intent.revoked = true;
    return { ok: true, status: 200, intent };
  }

  read({ who }: CommandOf<'read'>, intent: ModelIntent): Expected {
    if (this.#isRevoked(who)) return refuse('agent_revoked');
    if (who === 'verifier') return refuse('forbidden');
    if (!isSeen(who, intent)) return refuse('intent_not_found');
    return { ok: true, status: 200, intent };
  }

  /** Newest first. */
  list({ who, status }: CommandOf<'list'>): readonly ModelIntent[] | Expected {
    if (this.#isRevoked(who)) return refuse('agent_revoked');
    if (who === 'verifier') return refuse('forbidden');
    return this.intents
      .filter((intent) => isSeen(who, intent))
      .filter((intent) => {
        if (status === null) return true;
        return status === 'resolved' ? intent.status !== 'pending' : intent.status === status;
      })
      .toReversed();
  }

  changeAgent({ agent, verb, who }: CommandOf<'agent'>): Expected {
    if (who === 'ann') return refuse('forbidden');
    const to = ({ pause: 'paused', resume: 'active', revoke: 'revoked' } as const)[verb];
    if (this.agents[agent] === to) return { ok: true, status: 200 };
    if (this.agents[agent] === 'revoked') return refuse('conflict');
    this.agents[agent] = to;
    this.#tell(to === 'active' ? 'agent.resumed' : `agent.${to}`, null, who);
    return { ok: true, status: 200 };
  }

  throwSwitch({ verb, who }: CommandOf<'switch'>): Expected {
    if (who === 'ann') return refuse('forbidden');
    const stop = verb === 'stop';
    if (this.stopped !== stop) this.#tell(stop ? 'project.stopped' : 'project.started', null, who);
    this.stopped = stop;
    return { ok: true, status: 200 };
  }

  putPolicy({ action, effect, who }: CommandOf<'policy'>): Expected {
    if (who === 'ann' || (who === 'secret' && this.mode === 'live')) return refuse('forbidden');
    if (this.policy[action] !== effect) this.#tell('policy.updated', null, who);
    this.policy[action] = effect;
    return { ok: true, status: 200 };
  }

  /** What the receipt is worth now. */
  receiptStatus(intent: ModelIntent): 'active' | 'suspended' | 'revoked' {
    const agent = intent.agent === null ? 'active' : this.agents[intent.agent];
    if (intent.revoked || agent === 'revoked') return 'revoked';
    return agent === 'paused' ? 'suspended' : 'active';
  }

  #tell(type: string, intent: ModelIntent | null, actor: ModelEvent['actor']): void {
    this.history.push({ type, intent, actor });
  }

  #isRevoked(who: Credential): boolean {
    return isAgent(who) && this.agents[who] === 'revoked';
  }

  #standing(agent: AgentName | null): Refusal[] {
    const status = agent === null ? 'active' : this.agents[agent];
    return [
      ...(this.stopped ? ['project_stopped'] : []),
      ...(status === 'active' ? [] : [`agent_${status}`]),
    ];
  }

  /** For what only the requester itself may do. */
  #refuseOther(who: Credential, intent: ModelIntent): Expected | undefined {
    if (this.#isRevoked(who)) return refuse('agent_revoked');
    if (!isSeen(who, intent)) return refuse('intent_not_found');
    return isRequester(who, intent) ? undefined : refuse('forbidden');
  }

  /** Deny beats asking beats allowing; nothing matches: a person decides; who names approvers wants one. */
  #outcome(
    action: Action,
    approvers: readonly string[] | null,
    minApprovals: number,
  ): { effect: 'allow' | 'ask' | 'deny'; requirement: readonly Entry[] } {
    const effect = this.policy[action];
    if (effect === 'deny') return { effect: 'deny', requirement: [] };
    if (effect === 'allow' && approvers === null) return { effect: 'allow', requirement: [] };
    const requirement: Entry[] = [];
    if (effect === 'finance') requirement.push({ from: ['finance'], count: 1 });
    if (effect === 'finance twice') requirement.push({ from: ['finance'], count: 2 });
    if (approvers !== null) requirement.push({ from: approvers, count: minApprovals });
    if (requirement.length === 0) requirement.push({ from: ['role:approver'], count: 1 });
    return { effect: 'ask', requirement };
  }

  #isNowStricter(intent: ModelIntent): boolean {
    const asked = this.#outcome(intent.action, intent.approvers, intent.minApprovals);
    if (asked.effect === 'deny') return true;
    if (asked.effect === 'allow') return false;
    if (intent.decision === 'auto_approve') return true;
    const places = placesOf(asked.requirement);
    return (
      seats(
        places,
        intent.votes.map((vote) => vote.person),
      ) < places.length
    );
  }

  #approve(intent: ModelIntent, actor: Credential | 'policy', by: string): void {
    intent.status = 'approved';
    intent.resolvedAt = this.now;
    intent.resolvedBy = by;
    this.#tell('intent.approved', intent, actor);
    this.#issuePermit(intent, actor);
  }

  #deny(intent: ModelIntent, actor: Credential | 'policy', by: string, reason: string | null): void {
    intent.status = 'denied';
    intent.resolvedAt = this.now;
    intent.resolvedBy = by;
    intent.reason = reason;
    this.#tell('intent.denied', intent, actor);
  }

  #issuePermit(intent: ModelIntent, actor: Credential | 'policy'): void {
    intent.permits.push({ token: '', expiresAt: this.now + PERMIT_SECONDS });
    this.#tell('permit.issued', intent, actor);
  }
}

/** What a denying rule says. */
export const REASON = 'Not by an agent.';

export function ruleName(action: Action): string {
  return `rule for ${action}`;
}

function policyName(action: Action): string {
  return `policy:${ruleName(action)}`;
}

/** An agent sees what runs as it: what it asked for itself, and what a service asked for in its name. */
function isSeen(who: Credential, intent: ModelIntent): boolean {
  return !isAgent(who) || who === intent.agent;
}

/** Who may take a request back, ask for a fresh permit and hold it. */
export function isRequester(who: Credential, intent: ModelIntent): boolean {
  return who === intent.requester || (isAgent(who) && who === intent.agent);
}

function refuse(...refusals: Refusal[]): { ok: false; refusals: readonly Refusal[] } {
  return { ok: false, refusals };
}

function refuseResolved(intent: ModelIntent): Expected | undefined {
  if (intent.status === 'expired') return refuse('intent_expired');
  return intent.status === 'pending' ? undefined : refuse('intent_already_resolved');
}

/** Places per list of names: two entries with the same names are two lots of places. */
function totals(requirement: readonly Entry[]): Map<string, Entry> {
  const byNames = new Map<string, Entry>();
  for (const { from, count } of requirement) {
    const key = from.toSorted().join();
    byNames.set(key, { from, count: count + (byNames.get(key)?.count ?? 0) });
  }
  return byNames;
}

/** Both at once; for each list of names the higher count. */
function strictest(fixed: readonly Entry[], now: readonly Entry[]): readonly Entry[] {
  const merged = totals(fixed);
  for (const [key, entry] of totals(now)) {
    if (entry.count > (merged.get(key)?.count ?? 0)) merged.set(key, entry);
  }
  return [...merged.values()];
}

function placesOf(requirement: readonly Entry[]): (readonly Person[])[] {
  return requirement.flatMap(({ from, count }) =>
    Array.from({ length: count }, () => from.flatMap(approversNamed)),
  );
}

/** The most places these people can take, each at most one: every seating is tried. */
function seats(places: readonly (readonly Person[])[], people: readonly Person[]): number {
  const [place, ...others] = places;
  if (!place) return 0;
  const taken = people
    .filter((person) => place.includes(person))
    .map(
      (person) =>
        1 +
        seats(
          others,
          people.filter((other) => other !== person),
        ),
    );
  return Math.max(seats(others, people), ...taken);
}

export function resolvedByEmail(intent: ModelIntent): string | null {
  const by = intent.resolvedBy;
  if (by === null || by.startsWith('policy:')) return by;
  const person = voterBehind(by as Credential);
  return person ? emailOf(person) : by;
}
