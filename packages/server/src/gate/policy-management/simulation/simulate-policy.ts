import type { JsonObject } from '@permitry/protocol';
import { assertScope } from '../../access/assert-scope.ts';
import type { Caller } from '../../access/caller.ts';
import { type FieldProblem, GateError } from '../../kernel/errors.ts';
import { invalidFields } from '../../kernel/invalid-fields.ts';
import { unknownProject } from '../../kernel/not-found.ts';
import { type CompiledPolicy, parsePolicy } from '../../policy/policy.ts';
import type { ProjectSettings } from '../../project-settings/project-settings.ts';
import type { PolicyVersion } from '../../projects/project.ts';
import { checkApprovers } from '../check-approvers.ts';
import type { PolicyDeps } from '../policy-deps.ts';
import { type GivenIntent, toGivenRequests } from './given-intent.ts';
import { type PastIntentQuery, toPastIntentFilter } from './past-intent-query.ts';
import type { SimulationJob, SimulationReport } from './simulation-job.ts';
import type { RunningSimulation } from './simulations.ts';

export interface SimulationInput {
  projectId: string;
  /** The policy to simulate. Default: the active policy, compared with the outcomes when the intents were created. */
  document?: JsonObject;
  against: { given: readonly GivenIntent[] } | { stored: PastIntentQuery };
}

export interface Simulation {
  inForce: Pick<PolicyVersion, 'version' | 'hash'>;
  draft: { hash: string };
  /** Warnings and problems of publishing the draft. Paths are JSON Pointers into the draft. */
  warnings: readonly FieldProblem[];
  /** Ends with `finished`, unless its signal stopped it. Throws if the simulation cannot continue. */
  reports: AsyncIterable<SimulationReport>;
}

const STORED_TIME_LIMIT_MS = 300_000;
const GIVEN_TIME_LIMIT_MS = 20_000;

/**
 * Simulates a policy beside the active one on given or stored intents. Changes and records nothing.
 *
 * @param signal Stops the work immediately.
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields` (paths into the policy start with `/policy`),
 * `conflict` while another simulation of the project runs, `rate_limited` while too many of other projects run
 */
export async function simulatePolicy(
  gate: PolicyDeps,
  caller: Caller,
  input: SimulationInput,
  signal?: AbortSignal,
): Promise<Simulation> {
  const { projectId, against } = input;
  assertScope(caller, 'policies:simulate', projectId);
  const inForce = await gate.storage.read.findPolicy(projectId);
  if (!inForce) throw unknownProject();
  const settings = await gate.projectSettings.current(projectId);
  const draft = input.document === undefined ? undefined : parseDraft(input.document, settings);
  const job: SimulationJob = {
    projectId,
    inForce: inForce.document,
    draft: draft?.policy.document ?? inForce.document,
    ...('given' in against
      ? {
          against: { kind: 'given', requests: await toGivenRequests(gate, projectId, against.given) },
          timeLimitMs: GIVEN_TIME_LIMIT_MS,
        }
      : {
          against: { kind: 'stored', ...toPastIntentFilter(against.stored) },
          timeLimitMs: STORED_TIME_LIMIT_MS,
        }),
  };
  return {
    inForce: { version: inForce.version, hash: inForce.hash },
    draft: { hash: draft?.policy.hash ?? inForce.hash },
    warnings: draft?.warnings ?? [],
    reports: untilFinished(gate.simulations.start(job, signal), signal),
  };
}

/**
 * A draft may name people who are still to be added. So a problem that would prevent publishing is only a warning here.
 */
function parseDraft(
  document: JsonObject,
  { people }: ProjectSettings,
): { policy: CompiledPolicy; warnings: readonly FieldProblem[] } {
  const parsed = parsePolicy(document);
  if (!parsed.ok) {
    throw invalidFields(...parsed.problems.map(({ path, message }) => ({ path: `/policy${path}`, message })));
  }
  const { unknown, warnings } = checkApprovers(people, parsed.policy);
  const strangers = unknown.map((name) => ({
    path: '',
    message: `No member, group or role of this project is named ${name}; this draft cannot be published.`,
  }));
  return { policy: parsed.policy, warnings: [...parsed.warnings, ...strangers, ...warnings] };
}

async function* untilFinished(
  simulation: RunningSimulation,
  signal: AbortSignal | undefined,
): AsyncGenerator<SimulationReport, void, void> {
  try {
    for await (const report of simulation.reports) {
      if (report.kind !== 'finished') {
        yield report;
        continue;
      }
      // Stops before the last report, so that the client can start the next simulation as soon as it receives the
      // report.
      simulation.stop();
      await simulation.ended;
      yield report;
      return;
    }
    if (!signal?.aborted) throw new Error('the simulation ended before it was finished');
  } catch (cause) {
    throw new GateError(
      'service_unavailable',
      'The simulation could not continue: the gate is stopping, its storage is unavailable, or it used too much memory.',
      { retry_after_seconds: 10 },
      { cause },
    );
  } finally {
    simulation.stop();
  }
}
