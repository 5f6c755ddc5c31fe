/**
 * `npm run bench:sdk`: the overhead of the SDK. (a) An offline check of a permit, compared with jose alone. (b) A call
 * of a protected function that policy allows, compared with the two bare calls that it needs. The SDK is bundled as
 * published. Details: bench/sdk/measure-verify.ts and bench/sdk/measure-protect.ts.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../scripts/read-flags.ts';
import { type Finding, isMet, MEANINGFUL_ROUNDS, printFindings } from './bars.ts';
import { bindLoad } from './cores.ts';
import { bundleSdk } from './sdk/bundle-sdk.ts';
import { measureProtect, printProtect, protectFindings } from './sdk/measure-protect.ts';
import { measureVerify, printVerify, verifyFindings } from './sdk/measure-verify.ts';
import { makeWorkDir } from './store/make-work-dir.ts';

const HELP = `Measures what the SDK adds to jose and to bare calls.

  npm run bench:sdk
  npm run bench:sdk -- --rounds 9 --verifications 5000 --calls 500 --json samples.json --assert
`;

const { values } = readFlags({
  options: {
    rounds: { type: 'string', default: '7' },
    verifications: { type: 'string', default: '4000' },
    calls: { type: 'string', default: '150' },
    json: { type: 'string' },
    assert: { type: 'boolean' },
    'store-dir': { type: 'string', default: 'node_modules/.cache/permitry-bench' },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const [rounds, verifications, calls] = [values.rounds, values.verifications, values.calls].map(Number) as [
  number,
  number,
  number,
];

const workDir = makeWorkDir(values['store-dir'], 'sdk-');
// One core for everything compared, so that the comparison is by work.
bindLoad();
try {
  const sdk = await bundleSdk(workDir);
  const verified = await measureVerify(sdk, { rounds, perRound: verifications });
  printVerify(verified);
  const called = await measureProtect(sdk, { rounds, perRound: calls, dataDir: join(workDir, 'gate') });
  printProtect(called);
  const findings: Finding[] = [...verifyFindings(verified), ...protectFindings(called)];
  printFindings(findings);
  if (rounds < MEANINGFUL_ROUNDS)
    console.log(
      `  ${rounds} rounds only show that it works; bars need medians of at least ${MEANINGFUL_ROUNDS} rounds`,
    );
  if (values.json) {
    const machine = { cores: availableParallelism(), cpu: cpus()[0]?.model, node: process.version };
    writeFileSync(values.json, JSON.stringify({ machine, verified, called, findings }, null, 2));
  }
  if (values.assert && !findings.every(isMet)) process.exitCode = 1;
} finally {
  rmSync(workDir, { recursive: true, force: true });
}
process.exit();
