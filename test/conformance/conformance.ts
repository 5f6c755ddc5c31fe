/** `npm run conformance` */
import { runSuite } from './run-suite.ts';

const { code, output } = await runSuite();
process.stdout.write(output);
process.exitCode = code ?? 1;
