import type { JsonObject } from '@permitry/protocol';
import {
  type GivenIntent,
  listProjects,
  type PastIntentQuery,
  readGivenIntent,
  simulatePolicy,
  toWireLine,
  toWireOutcomes,
  toWireStart,
} from '@permitry/server';
import { chooseProject } from '../at-project.ts';
import { usage } from '../command-failure.ts';
import type { AdminFlags } from '../command-options.ts';
import { OPERATOR, withGate } from '../open-gate.ts';
import type { SimulationLine, SimulationQuestion } from './simulation-line.ts';

/** Simulates on the data directory itself, beside a server that may be running on it. */
export function askDirectory(
  flags: AdminFlags,
  { policy, intents, stored }: SimulationQuestion,
  tell: (line: SimulationLine) => void,
): Promise<void> {
  const against = intents ? { given: intents.map(toGiven) } : { stored: (stored ?? {}) as PastIntentQuery };
  return withGate(flags, async ({ gate }) => {
    const { id: projectId } = chooseProject(await listProjects(gate, OPERATOR), flags.project);
    const simulation = await simulatePolicy(gate, OPERATOR, {
      projectId,
      ...(policy === undefined ? {} : { document: policy as JsonObject }),
      against,
    });
    const say = (line: object): void => tell(line as SimulationLine);
    say(toWireStart(simulation));
    for await (const report of simulation.reports) {
      const given = report.kind === 'finished' ? report.given : null;
      say({ ...toWireLine(simulation, report), ...(given ? { intents: given.map(toWireOutcomes) } : {}) });
    }
  });
}

function toGiven(value: unknown, index: number): GivenIntent {
  const given = readGivenIntent(value);
  if (!('problems' in given)) return given;
  const [problem] = given.problems;
  const words = [problem?.path.slice(1), problem?.message].filter(Boolean);
  throw usage(`Request ${index + 1}: ${words.join(' ')}`);
}
