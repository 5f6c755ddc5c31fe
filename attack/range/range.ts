/** The target of the attacks: the gate's address, the reachable projects, and the people in them. */
import type { ProjectKeys } from '../keys-file.ts';
import { NotProvided } from '../undefended.ts';
import { UsageError } from '../usage-error.ts';
import { type RangeClock, WALL_CLOCK } from './clock.ts';
import { HttpClient } from './http-client.ts';
import type { Inside } from './inside.ts';
import { type Operation, readOperations } from './operations.ts';
import { RawConnections } from './raw-connection.ts';
import { Secrets } from './secrets.ts';
import { Stage } from './stage.ts';

export interface RangeOptions {
  target: URL;
  projects: readonly ProjectKeys[];
  /** The run may also use the policies and emergency stops of projects that are not disposable. */
  destructive: boolean;
  onWait?: (seconds: number) => void;
  clock?: RangeClock;
  /** Set when the gate runs in this process. */
  inside?: Inside;
  /** Default: the operations that the gate publishes. */
  operations?: readonly Operation[];
}

export class Range {
  readonly client: HttpClient;
  readonly raw: RawConnections;
  /** The project for most attacks: the first disposable one, or else the first. */
  readonly main: Stage;
  readonly clock: RangeClock;
  readonly inside: Inside | undefined;
  /** All operations, so that new ones join the attacks automatically. */
  readonly operations: readonly Operation[];
  readonly #stages: readonly Stage[];

  private constructor(
    client: HttpClient,
    stages: readonly Stage[],
    main: Stage,
    {
      clock,
      inside,
      operations,
    }: Required<Pick<RangeOptions, 'clock' | 'operations'>> & {
      inside: Inside | undefined;
    },
  ) {
    this.client = client;
    this.raw = new RawConnections(client.target);
    this.#stages = stages;
    this.main = main;
    this.clock = clock;
    this.inside = inside;
    this.operations = operations;
  }

  /** @throws UsageError when there is no gate, or it does not accept the keys. */
  static async open(options: RangeOptions): Promise<Range> {
    const { target, projects, destructive, onWait, inside, clock = WALL_CLOCK } = options;
    const client = new HttpClient(target, new Secrets(), onWait, clock);
    const run = Date.now().toString(36);
    const stages = projects.map((keys) => new Stage(client, keys, { run, destructive, clock, inside }));
    try {
      const alive = await client.call('GET', '/healthz').catch((error: Error) => error);
      if (alive instanceof Error || alive.status !== 200)
        throw new UsageError(
          `There is no gate at ${target.href}: ${alive instanceof Error ? alive.message : `/healthz answers ${alive.status}`}`,
        );
      for (const stage of stages) await stage.assertUsable();
      const main = stages.find(({ keys }) => keys.disposable) ?? stages[0];
      if (main === undefined) throw new UsageError('The keys file names no project.');
      const operations = options.operations ?? (await readOperations(client));
      return new Range(client, stages, main, { clock, inside, operations });
    } catch (error) {
      client.close();
      throw error;
    }
  }

  find(mode: 'test' | 'live'): Stage | undefined {
    return [this.main, ...this.#stages].find((stage) => stage.mode === mode);
  }

  /** The main project, and one of the other mode in which permits are also available. */
  get ofEachMode(): readonly Stage[] {
    const other = this.find(this.main.mode === 'live' ? 'test' : 'live');
    const { agent_key, verifier_key } = other?.keys ?? {};
    const isWhole = agent_key && verifier_key && other?.findDecider && other.findObserver;
    return other && isWhole ? [this.main, other] : [this.main];
  }

  /** Another project, of the same mode if possible, because the other mode's keys and permits look different. */
  get findNeighbour(): Stage | undefined {
    const others = this.#stages.filter((stage) => stage.projectId !== this.main.projectId);
    return others.find((stage) => stage.mode === this.main.mode) ?? others[0];
  }

  in(mode: 'test' | 'live'): Stage {
    const stage = this.find(mode);
    if (stage === undefined) throw new NotProvided(`a project in ${mode} mode`);
    return stage;
  }

  get neighbour(): Stage {
    const stage = this.findNeighbour;
    if (stage === undefined) throw new NotProvided('a second project');
    return stage;
  }

  /** Removes everything that the run created. Returns what it could not remove. */
  async close(): Promise<readonly string[]> {
    const left: string[] = [];
    for (const stage of this.#stages) left.push(...(await stage.tidyUp()));
    this.client.close();
    return left;
  }
}
