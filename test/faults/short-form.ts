/**
 * The scenarios inside `npm run test:release`: the same code, one short round, and a new seed each time, which a
 * failure prints.
 */
import { type TestContext, test } from 'vitest';
import { CannotRun, type Scenario } from './scenario.ts';

const LIMIT_MS = 300_000;

/**
 * Together, all scenarios of one gate should cost the suite at most twenty seconds, and those of several at most forty.
 */
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
