import type { Agent } from '../../agents/agent.ts';
import { toPolicyRequest } from '../../intents/policy-request.ts';
import { evaluatePolicy } from '../../policy/evaluate.ts';
import { matchesName, parseNamePatterns } from '../../policy/name-pattern.ts';
import type { PolicyOutcome, PolicyRequest } from '../../policy/outcome.ts';
import { type CompiledPolicy, parsePolicy } from '../../policy/policy.ts';
import { compareEffects, compareOutcomes, type Effect } from '../comparison/compare-outcomes.ts';
import { DifferenceTally, SAMPLES_PER_GROUP, type Said } from '../comparison/difference-tally.ts';
import {
  FATES,
  type FailedCondition,
  type Fate,
  type GivenOutcome,
  type PastIntent,
  type PastIntentFilter,
  type Side,
  type SimulationJob,
  type SimulationReader,
  type SimulationReport,
  type SimulationResult,
} from './simulation-job.ts';

/** Intents per read. Each may hold 256 KiB of parameters, so a few are enough to fill the memory. */
const STRETCH = 50;
const PROGRESS_EVERY_MS = 500;
/** More than any project's number of active agents. Beyond that, agents are read again. */
const MOST_KEPT_AGENTS = 10_000;

/**
 * Evaluates both policies for every intent and reports the differences. Writes nothing.
 *
 * A run occupies its thread, so where requests are served it runs on a separate thread.
 *
 * @param nowMs Milliseconds of a monotonic clock.
 * @param rest Called between reads, to let other work run.
 */
export async function* runSimulation(
  reader: SimulationReader,
  job: SimulationJob,
  nowMs: () => number,
  rest: () => void = () => undefined,
): AsyncGenerator<SimulationReport, void, void> {
  const run = new SimulationRun(job, nowMs);
  if (job.against.kind === 'given') {
    const given = run.askAll(job.against.requests);
    yield { kind: 'finished', result: run.result(), given };
    return;
  }
  yield* walk(reader, job.projectId, job.against, run, rest);
  yield { kind: 'finished', result: run.result(), given: null };
}

async function* walk(
  reader: SimulationReader,
  projectId: string,
  filter: PastIntentFilter,
  run: SimulationRun,
  rest: () => void,
): AsyncGenerator<SimulationReport, void, void> {
  const { status, limit = Number.POSITIVE_INFINITY } = filter;
  const ofStatus = status === undefined ? {} : { status };
  const count = await reader.countPastIntents(projectId, status);
  const isWanted = wants(filter);
  const total = (filter.from ?? filter.to ?? filter.action) ? count : Math.min(count, limit);
  const agents = new KnownAgents(reader, projectId);
  let position: number | null = null;
  do {
    const stretch = await reader.listPastIntents(projectId, {
      ...ofStatus,
      after: position,
      length: STRETCH,
    });
    for (const past of stretch.intents) {
      if (run.evaluated >= limit || run.isOutOfTime()) return;
      run.scanned += 1;
      if (isWanted(past)) {
        if (past.erasedAt === null) run.askAgain(past, await agents.find(past.agentId));
        else run.skipped += 1;
      }
      if (run.isProgressDue()) {
        const { scanned, evaluated, changed } = run;
        // The count is older than the reads, so `scanned` may exceed it.
        yield { kind: 'progress', scanned, total: Math.max(total, scanned), evaluated, changed };
      }
    }
    position = stretch.next;
    rest();
  } while (position !== null);
}

function wants({ from, to, action }: PastIntentFilter): (past: PastIntent) => boolean {
  const parsed = action === undefined ? undefined : parseNamePatterns(action);
  const patterns = parsed && 'patterns' in parsed ? parsed.patterns : undefined;
  return ({ createdAt, subject }) =>
    (from === undefined || createdAt >= from) &&
    (to === undefined || createdAt < to) &&
    (patterns === undefined || matchesName(patterns, subject.action));
}

/** Agents as they are now. Their state at the time of an intent is not stored. */
class KnownAgents {
  readonly #reader: SimulationReader;
  readonly #projectId: string;
  readonly #known = new Map<string, Agent | null>();

  constructor(reader: SimulationReader, projectId: string) {
    this.#reader = reader;
    this.#projectId = projectId;
  }

  async find(agentId: string | null): Promise<Agent | null> {
    if (agentId === null) return null;
    const known = this.#known.get(agentId);
    if (known !== undefined) return known;
    const found = (await this.#reader.findAgent(this.#projectId, agentId)) ?? null;
    if (this.#known.size >= MOST_KEPT_AGENTS) this.#known.clear();
    this.#known.set(agentId, found);
    return found;
  }
}

class SimulationRun {
  scanned = 0;
  evaluated = 0;
  skipped = 0;
  readonly #inForce: CompiledPolicy;
  readonly #draft: CompiledPolicy;
  readonly #isGiven: boolean;
  readonly #nowMs: () => number;
  readonly #startedAt: number;
  readonly #deadline: number;
  #progressAt: number;
  #complete = true;
  readonly #outcomes: Record<'inForce' | 'draft', Record<Effect, number>> = {
    inForce: noOutcomes(),
    draft: noOutcomes(),
  };
  readonly #changes = new DifferenceTally();
  readonly #sinceMade = new DifferenceTally();
  readonly #became = Object.fromEntries(FATES.map((fate) => [fate, noOutcomes()])) as Record<
    Fate,
    Record<Effect, number>
  >;
  readonly #failures = new Map<string, FailedCondition & { samples: string[] }>();

  constructor(job: SimulationJob, nowMs: () => number) {
    this.#inForce = compile(job.inForce);
    this.#draft = compile(job.draft);
    this.#isGiven = job.against.kind === 'given';
    this.#nowMs = nowMs;
    this.#startedAt = nowMs();
    this.#deadline = this.#startedAt + job.timeLimitMs;
    this.#progressAt = this.#startedAt + PROGRESS_EVERY_MS;
  }

  get changed(): number {
    return this.#changes.changed;
  }

  askAll(requests: readonly PolicyRequest[]): GivenOutcome[] {
    const given: GivenOutcome[] = [];
    for (const [index, request] of requests.entries()) {
      if (this.isOutOfTime()) break;
      this.scanned += 1;
      given.push(this.#ask(request, `/intents/${index}`));
    }
    return given;
  }

  /** Evaluates the intent at its creation time: a rule about office hours must not use the current time. */
  askAgain(past: PastIntent, agent: Agent | null): void {
    const { draft } = this.#ask(toPolicyRequest(past.subject, agent, past.createdAt), past.id);
    const change = compareEffects(past.made.effect, draft.effect);
    this.#became[past.fate][draft.effect] += 1;
    if (change) this.#sinceMade.add(past.made, draft, change, past.id);
  }

  /** True once the time limit is over. The result then says that it is not complete. */
  isOutOfTime(): boolean {
    if (this.#nowMs() < this.#deadline) return false;
    this.#complete = false;
    return true;
  }

  isProgressDue(): boolean {
    const now = this.#nowMs();
    if (now < this.#progressAt) return false;
    this.#progressAt = now + PROGRESS_EVERY_MS;
    return true;
  }

  result(): SimulationResult {
    return {
      complete: this.#complete,
      scanned: this.scanned,
      evaluated: this.evaluated,
      skipped: this.skipped,
      outcomes: this.#outcomes,
      changes: this.#changes.result(),
      sinceMade: this.#isGiven ? null : this.#sinceMade.result(),
      became: this.#isGiven ? null : this.#became,
      failures: [...this.#failures.values()].toSorted((one, other) => other.count - one.count),
      seconds: (this.#nowMs() - this.#startedAt) / 1000,
    };
  }

  #ask(request: PolicyRequest, sample: string): GivenOutcome {
    const inForce = evaluatePolicy(this.#inForce, request);
    const draft = evaluatePolicy(this.#draft, request);
    this.evaluated += 1;
    this.#outcomes.inForce[inForce.effect] += 1;
    this.#outcomes.draft[draft.effect] += 1;
    this.#countFailures('in_force', inForce, sample);
    this.#countFailures('draft', draft, sample);
    const change = compareOutcomes(inForce, draft);
    if (change) this.#changes.add(saidBy(inForce), saidBy(draft), change, sample);
    return { inForce, draft };
  }

  #countFailures(side: Side, { failures }: PolicyOutcome, sample: string): void {
    for (const { rule, message } of failures) {
      const key = `${side} ${rule}`;
      let failure = this.#failures.get(key);
      if (!failure) {
        failure = { side, rule, message, count: 0, samples: [] };
        this.#failures.set(key, failure);
      }
      failure.count += 1;
      if (failure.samples.length < SAMPLES_PER_GROUP) failure.samples.push(sample);
    }
  }
}

function noOutcomes(): Record<Effect, number> {
  return { allow: 0, require_approval: 0, deny: 0 };
}

function saidBy({ effect, rule }: PolicyOutcome): Said {
  return { effect, rule };
}

/** Both documents parsed before the job was created. */
function compile(document: SimulationJob['draft']): CompiledPolicy {
  const parsed = parsePolicy(document);
  if (!parsed.ok) throw new Error('a policy to be simulated does not parse');
  return parsed.policy;
}
