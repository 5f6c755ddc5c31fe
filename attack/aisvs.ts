/**
 * Chapter C9, "Orchestration & Agentic Security", of the OWASP Artificial Intelligence Security Verification Standard,
 * version 1.0 (https://github.com/OWASP/AISVS, commit 94fbad5acee4e4716bff263a4c455dfd780e53a7,
 * `1.0/en/0x10-C09-Orchestration-and-Agentic-Action.md`). The standard's folder for version 1.0 is locked, so the
 * numbers do not change.
 *
 * The requirements are in our own words, because the standard's are CC BY-SA 4.0. Most of the chapter is about the
 * runtime that agents live in. A gate is responsible for a part of the chapter, and this list names that part.
 */
interface Requirement {
  level: 1 | 2 | 3;
  text: string;
  /** `gate`: the gate meets it. `part`: the gate contributes. `elsewhere`: the agent runtime's job, or not offered. */
  whose: 'gate' | 'part' | 'elsewhere';
  /**
   * The gate's part, or why it has none. If a requirement cannot be tried from outside, this says how we know instead.
   */
  note: string;
}

export const AISVS_VERSION = 'OWASP AISVS 1.0, chapter C9';

export const AISVS = {
  '9.1.1': {
    level: 1,
    text: 'each tool has quotas and timeouts',
    whose: 'part',
    note: 'requests a minute, for each project and each key; what a tool itself consumes is its runtime’s',
  },
  '9.1.2': {
    level: 1,
    text: 'each execution has a budget',
    whose: 'elsewhere',
    note: 'recursion, tokens and money are counted where the agent runs; a policy can bound one action’s amount',
  },
  '9.1.3': {
    level: 2,
    text: 'one switch halts all agents',
    whose: 'gate',
    note: 'the stop switch refuses every request, check and use in a project at once',
  },
  '9.2.1': {
    level: 1,
    text: 'dangerous actions wait for a verified human approval',
    whose: 'gate',
    note: 'as long as the executor asks the gate, which no gate can enforce',
  },
  '9.2.2': {
    level: 2,
    text: 'approvers are shown the canonical and complete parameters',
    whose: 'part',
    note: 'through the API; the page with a person’s sign-in is not built yet',
  },
  '9.2.3': {
    level: 2,
    text: 'actions are classed by whether they can be undone',
    whose: 'elsewhere',
    note: 'risk tiers exist; a class for reversibility does not',
  },
  '9.2.4': {
    level: 2,
    text: 'that class decides what is blocked or asked',
    whose: 'part',
    note: 'policies decide by action and by risk tier, which a requester cannot lower',
  },
  '9.2.5': {
    level: 2,
    text: 'what an agent may change about itself is bounded',
    whose: 'part',
    note: 'an agent changes nothing at the gate: no policy, key, tier or registration',
  },
  '9.2.6': {
    level: 2,
    text: 'a model reviews risky plans beside the deterministic gate',
    whose: 'elsewhere',
    note: 'not offered',
  },
  '9.2.7': {
    level: 2,
    text: 'that review withstands manipulation',
    whose: 'elsewhere',
    note: 'not offered',
  },
  '9.2.8': {
    level: 3,
    text: 'approvals are bound to parameters, requester and context, and work once',
    whose: 'gate',
    note: 'signed permits, counted once for each intent',
  },
  '9.2.9': {
    level: 3,
    text: 'what issues approvals is out of the agent’s reach',
    whose: 'gate',
    note: 'agent keys cannot decide and the signing key never leaves the gate; that it is kept well is the operator’s',
  },
  '9.2.10': {
    level: 3,
    text: 'a chain of actions is approved by its gravest link',
    whose: 'elsewhere',
    note: 'not offered: each action is asked for by itself',
  },
  '9.3.1': { level: 1, text: 'tools run in sandboxes', whose: 'elsewhere', note: 'the runtime’s' },
  '9.3.2': { level: 1, text: 'tool outputs are validated', whose: 'elsewhere', note: 'the runtime’s' },
  '9.3.3': {
    level: 2,
    text: 'tool manifests declare privileges and limits',
    whose: 'elsewhere',
    note: 'the runtime’s',
  },
  '9.3.4': { level: 2, text: 'the runtime enforces them', whose: 'elsewhere', note: 'the runtime’s' },
  '9.3.5': {
    level: 2,
    text: 'components that read untrusted data cannot call tools',
    whose: 'part',
    note: 'whatever a model was talked into, its agent key can ask and no more',
  },
  '9.3.6': {
    level: 2,
    text: 'untrusted tool outputs are kept apart from the agent’s operation',
    whose: 'elsewhere',
    note: 'the runtime’s',
  },
  '9.3.7': {
    level: 2,
    text: 'resources a model names are checked against a list',
    whose: 'elsewhere',
    note: 'the runtime’s; a policy may list what parameters may hold',
  },
  '9.3.8': {
    level: 3,
    text: 'a violation contains the tool automatically',
    whose: 'elsewhere',
    note: 'pausing an agent takes a person or their program',
  },
  '9.4.1': {
    level: 2,
    text: 'each agent has an identity of its own',
    whose: 'gate',
    note: 'an agent key is exactly one agent and can name no other source',
  },
  '9.4.2': {
    level: 2,
    text: 'each step of a chain of actions is bound to its agent, undeniably',
    whose: 'part',
    note: 'what passes the gate: signed permits name the agent, and a hash chain records every step',
  },
  '9.4.3': {
    level: 3,
    text: 'agent credentials rotate on schedule',
    whose: 'part',
    note: 'keys can expire and be revoked at once; the schedule is the operator’s',
  },
  '9.4.4': {
    level: 3,
    text: 'an agent’s stored state is protected',
    whose: 'elsewhere',
    note: 'the runtime’s',
  },
  '9.5.1': {
    level: 2,
    text: 'fine policies bound which tools and which parameters',
    whose: 'gate',
    note: 'rules over action and parameters, checked when saved, failing to the strict side',
  },
  '9.5.2': {
    level: 2,
    text: 'a scoped, protected token carries the authority to every call',
    whose: 'gate',
    note: 'the permit; that each executor checks it is the operator’s',
  },
  '9.5.3': {
    level: 2,
    text: 'access is decided by code or policy, never by a model',
    whose: 'gate',
    note: 'nothing a requester says of itself makes an outcome milder',
  },
  '9.5.4': {
    level: 2,
    text: 'secrets stay out of what a model can read',
    whose: 'part',
    note: 'no answer shows a key again, or a permit to others; what a runtime puts into a prompt is its own',
  },
  '9.5.5': {
    level: 2,
    text: 'handing tasks from agent to agent takes an explicit policy',
    whose: 'part',
    note: 'an agent can neither see nor use what another was permitted',
  },
  '9.5.6': {
    level: 3,
    text: 'long sessions are checked against the current policy on every action',
    whose: 'gate',
    note: 'policy, pause, revocation and stop are asked again at every check and use',
  },
  '9.6.1': {
    level: 1,
    text: 'a switch halts inference',
    whose: 'elsewhere',
    note: 'the gate halts actions (9.1.3), never inference',
  },
  '9.6.2': {
    level: 2,
    text: 'without approval in time the action is blocked',
    whose: 'gate',
    note: 'intents expire, and expiry wins over a late approval',
  },
  '9.6.3': {
    level: 3,
    text: 'the switch is out of the agents’ reach',
    whose: 'gate',
    note: 'only people, their programs and the operator stop and start; agents cannot, and do not spend that limit',
  },
} as const satisfies Record<string, Requirement>;

export type AisvsId = keyof typeof AISVS;

export const AISVS_IDS = Object.keys(AISVS) as readonly AisvsId[];
