/**
 * Killed at random moments under a load of all kinds of writes: the gate loses nothing acknowledged, and leaves nothing
 * half done.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkChain } from './checks/check-chain.ts';
import { findHalfDone } from './checks/find-half-done.ts';
import { findLost } from './checks/find-lost.ts';
import { findRunTwice } from './checks/find-run-twice.ts';
import { findUnrepeatable } from './checks/find-unrepeatable.ts';
import { readGate } from './checks/read-gate.ts';
import { makeCast } from './gate/cast.ts';
import { GateProcess, startGate } from './gate/gate-process.ts';
import { seededRandom } from './random.ts';
import { assertNoFindings, type Scenario } from './scenario.ts';
import { Chronicle } from './stories/chronicle.ts';
import { INTENT_STORIES } from './stories/intent-stories.ts';
import { tellAll } from './stories/tell-all.ts';
import { approvedAndRun } from './stories/tool-stories.ts';
import { inWorkplace } from './workplace.ts';

/** How long a server works before it is killed, in milliseconds. */
const LIFE = { least: 60, most: 900 };

export const kill: Scenario = {
  name: 'kill',
  summary: 'kill -9 under load of all writes, then everything that was answered is looked for',
  rounds: 20,
  run: ({ rounds, seed, say }) =>
    inWorkplace('kill', async (folder) => {
      const random = seededRandom(seed);
      const dataDir = join(folder, 'data');
      const cast = await makeCast(dataDir);
      const chronicle = new Chronicle();
      let since: string | undefined;
      let gate = await startGate(dataDir);
      for (let round = 1; round <= rounds; round += 1) {
        const from = chronicle.deeds.length;
        const life = random.between(LIFE.least, LIFE.most);
        let over = false;
        const told = tellAll({
          client: gate.client,
          cast,
          chronicle,
          random,
          stories: [...INTENT_STORIES, approvedAndRun, approvedAndRun],
          name: `r${round}`,
          isOver: () => over,
        });
        await delay(life);
        await gate.kill();
        over = true;
        await told;
        chronicle.settle();
        assertNoFindings(chronicle.surprises, `round ${round}`);
        // In some rounds the server is also killed during its start.
        const stillborn = random.chance(0.4) ? random.between(50, 500) : null;
        if (stillborn !== null) await GateProcess.start(dataDir, { killAfterMs: stillborn });
        gate = await startGate(dataDir);

        const repeats = await findUnrepeatable(gate.client, chronicle.deeds.slice(from), chronicle.deeds);
        const { client } = gate;
        const runs = await findRunTwice(client, cast, chronicle.deeds);
        const log: string[] = [];
        const seen = await readGate(client, cast, async () => {
          const chain = await checkChain(client, cast, { dataDir, folder, since });
          log.push(...chain.findings);
          since = chain.head;
          return chain.records;
        });
        const findings = [
          ...repeats,
          ...runs,
          ...log,
          ...findLost(seen, chronicle),
          ...(await findHalfDone(seen, cast)),
        ];
        assertNoFindings(findings, `round ${round}, killed after ${life} ms`);
        const answered = chronicle.done().length;
        say(
          `round ${round}/${rounds}: killed after ${life} ms${stillborn === null ? '' : `, and ${stillborn} ms into its start`}; ` +
            `${answered} answers kept, ${seen.intents.size} intents and ${seen.records.length} records whole`,
        );
      }
      await gate.kill();
      return `${rounds} kills, ${chronicle.done().length} acknowledged changes, none lost, none half done`;
    }),
};
