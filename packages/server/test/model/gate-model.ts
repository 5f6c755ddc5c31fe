/**
 * The state machine of contract §§3 to 6, small enough to read at a glance and written from the contract alone. It
 * changes only itself. A command returns what the gate must answer.
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

/** Contract codes in lower case. A refused permit has its reason, as in `permit_invalid:expired`. */
export type Refusal = string;

/** `refusals`: if several things are wrong, the gate may answer with any of these. */
export type Expected =
  | { ok: true; status: 200 | 201; intent?: ModelIntent; consumed?: boolean; bound?: boolean }
  | { ok: false; refusals: readonly Refusal[]; intent?: ModelIntent };

interface Entry {
  from: readonly string[];
  count: number;
  /** Whether a program's vote also counts in live mode. */
  programs: boolean;
  /** The names in the request, to which `from` is narrowed. Null: all of `from` counts. */
  among: readonly string[] | null;
}

interface Vote {
  person: Person;
  by: Credential;
  at: number;
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
  votes: Vote[];
  received: number;
  required: number;
  resolvedAt: number | null;
  resolvedBy: Credential | string | null;
  reason: string | null;
  /** Oldest first. Tokens are learnt from the gate. */
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
  /** In order, except expiries, which the first caller that notices them writes. */
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
    const asked = this.#outcome(action, approvers);
    if (asked.effect === 'ask' && !isMeetable(asked.requirement, approvers, minApprovals)) {
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
      required: asked.effect === 'ask' ? Math.max(slotsIn(asked.requirement), minApprovals) : 0,
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
    // Surface B answers a denial by policy with a refusal, and still records it (contract §2).
    if (asked.effect === 'deny' && command.surface === 'b') return { ...refuse('policy_violation'), intent };
    return { ok: true, status: 201, intent };
  }

  decide({ who, decision, reason }: CommandOf<'decide'>, intent: ModelIntent): Expected {
    if (this.#isRevoked(who)) return refuse('agent_revoked');
    const person = voterBehind(who);
    if (!person) return refuse('forbidden');
    const left = refuseResolved(intent);
    if (left) return left;
    const asked = this.#outcome(intent.action, intent.approvers);
    const requirements = [intent.requirement, asked.requirement];
    const couldFill = requirements.flat().some((entry) => ableFor(entry).includes(person));
    if (decision === 'deny') {
      // These people may deny: those who could fill a slot if the request named nobody, owners, and those behind the
      // request.
      const isNamedByPolicy = requirements
        .flat()
        .some(({ from }) => from.flatMap(approversNamed).includes(person));
      const isBehind = person === 'cat' && intent.requester === 'agent2';
      if (!isNamedByPolicy && !isBehind && person !== 'owner') return refuse('forbidden');
      this.#tell('approval.recorded', intent, who);
      this.#deny(intent, who, who, reason);
      return { ok: true, status: 200, intent };
    }
    if (!couldFill) return refuse('forbidden');
    // The secret key belongs to the owner, who is behind every request of that key and of the first agent. The second
    // agent belongs to cat.
    if (this.mode === 'live' && who === 'secret' && intent.requester !== 'agent2') return refuse('forbidden');
    const vote = { person, by: who, at: this.now };
    const earlier = intent.votes.find(
      (given) => given.person === person && this.#counts(given, requirements),
    );
    const wrong: Refusal[] = [];
    if (earlier && !this.#addsTo(earlier, vote, requirements)) wrong.push('already_voted');
    if (!this.#counts(vote, requirements)) wrong.push('forbidden');
    if (wrong.length > 0) return refuse(...wrong);
    if (asked.effect === 'deny') {
      this.#deny(intent, 'policy', policyName(intent.action), REASON);
      return { ...refuse('policy_violation'), intent };
    }
    const others = intent.votes.filter((given) => given.person !== person);
    this.#tell('approval.recorded', intent, who);
    intent.votes = [...others, vote];
    const counted = intent.votes.filter((given) => this.#counts(given, requirements));
    intent.required = Math.max(...requirements.map(slotsIn), intent.minApprovals);
    intent.received = intent.required - this.#missing(counted, requirements, intent.minApprovals);
    if (intent.received === intent.required) {
      // No answer shows a vote that no longer counts.
      intent.votes = counted;
      this.#approve(intent, who, who);
    }
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
    // A permit that would be refused immediately is not issued.
    if (intent.status === 'approved' && this.#isNowStricter(intent))
      wrong.push('permit_invalid:policy_changed');
    if (wrong.length > 0) return refuse(...wrong);
    this.#issuePermit(intent, who);
    return { ok: true, status: 201, intent };
  }

  /** `permit` is one of the intent's permits. */
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
    if (!this.#manages(who, verb !== 'resume')) return refuse('forbidden');
    const to = ({ pause: 'paused', resume: 'active', revoke: 'revoked' } as const)[verb];
    if (this.agents[agent] === to) return { ok: true, status: 200 };
    if (this.agents[agent] === 'revoked') return refuse('conflict');
    this.agents[agent] = to;
    this.#tell(to === 'active' ? 'agent.resumed' : `agent.${to}`, null, who);
    return { ok: true, status: 200 };
  }

  throwSwitch({ verb, who }: CommandOf<'switch'>): Expected {
    if (!this.#manages(who, verb === 'stop')) return refuse('forbidden');
    const stop = verb === 'stop';
    if (this.stopped !== stop) this.#tell(stop ? 'project.stopped' : 'project.started', null, who);
    this.stopped = stop;
    return { ok: true, status: 200 };
  }

  putPolicy({ action, effect, who }: CommandOf<'policy'>): Expected {
    if (!this.#manages(who, false)) return refuse('forbidden');
    if (this.policy[action] !== effect) this.#tell('policy.updated', null, who);
    this.policy[action] = effect;
    return { ok: true, status: 200 };
  }

  /** The receipt's current status. */
  receiptStatus(intent: ModelIntent): 'active' | 'suspended' | 'revoked' {
    const agent = intent.agent === null ? 'active' : this.agents[intent.agent];
    if (intent.revoked || agent === 'revoked') return 'revoked';
    return agent === 'paused' ? 'suspended' : 'active';
  }

  /** In live mode a program can stop things, but not manage anything else. */
  #manages(who: Credential, stopping: boolean): boolean {
    return who === 'owner' || (who === 'secret' && (stopping || this.mode === 'test'));
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

  /** For actions that only the requester itself may take. */
  #refuseOther(who: Credential, intent: ModelIntent): Expected | undefined {
    if (this.#isRevoked(who)) return refuse('agent_revoked');
    if (!isSeen(who, intent)) return refuse('intent_not_found');
    return isRequester(who, intent) ? undefined : refuse('forbidden');
  }

  /**
   * Deny takes precedence over require approval, and require approval over allow. If no rule matches, or the request
   * names approvers, a person decides.
   */
  #outcome(
    action: Action,
    approvers: readonly string[] | null,
  ): { effect: 'allow' | 'ask' | 'deny'; requirement: readonly Entry[] } {
    const effect = this.policy[action];
    if (effect === 'deny') return { effect: 'deny', requirement: [] };
    if (effect === 'allow' && approvers === null) return { effect: 'allow', requirement: [] };
    const entry = { count: 1, programs: false, among: null };
    const own: Record<Exclude<Effect, 'deny'>, Entry> = {
      none: { ...entry, from: ['role:approver'] },
      allow: { ...entry, from: ['role:approver'] },
      finance: { ...entry, from: ['finance'] },
      'finance twice': { ...entry, from: ['finance'], count: 2 },
      programs: { ...entry, from: ['role:approver'], count: 2, programs: true },
    };
    return { effect: 'ask', requirement: [narrowed(own[effect], approvers)] };
  }

  #fills(vote: Pick<Vote, 'person' | 'by'>, entry: Entry): boolean {
    const isProgram = this.mode === 'live' && vote.by === 'secret';
    return (entry.programs || !isProgram) && ableFor(entry).includes(vote.person);
  }

  #counts(vote: Vote, requirements: readonly (readonly Entry[])[]): boolean {
    return requirements.flat().some((entry) => this.#fills(vote, entry));
  }

  /** Whether a vote fills a slot that an earlier vote of the same person does not fill. */
  #addsTo(earlier: Vote, vote: Vote, requirements: readonly (readonly Entry[])[]): boolean {
    return requirements.some(
      (requirement) => this.#counts(vote, [requirement]) && !this.#counts(earlier, [requirement]),
    );
  }

  /** The number of approvals that the least complete requirement still needs. */
  #missing(
    votes: readonly Vote[],
    requirements: readonly (readonly Entry[])[],
    minApprovals: number,
  ): number {
    const lacking = requirements.map((requirement) => {
      if (requirement.length === 0) return 0;
      const slots = requirement.flatMap((entry) => {
        const able = votes.filter((vote) => this.#fills(vote, entry)).map(({ person }) => person);
        return Array.from({ length: entry.count }, () => able);
      });
      const people = new Set(slots.flat());
      return Math.max(slots.length - seats(slots, [...people]), minApprovals - people.size);
    });
    return Math.max(...lacking);
  }

  #isNowStricter(intent: ModelIntent): boolean {
    const asked = this.#outcome(intent.action, intent.approvers);
    if (asked.effect === 'deny') return true;
    if (asked.effect === 'allow') return false;
    if (intent.decision === 'auto_approve') return true;
    return this.#missing(intent.votes, [asked.requirement], intent.minApprovals) > 0;
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

/** The reason of a denying rule. */
export const REASON = 'Not by an agent.';

export function ruleName(action: Action): string {
  return `rule for ${action}`;
}

function policyName(action: Action): string {
  return `policy:${ruleName(action)}`;
}

/** An agent sees the intents that run as this agent: its own requests, and those that a service sent in its name. */
function isSeen(who: Credential, intent: ModelIntent): boolean {
  return !isAgent(who) || who === intent.agent;
}

/** Who may withdraw a request, and who may get a fresh permit and see it. */
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

/** If a named person could fill an entry, only named people can. */
function narrowed(entry: Entry, approvers: readonly string[] | null): Entry {
  const among = { ...entry, among: approvers };
  return ableFor(among).length > 0 ? among : entry;
}

function ableFor({ from, among }: Entry): readonly Person[] {
  const able = [...new Set(from.flatMap(approversNamed))];
  return among === null ? able : able.filter((person) => among.flatMap(approversNamed).includes(person));
}

function slotsIn(requirement: readonly Entry[]): number {
  return requirement.reduce((slots, { count }) => slots + count, 0);
}

/** Whether the names exist and could fill a slot, and there are enough different people. */
function isMeetable(
  requirement: readonly Entry[],
  approvers: readonly string[] | null,
  minApprovals: number,
): boolean {
  const slots = requirement.flatMap((entry) => Array.from({ length: entry.count }, () => ableFor(entry)));
  const people = [...new Set(slots.flat())];
  const isNamed = (approvers ?? []).every(
    (name) => approversNamed(name).length > 0 || name === emailOf('eve'),
  );
  const isServed = approvers === null || requirement.some(({ among }) => among !== null);
  return isNamed && isServed && seats(slots, people) === slots.length && people.length >= minApprovals;
}

/** The most slots that these people can fill, with one slot per person. Tries every assignment. */
function seats(slots: readonly (readonly Person[])[], people: readonly Person[]): number {
  const [slot, ...others] = slots;
  if (!slot) return 0;
  const taken = people
    .filter((person) => slot.includes(person))
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
