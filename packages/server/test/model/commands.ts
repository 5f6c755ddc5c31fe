/** Everything that may happen, as plain data. fast-check generates sequences of it and shrinks them. */
import fc from 'fast-check';
import {
  type AgentName,
  CREDENTIALS,
  type Credential,
  emailOf,
  REQUESTERS,
  type RequesterName,
} from './cast.ts';

export const ACTIONS = ['mail.send', 'payments.refund', 'database.drop'] as const;
export type Action = (typeof ACTIONS)[number];

const EFFECTS = ['none', 'allow', 'finance', 'finance twice', 'programs', 'deny'] as const;
export type Effect = (typeof EFFECTS)[number];

/**
 * The surface that a command uses, if both surfaces have the command. The result is then read through the other
 * surface.
 */
export type SurfaceName = 'a' | 'b';

/**
 * A command as generated. `pick` chooses among the existing intents (modulo), mostly among those that suit the command.
 * `old` chooses among the permits of that intent, newest first. `itself` is the credential that sent the request or,
 * for an outcome, the one that consumed the permit.
 */
export type MadeCommand =
  | {
      kind: 'create';
      surface: SurfaceName;
      who: RequesterName;
      action: Action;
      /** The agent as which the request runs. Only a secret key may name one. */
      source: AgentName | null;
      approvers: readonly string[] | null;
      minApprovals: number;
      expiresIn: number | null;
    }
  | {
      kind: 'decide';
      surface: SurfaceName;
      who: Credential;
      pick: number;
      decision: 'approve' | 'deny';
      reason: string | null;
    }
  | { kind: 'withdraw'; who: Credential | 'itself'; pick: number }
  | { kind: 'redeem'; who: Credential | 'itself'; pick: number }
  | {
      kind: 'verify';
      surface: SurfaceName;
      who: RequesterName | 'verifier';
      pick: number;
      old: number;
      twist: 'none' | 'params' | 'action' | 'unbound';
      consume: boolean;
    }
  | { kind: 'outcome'; who: Credential | 'itself'; pick: number; outcome: 'succeeded' | 'failed' | 'unknown' }
  | { kind: 'revoke'; who: 'secret' | 'owner' | 'ann' | 'agent1'; pick: number; by: 'intent' | 'token' }
  | { kind: 'read'; surface: SurfaceName; who: Credential; pick: number }
  | {
      kind: 'list';
      who: Credential;
      status: 'pending' | 'approved' | 'denied' | 'expired' | 'resolved' | null;
    }
  | { kind: 'advance'; seconds: number }
  | { kind: 'sweep' }
  | { kind: 'agent'; verb: 'pause' | 'resume' | 'revoke'; agent: AgentName; who: 'secret' | 'owner' | 'ann' }
  | { kind: 'switch'; verb: 'stop' | 'start'; who: 'secret' | 'owner' | 'ann' }
  | { kind: 'policy'; action: Action; effect: Effect; who: 'secret' | 'owner' | 'ann' };

/** A command as sent, by a known credential. */
export type Command = MadeCommand extends infer C
  ? C extends { who: unknown }
    ? C & { who: Exclude<C['who'], 'itself'> }
    : C
  : never;

interface Candidate {
  status: string;
  requester: RequesterName;
  consumedBy: Credential | null;
}

/** The intent that a command is about, if any. */
export function pickIntent<I extends Candidate>(command: MadeCommand, intents: readonly I[]): I | undefined {
  if (!('pick' in command)) return undefined;
  const sensible = command.kind === 'decide' || command.kind === 'withdraw' ? 'pending' : 'approved';
  const pool = intents.filter(({ status }) => status === sensible);
  const chosen = pool.length === 0 || command.kind === 'read' || command.pick % 4 === 3 ? intents : pool;
  return chosen.at(-1 - (command.pick % Math.max(1, chosen.length)));
}

export function withSomebody(command: MadeCommand, intent: Candidate | undefined): Command {
  if (!('who' in command) || command.who !== 'itself') return command as Command;
  const consumer = command.kind === 'outcome' ? intent?.consumedBy : null;
  return { ...command, who: consumer ?? intent?.requester ?? 'secret' } as Command;
}

const surface = fc.constantFrom<SurfaceName>('a', 'b');
/** Mostly the newest ones, because those have the interesting states. */
const pick = fc.oneof({ weight: 3, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(9) });
const who = fc.constantFrom<Credential>(...CREDENTIALS);
const requester = fc.constantFrom<RequesterName>(...REQUESTERS);
const itself = fc.oneof(
  { weight: 3, arbitrary: fc.constant('itself' as const) },
  { weight: 1, arbitrary: who },
);
const manager = fc.constantFrom('secret', 'owner', 'owner', 'ann');

const approvers = fc.oneof(
  { weight: 12, arbitrary: fc.constant(null) },
  {
    weight: 6,
    arbitrary: fc.constantFrom<readonly string[]>(
      ['finance'],
      ['role:approver'],
      [emailOf('cat')],
      ['finance', emailOf('cat')],
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom<readonly string[]>([emailOf('eve')], ['nobody@example.org']) },
);

const create = fc.record({
  kind: fc.constant('create'),
  surface,
  who: requester,
  action: fc.constantFrom<Action>(...ACTIONS),
  source: fc.constantFrom<AgentName | null>(null, null, 'agent1'),
  approvers,
  minApprovals: fc.constantFrom(1, 1, 2),
  expiresIn: fc.constantFrom(null, 60, 300, 600),
});

const decide = fc.record({
  kind: fc.constant('decide'),
  surface,
  who: fc.oneof(
    {
      weight: 9,
      arbitrary: fc.constantFrom<Credential>('secret', 'owner', 'ann', 'ann', 'bob', 'bob', 'cat'),
    },
    { weight: 1, arbitrary: fc.constantFrom<Credential>('eve', 'agent1', 'verifier') },
  ),
  pick,
  decision: fc.constantFrom('approve', 'approve', 'approve', 'deny'),
  reason: fc.constantFrom(null, 'as agreed'),
});

const verify = fc.record({
  kind: fc.constant('verify'),
  surface,
  who: fc.constantFrom(...REQUESTERS, 'verifier' as const),
  pick,
  old: fc.nat(2),
  twist: fc.constantFrom('none', 'none', 'none', 'none', 'none', 'none', 'params', 'action', 'unbound'),
  consume: fc.boolean(),
});

export const command: fc.Arbitrary<MadeCommand> = fc.oneof(
  { weight: 6, arbitrary: create },
  { weight: 10, arbitrary: decide },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw'), who: itself, pick }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('redeem'), who: itself, pick }) },
  { weight: 10, arbitrary: verify },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('outcome'),
      who: itself,
      pick,
      outcome: fc.constantFrom('succeeded', 'failed', 'unknown'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('revoke'),
      who: fc.constantFrom('secret', 'owner', 'ann', 'agent1'),
      pick,
      by: fc.constantFrom('intent', 'token'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('read'), surface, who, pick }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('list'),
      who,
      status: fc.constantFrom(null, 'pending', 'approved', 'denied', 'expired', 'resolved'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('advance'),
      seconds: fc.constantFrom(1, 1, 30, 59, 60, 240, 300),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Command>({ kind: 'sweep' }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('agent'),
      verb: fc.constantFrom(
        'pause',
        'pause',
        'pause',
        'pause',
        ...Array<'resume'>(7).fill('resume'),
        'revoke',
      ),
      agent: fc.constantFrom<AgentName>('agent1', 'agent2'),
      who: manager,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('switch'),
      verb: fc.constantFrom('stop', 'start', 'start', 'start'),
      who: manager,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('policy'),
      action: fc.constantFrom<Action>(...ACTIONS),
      effect: fc.constantFrom<Effect>(...EFFECTS, 'none', 'allow'),
      who: manager,
    }),
  },
) as fc.Arbitrary<MadeCommand>;
