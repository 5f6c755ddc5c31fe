/** After the last test, names the tests that passed only on a retry. */
import type { Reporter, TestModule } from 'vitest/node';

export default class UnsteadyTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const unsteady = modules.flatMap((module) =>
      [...module.children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => ({
          name: `${module.relativeModuleId} > ${test.fullName}`,
          why: test.result().errors?.[0]?.message.split('\n')[0] ?? '',
        })),
    );
    if (unsteady.length === 0) return;
    console.log(
      ` Unsteady: passed only when run again. Each is a fault to be found, of the test or of the product.`,
    );
    for (const { name, why } of unsteady) console.log(`   ${name}\n     ${why}`);
  }
}
