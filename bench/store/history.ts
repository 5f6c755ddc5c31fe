/**
 * Creates the past of a seeded store with the gate's own operations, under a clock that runs from weeks ago to now. So
 * the product itself writes all rows, permits, receipts and events, whatever its schema is today.
 */
import { authenticateKey } from '../../packages/server/src/gate/access/authenticate-key.ts';
import type { Caller } from '../../packages/server/src/gate/access/caller.ts';
import { decideIntent } from '../../packages/server/src/gate/intents/decide.ts';
import { expireAllDue } from '../../packages/server/src/gate/intents/expire.ts';
import type { IntentView } from '../../packages/server/src/gate/intents/intent-view.ts';
import { submitIntent } from '../../packages/server/src/gate/intents/submit.ts';
import { verifyPermit } from '../../packages/server/src/gate/permits/verify.ts';
import type { OpenGate } from '../../packages/server/src/open-gate.ts';
import { ACTION, type Kind, paramsOf } from '../workload.ts';
import type { Layout } from './lay-out.ts';
import type { Manifest, SeededPending } from './manifest.ts';

/** Shares in percent. `due`: nobody decides, and the intent expires. */
const MIX = {
  consumed: 45,
  approved: 20,
  denied: 12,
  due: 10,
  allowed: 5,
  refused: 3,
  pending: 5,
} as const;
type Fate = keyof typeof MIX;

const FATES = (Object.entries(MIX) as [Fate, number][]).flatMap(([fate, share]) =>
  new Array<Fate>(share).fill(fate),
);

/** Percentage of intents by project, in the order of the layout. */
const PROJECT_SHARES = [60, 20, 15, 5];

const SAMPLE = 100_000;
const OLDEST = 1000;
const BATCH = 512;
const HOUR = 3600;
/** The longest lifetime that a request may ask for. */
const PENDING_SECONDS = 30 * 24 * HOUR;

interface Made {
  index: number;
  fate: Fate;
  kind: Kind;
  agent: number;
  view: IntentView;
}

type Life = Pick<Manifest, 'count' | 'fates' | 'pending' | 'sample' | 'oldest'>;

export interface HistoryOptions {
  count: number;
  /** Sets the gate's clock to a share of its past, from 0 to 1. */
  moveClock(share: number): void;
  onProgress(done: number): void;
}

export async function liveThrough(opened: OpenGate, layout: Layout, options: HistoryOptions): Promise<Life> {
  const { gate, sealer } = opened;
  const random = createRandom();
  const callers = await findCallers(opened, layout);
  const life: Life = {
    count: options.count,
    fates: {},
    pending: { ordinary: [], lasting: [] },
    sample: [],
    oldest: [],
  };

  for (let first = 0; first < options.count; first += BATCH) {
    options.moveClock(first / options.count);
    const size = Math.min(BATCH, options.count - first);
    const plans = Array.from({ length: size }, (_, n) => planOf(first + n, layout, random));
    const made = await Promise.all(
      plans.map(async (plan) => ({ ...plan, view: await submit(opened, callers.agents, plan) })),
    );
    await Promise.all(made.map((one) => settle(opened, callers, layout, one)));
    for (const one of made) remember(life, layout, one, random);
    if (first % (BATCH * 8) === 0) {
      await expireAllDue(gate);
      for (const { id } of layout.projects) await sealer.sealNow(id);
      options.onProgress(first + size);
    }
  }
  options.moveClock(1);
  await expireAllDue(gate);
  for (const { id } of layout.projects) await sealer.sealNow(id);
  shuffle(life.pending.ordinary, random);
  shuffle(life.pending.lasting, random);
  return life;
}

type Plan = Omit<Made, 'view'>;

function planOf(index: number, layout: Layout, random: () => number): Plan {
  const fate = FATES[Math.floor(random() * FATES.length)] ?? 'pending';
  let draw = random() * 100;
  const project = PROJECT_SHARES.findIndex((share) => {
    draw -= share;
    return draw < 0;
  });
  const ofProject = layout.agents.flatMap((agent, n) => (agent.project === project ? [n] : []));
  const agent = ofProject[Math.floor(random() * ofProject.length)] ?? 0;
  return { index, fate, agent, kind: fate === 'pending' && random() < 0.5 ? 'lasting' : 'ordinary' };
}

/** Requests that a policy rule denies or allows immediately. */
const BY_POLICY = {
  refused: (index: number) => ({
    action: 'service0.restart',
    params: { env: 'staging', replicas: index % 3 },
  }),
  allowed: (index: number) => ({ action: ACTION, params: { ...paramsOf(index), amount: 0.25 } }),
};

function submit({ gate }: OpenGate, agents: readonly Caller[], plan: Plan): Promise<IntentView> {
  const { index, fate, kind, agent } = plan;
  const request =
    fate === 'refused' || fate === 'allowed'
      ? BY_POLICY[fate](index)
      : { action: ACTION, params: paramsOf(index, kind) };
  return submitIntent(gate, callerAt(agents, agent), {
    ...request,
    metadata: { ticket: `T-${index}` },
    ...(fate === 'pending' ? { expiresInSeconds: PENDING_SECONDS } : {}),
  });
}

async function settle({ gate }: OpenGate, callers: Callers, layout: Layout, made: Made): Promise<void> {
  const project = layout.agents[made.agent]?.project ?? 0;
  const { intent } = made.view;
  const decide = (decision: 'approve' | 'deny', reason?: string): Promise<IntentView> =>
    decideIntent(gate, callerAt(callers.secrets, project), {
      intentId: intent.id,
      decision,
      ...(reason === undefined ? {} : { reason }),
    });
  if (made.fate === 'denied') await decide('deny', 'The photographs show another parcel.');
  if (made.fate === 'approved') await decide('approve');
  if (made.fate === 'consumed') {
    const { intent: approved } = await decide('approve');
    await verifyPermit(gate, callerAt(callers.verifiers, project), {
      token: approved.permit?.token ?? '',
      action: intent.action,
      params: intent.params,
      consume: true,
    });
  }
}

function remember(
  life: Life,
  layout: Layout,
  { view, index, fate, kind, agent }: Made,
  random: () => number,
): void {
  const { id } = view.intent;
  life.fates[fate] = (life.fates[fate] ?? 0) + 1;
  if (fate === 'pending') life.pending[kind].push({ id, agent, index });
  if (layout.agents[agent]?.project === 0 && life.oldest.length < OLDEST) life.oldest.push(id);
  // Reservoir sampling: in the end each intent is in the sample with equal probability.
  const place = index < SAMPLE ? index : Math.floor(random() * (index + 1));
  if (place < SAMPLE) life.sample[place] = { id, agent };
}

interface Callers {
  /** In the order of the layout's agents. */
  agents: Caller[];
  /** In the order of the layout's projects. */
  secrets: Caller[];
  verifiers: Caller[];
}

async function findCallers({ gate }: OpenGate, { agents, projects }: Layout): Promise<Callers> {
  const callerOf = async (key: string): Promise<Caller> => (await authenticateKey(gate, key)).caller;
  return {
    agents: await Promise.all(agents.map(({ key }) => callerOf(key))),
    secrets: await Promise.all(projects.map(({ secretKey }) => callerOf(secretKey))),
    verifiers: await Promise.all(projects.map(({ verifierKey }) => callerOf(verifierKey))),
  };
}

function callerAt(callers: readonly Caller[], index: number): Caller {
  const caller = callers[index];
  if (!caller) throw new Error(`there is no caller ${index}`);
  return caller;
}

/** The same numbers every time (Park and Miller), so that two seeded stores are alike. */
function createRandom(): () => number {
  let state = 20_261_120;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function shuffle(list: SeededPending[], random: () => number): void {
  for (let last = list.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const [a, b] = [list[last], list[other]];
    if (a && b) [list[last], list[other]] = [b, a];
  }
}
