/** The scenarios inside `npm run test:release`: the same code, one short round, a new seed each time, printed when it fails. */
import { type TestContext, test } from 'vitest';
import { CannotRun, type Scenario } from './scenario.ts';

const LIMIT_MS = 300_000;

/** All scenarios of one gate together are to cost the suite no more than twenty seconds, those of several no more than forty. */
export function inShort(scenario: Scenario, limitMs = LIMIT_MS): void {
  test(`${scenario.name}: ${scenario.summary}`, { timeout: limitMs }, async (context: TestContext) => {
    const seed = Date.now() % 1_000_000;
    const lines: string[] = [];
    try {
      await scenario.run({ rounds: 1, seed, short: true, say: (line) => lines.push(line) });
    } catch (error) {
      if (error instanceof CannotRun) {
        process.stderr.write(`${scenario.name} was not tried: ${error.message}\n`);
        return context.skip(error.message);
      }
      const again = `npm run test:faults -- ${scenario.name} --seed ${seed}`;
      throw new Error(`${(error as Error).message}\n${lines.join('\n')}\nagain: ${again}`, { cause: error });
    }
  });
}
